import { addresses, confirmLegFixture, governanceFixtures, programAddress, settleFixture } from './fixtures.js';
import {
  configAddress,
  decodeRelayInstruction,
  getOpenReputationInstruction,
  packageAddress,
  programDataAddress,
  relayErrorFromCode,
  taskAddress,
} from '@legwork/program-client';
import { AccountRole, address, createNoopSigner } from '@solana/kit';
import { describe, expect, test } from 'vitest';

describe('relayErrorFromCode', () => {
  test('names the errors of the program in their order', () => {
    expect(relayErrorFromCode(6000)).toMatchObject({ code: 6000, name: 'LegOutOfOrder' });
    expect(relayErrorFromCode(6004)).toMatchObject({ name: 'InsufficientVault' });
    expect(relayErrorFromCode(6014)?.name).toBe('SelfDealing');
    const ofTasks = [6032, 6033, 6034, 6035].map((code) => relayErrorFromCode(code)?.name);
    expect(ofTasks).toEqual(['LegAlreadyAssigned', 'LegNotAssigned', 'DuplicateAgent', 'InvalidAgent']);
  });

  test('knows nothing of other codes', () => {
    for (const code of [0, 1, 5999, 6036, Number.NaN, -1]) expect(relayErrorFromCode(code)).toBeUndefined();
  });
});

describe('addresses', () => {
  test('depend on the program', async () => {
    const other = address('BPFLoaderUpgradeab1e11111111111111111111111');
    expect(await configAddress(programAddress)).not.toBe(await configAddress(other));
    expect(await programDataAddress(programAddress)).not.toBe(await programDataAddress(other));
  });

  test('an id has 16 bytes', async () => {
    for (const length of [0, 15, 17, 32]) {
      const id = new Uint8Array(length);
      await expect(packageAddress(programAddress, programAddress, id)).rejects.toThrow(RangeError);
      await expect(taskAddress(programAddress, programAddress, id)).rejects.toThrow(RangeError);
    }
  });
});

describe('decodeRelayInstruction', () => {
  test('gives the accounts by name and the arguments', async () => {
    const { instruction, accounts } = await confirmLegFixture();
    const decoded = decodeRelayInstruction(programAddress, instruction);
    if (decoded?.name !== 'confirmLeg') throw new Error('it is a confirmation');
    expect(decoded.data.formation).toBe(513);
    expect(decoded.accounts.courier.address).toBe(accounts.courier);
    expect(decoded.accounts.nextLeg?.address).toBe(accounts.nextLeg);
  });

  test("an absent account, which is the program's own address, is undefined", async () => {
    const { instruction } = await confirmLegFixture({ isFinal: true });
    const decoded = decodeRelayInstruction(programAddress, instruction);
    if (decoded?.name !== 'confirmLeg') throw new Error('it is a confirmation');
    expect(decoded.accounts.nextLeg).toBeUndefined();
  });

  test('gives the legs of a settlement in their order', async () => {
    const { instruction, legs } = await settleFixture();
    const decoded = decodeRelayInstruction(programAddress, instruction);
    if (decoded?.name !== 'settle') throw new Error('it is a settlement');
    expect(decoded.legs.map((leg) => leg.address)).toEqual(legs);
  });

  test("knows the authority's instructions and the closing of a package", async () => {
    const { instructions, config, other } = await governanceFixtures();
    for (const [name, instruction] of Object.entries(instructions)) {
      const decoded = decodeRelayInstruction(programAddress, instruction);
      expect(decoded?.name).toBe(name);
      expect(decoded?.accounts).toMatchObject({ config: { address: config } });
    }
    const [coordinator, paused] = [instructions.setCoordinator, instructions.setPaused].map((instruction) =>
      decodeRelayInstruction(programAddress, instruction),
    );
    expect(coordinator?.data).toMatchObject({ coordinator: other });
    expect(paused?.data).toMatchObject({ paused: true });
  });

  test('knows the opening of a reputation, whose agent need not sign', async () => {
    const { payer, agent, reputation } = await addresses('payer', 'agent', 'reputation');
    const accounts = { payer: createNoopSigner(payer), agent, reputation };
    const decoded = decodeRelayInstruction(programAddress, getOpenReputationInstruction(accounts, { programAddress }));
    if (decoded?.name !== 'openReputation') throw new Error('it opens a reputation');
    expect(decoded.accounts).toMatchObject({
      payer: { address: payer, role: AccountRole.WRITABLE_SIGNER },
      agent: { address: agent, role: AccountRole.READONLY },
      reputation: { address: reputation, role: AccountRole.WRITABLE },
    });
  });

  test('is undefined for other programs and for what the program would refuse', async () => {
    const { instruction } = await confirmLegFixture();
    const stranger = address('BPFLoaderUpgradeab1e11111111111111111111111');
    const { accounts, data } = instruction;
    const others = [
      { ...instruction, programAddress: stranger },
      { ...instruction, accounts: accounts.slice(1) },
      { ...instruction, data: Uint8Array.of(9) },
      { ...instruction, data: Uint8Array.of() },
      { ...instruction, data: data.slice(0, 2) },
      { ...instruction, data: Uint8Array.of(...data, 0) },
      { programAddress },
    ];
    for (const other of others) expect(decodeRelayInstruction(programAddress, other)).toBeUndefined();
  });
});
