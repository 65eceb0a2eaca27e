import { decodeConfig, getInitializeInstruction, programDataAddress } from '@legwork/program-client';
import { address, getAddressEncoder } from '@solana/kit';
import { describe, expect } from 'vitest';
import { CANNOT_FORGE } from './harness/backend.js';
import { testGuards } from './harness/guards.js';
import { must } from './harness/delivery.js';
import { Relay } from './harness/relay.js';
import { test } from './harness/relayTest.js';
import { signedBy, swapped, withData } from './harness/tamper.js';

const NOBODY = address('11111111111111111111111111111111');

describe('initialize', () => {
  testGuards(
    async (relay) => ({
      instruction: relay.initialize(),
      owned: {},
      strangers: { InvalidAccount: [1, 2, 4], InvalidAccountOwner: [3] },
      fixedAccounts: 5,
    }),
    () => Relay.deployed(),
  );

  test('[P-12] names authority and coordinator', async () => {
    const relay = await Relay.deployed();
    must(await relay.ledger.send(relay.initialize()));
    const { data } = decodeConfig(await relay.encoded(relay.config));
    expect(data).toMatchObject({
      authority: relay.authority.address,
      pendingAuthority: NOBODY,
      coordinator: relay.coordinator.address,
      paused: 0,
    });
  });

  test('[P-12] refuses everybody but the upgrade authority', async () => {
    const relay = await Relay.deployed();
    for (const impostor of [relay.authority, relay.coordinator, await relay.person('stranger')]) {
      const outcome = await relay.ledger.send(signedBy(relay.initialize(), 0, impostor));
      expect(outcome.error).toBe('Unauthorized');
    }
    expect(await relay.ledger.account(relay.config)).toBeUndefined();
  });

  test.skipIf(CANNOT_FORGE)(
    '[P-12] refuses the ProgramData account of another program, whose authority the stranger is',
    async () => {
      const relay = await Relay.deployed();
      const stranger = await relay.person('stranger');
      const real = await relay.state(await programDataAddress(relay.ledger.programAddress));
      const strangersProgramData = (await relay.person("stranger's program")).address;
      const data = real.data.slice();
      data.set(getAddressEncoder().encode(stranger.address), 13);
      await relay.ledger.forge(strangersProgramData, { ...real, data });
      const initialize = swapped(signedBy(relay.initialize(), 0, stranger), 3, strangersProgramData);
      expect((await relay.ledger.send(initialize)).error).toBe('InvalidAccount');
    },
  );

  test.skipIf(CANNOT_FORGE)('[P-12] refuses a program without an upgrade authority', async () => {
    const relay = await Relay.deployed();
    const programData = await programDataAddress(relay.ledger.programAddress);
    await relay.change(programData, (data) => data.with(12, 0));
    expect((await relay.ledger.send(relay.initialize())).error).toBe('Unauthorized');
  });

  test.skipIf(CANNOT_FORGE)('[P-12] refuses a ProgramData account with another tag', async () => {
    const relay = await Relay.deployed();
    const programData = await programDataAddress(relay.ledger.programAddress);
    await relay.change(programData, (data) => data.with(0, 1));
    expect((await relay.ledger.send(relay.initialize())).error).toBe('InvalidAccountKind');
  });

  test('[P-13] happens once', async ({ relay }) => {
    expect((await relay.ledger.send(relay.initialize())).error).toBe('AlreadyInitialized');
  });

  test('[P-14] refuses one key in both roles, and the zero key in either', async () => {
    const relay = await Relay.deployed();
    const { ledger, config, authority, coordinator } = relay;
    const roles = [
      [authority.address, authority.address],
      [NOBODY, coordinator.address],
      [authority.address, NOBODY],
    ] as const;
    for (const [first, second] of roles) {
      const accounts = {
        upgradeAuthority: ledger.upgradeAuthority,
        config,
        program: ledger.programAddress,
        programData: await programDataAddress(ledger.programAddress),
      };
      const { programAddress } = ledger;
      const input = { ...accounts, authority: first, coordinator: second };
      expect((await ledger.send(getInitializeInstruction(input, { programAddress }))).error).toBe('InvalidRole');
    }
  });

  test('[P-5] works when a stranger has sent lamports to the address', async () => {
    const relay = await Relay.deployed();
    await relay.ledger.airdrop(relay.config, 1_000_000n);
    must(await relay.ledger.send(relay.initialize()));
    expect(await relay.ledger.account(relay.config)).toMatchObject({ owner: relay.ledger.programAddress });
  });

  test('[P-1] [P-102] refuses unknown instructions and empty data', async () => {
    const relay = await Relay.deployed();
    for (const data of [[], [9], [15], [33], [255]]) {
      const outcome = await relay.ledger.send(withData(relay.initialize(), Uint8Array.from(data)));
      expect([data, outcome.error]).toEqual([data, 'InvalidInstruction']);
    }
  });
});
