import {
  assetAddress,
  decodeRelayInstruction,
  getAcceptInstruction,
  getAssignLegInstruction,
  getClaimInstruction,
  getListPackageInstruction,
  getListTaskInstruction,
  getOpenReputationInstruction,
  getReclaimPackageInstruction,
  inTokens,
  type RelayInstruction,
} from '@legwork/program-client';
import { AccountRole, address, createNoopSigner, none, some, type Instruction } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { addresses, confirmLegFixture, governanceFixtures, programAddress, settleFixture } from './fixtures.js';
import { RESULT_HASH, taskFixtures, TERMS } from './taskFixtures.js';

function decode(instruction: Instruction): RelayInstruction {
  const { accounts = [], data = new Uint8Array() } = instruction;
  const plain = accounts.map(({ address, role }) => ({ address, role }));
  const result = decodeRelayInstruction(programAddress, { programAddress, accounts: plain, data });
  if (!result) throw new Error('it is an instruction of the program');
  return result;
}

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

  test('tells the accounts of tokens from those before and behind them (P-109)', async () => {
    const { mint, taker, first, second } = await addresses('mint', 'taker', 'first', 'second');
    const asset = { number: 1, mint };
    const { instruction } = await confirmLegFixture();
    const counted = { address: taker, role: AccountRole.WRITABLE };
    const withReputation = { ...instruction, accounts: [...(instruction.accounts ?? []), counted] };
    const confirmed = await inTokens(programAddress, withReputation, asset);
    expect(confirmed.accounts?.at(-1)).toEqual(counted);
    const { tokens } = decode(confirmed);
    expect(tokens?.asset).toBe(await assetAddress(programAddress, 1));
    expect(tokens?.parties).toHaveLength(2);
    expect(decode(instruction).tokens).toBeUndefined();

    const { instruction: settlement, legs } = await settleFixture();
    const settled = decode(await inTokens(programAddress, { ...settlement, waiting: [first, second] }, asset));
    if (settled.name !== 'settle') throw new Error('it is a settlement');
    expect(settled.legs.map((leg) => leg.address)).toEqual(legs);
    expect(settled.tokens?.parties).toHaveLength(6);
    expect(settled.tokens?.vault).toBe(settled.tokens?.parties[1]);
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

describe('decodeRelayInstruction, of terms', () => {
  test('gives the terms of a listing, and says when there are none (T-1)', async () => {
    const { funder, config, ...others } = await addresses('funder', 'config', 'shipper', 'package', 'vault');
    const { receiver, arbiter } = await addresses('receiver', 'arbiter');
    const clocks = { carry: 300, handoff: 301, review: 302, arbitration: 2_592_000 };
    const terms = { receiver, arbiter, stake: 2_000_000n, ...clocks, flags: 1 };
    const offer = { packageId: new Uint8Array(16), maxBudget: 1n, deadline: 2n, termsHash: new Uint8Array(32) };
    const input = { ...others, ...offer, funder: createNoopSigner(funder), config };
    const { taskId, numLegs } = TERMS;
    const task = { funder: input.funder, poster: others.shipper, config, task: others.package, vault: others.vault };
    for (const [given, decoded] of [
      [terms, some(terms)],
      [null, none()],
    ] as const) {
      const listing = getListPackageInstruction({ ...input, terms: given }, { programAddress });
      expect(decode(listing)).toMatchObject({ name: 'listPackage', data: { ...offer, terms: decoded } });
      const ofTask = { ...task, ...offer, taskId, numLegs, terms: given };
      const listed = decode(getListTaskInstruction(ofTask, { programAddress }));
      expect(listed).toMatchObject({ name: 'listTask', data: { numLegs, terms: decoded } });
    }
  });

  test('gives the legs beside a vacant one, which the next leg of a forming swarm has not', async () => {
    const { coordinator, ...others } = await addresses('coordinator', 'config', 'package', 'swarm', 'leg', 'courier');
    const { reputation, before } = await addresses('reputation', 'before');
    const input = { ...others, coordinator: createNoopSigner(coordinator), reputation, index: 1, paymentLamports: 1n };
    const forming = decode(getAssignLegInstruction(input, { programAddress }));
    expect(forming).toMatchObject({ name: 'assignLeg', neighbours: undefined });
    const vacant = decode(
      getAssignLegInstruction({ ...input, neighbours: [before, programAddress] }, { programAddress }),
    );
    expect(vacant).toMatchObject({ neighbours: { before: { address: before }, after: undefined } });
  });

  test('gives the legs of a reclaimed package, and after them the couriers of accepted ones', async () => {
    const { signer, ...others } = await addresses(
      'signer',
      'config',
      'package',
      'vault',
      'funder',
      'swarm',
      'rentPayer',
    );
    const { first, second, courier } = await addresses('first', 'second', 'courier');
    const input = { ...others, signer: createNoopSigner(signer), legs: [first, second], couriers: [courier] };
    const reclaimed = decode(getReclaimPackageInstruction(input, { programAddress }));
    const trailing = [first, second, courier].map((address) => ({ address, role: AccountRole.WRITABLE }));
    expect(reclaimed).toMatchObject({ name: 'reclaimPackage', legsThenCouriers: trailing });
  });

  test('knows the moves, of a task without a swarm', async () => {
    const { listing, leg, courier, lister } = await addresses('listing', 'leg', 'courier', 'lister');
    const signer = createNoopSigner(courier);
    const evidenceHash = new Uint8Array(32).fill(5);
    const move = { listing, leg, formation: 258 };
    const claim = decode(getClaimInstruction({ ...move, courier: signer, evidenceHash }, { programAddress }));
    expect(claim).toMatchObject({ name: 'claim', data: { formation: 258, evidenceHash } });
    if (claim.name !== 'claim') throw new Error('it is a claim');
    expect(claim.accounts.swarm).toBeUndefined();
    const accept = getAcceptInstruction({ ...move, courier: signer, lister, take: true }, { programAddress });
    expect(decode(accept)).toMatchObject({ name: 'accept', data: { take: true } });
    const cosigned = { ...move, courier: signer, lister: createNoopSigner(lister), take: true };
    expect(decode(getAcceptInstruction(cosigned, { programAddress })).accounts).toMatchObject({
      lister: { address: lister, role: AccountRole.READONLY_SIGNER },
    });
  });
});

describe('decodeRelayInstruction, of tasks', () => {
  test('names the instructions about tasks and their accounts', async () => {
    const { instructions, named } = await taskFixtures();
    for (const [name, instruction] of Object.entries(instructions)) {
      const { name: found, accounts } = decode(instruction);
      expect(found).toBe(name);
      expect(accounts).toMatchObject({ config: { address: named.config }, task: { address: named.task } });
    }
  });

  test('gives what was listed', async () => {
    const { instructions, named } = await taskFixtures();
    const { accounts, data } = decode(instructions.listTask);
    expect(data).toEqual({ discriminator: 16, ...TERMS, terms: none() });
    expect(accounts).toMatchObject({
      funder: { address: named.signer },
      poster: { address: named.poster },
      vault: { address: named.vault },
    });
  });

  test('gives leg, agent and result', async () => {
    const { instructions, named } = await taskFixtures();
    const [taskLeg, agent] = [{ address: named.taskLeg }, { address: named.agent }];
    expect(decode(instructions.assignTaskLeg)).toMatchObject({ accounts: { taskLeg, agent }, data: { index: 2 } });
    const rentPayer = { address: named.payer };
    expect(decode(instructions.releaseTaskLeg)).toMatchObject({
      accounts: { taskLeg, rentPayer, agent },
      data: { index: 1 },
    });
    expect(decode(instructions.confirmTaskLeg)).toMatchObject({
      accounts: { taskLeg, agent, vault: { address: named.vault } },
      data: { index: 3, resultHash: RESULT_HASH },
    });
  });

  test('knows a release that names no agent, as all did once (P-79)', async () => {
    const { instructions, named } = await taskFixtures();
    const { accounts } = instructions.releaseTaskLeg;
    const old = decode({ ...instructions.releaseTaskLeg, accounts: accounts.slice(0, 5) });
    if (old.name !== 'releaseTaskLeg') throw new Error('it is a release');
    expect(old).toMatchObject({ accounts: { rentPayer: { address: named.payer } }, data: { index: 1 } });
    expect(old.accounts.agent).toBeUndefined();
  });

  test('gives the legs of a task that ends with their rent payers', async () => {
    const { instructions, legsWithRentPayers } = await taskFixtures();
    const [first, payer, second, otherPayer] = legsWithRentPayers.map((address) => ({ address }));
    for (const instruction of [instructions.settleTask, instructions.reclaimTask]) {
      const result = decode(instruction);
      if (result.name !== 'settleTask' && result.name !== 'reclaimTask') throw new Error('the task ends');
      expect(result.legs).toMatchObject([
        { taskLeg: first, rentPayer: payer },
        { taskLeg: second, rentPayer: otherPayer },
      ]);
    }
  });

  test('tells the agent of an accepted leg from the legs of a reclaimed task (T-85)', async () => {
    const { instructions, named } = await taskFixtures();
    const { accounts } = instructions.reclaimTask;
    const agent = { address: named.agent, role: AccountRole.WRITABLE };
    const plain = decode(instructions.reclaimTask);
    const trailed = decode({ ...instructions.reclaimTask, accounts: [...accounts, agent] });
    if (plain.name !== 'reclaimTask' || trailed.name !== 'reclaimTask') throw new Error('they are reclaims');
    expect(plain.agent).toBeUndefined();
    expect(trailed.agent).toEqual(agent);
    expect(trailed.legs).toEqual(plain.legs);
  });

  test('is undefined for what the program would refuse (P-1) (P-2) (P-88)', async () => {
    const { instructions } = await taskFixtures();
    const { settleTask, confirmTaskLeg } = instructions;
    const { accounts, data } = confirmTaskLeg;
    const refused = [
      { ...settleTask, accounts: settleTask.accounts.slice(0, -1) },
      { ...settleTask, accounts: settleTask.accounts.slice(0, 5) },
      { ...confirmTaskLeg, accounts: accounts.slice(1) },
      { ...confirmTaskLeg, data: data.slice(0, -1) },
      { ...confirmTaskLeg, data: Uint8Array.of(...data, 0) },
      { ...confirmTaskLeg, data: Uint8Array.of(31) },
      { ...confirmTaskLeg, data: Uint8Array.of(15) },
    ];
    for (const instruction of refused) {
      expect(decodeRelayInstruction(programAddress, instruction)).toBeUndefined();
    }
    expect(decodeRelayInstruction(programAddress, settleTask)?.name).toBe('settleTask');
  });
});
