import { address, generateKeyPairSigner, type Address } from '@solana/kit';
import type { Ledger } from '@legwork/ledger';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  advanceTime,
  balanceOf,
  clientOf,
  FEE,
  freshLedger,
  fundedSigner,
  newAddress,
  rawCall,
  send,
  signTransfer,
  SOL,
  SYSTEM_PROGRAM,
  temporaryFolder,
} from './support/ledger.js';

const EPOCH = 432_000;
const FAUCET_LAMPORTS = 500_000_000n * SOL;
/** What the validator begins with: a vote account and its stake, of so many lamports each, and its identity. */
const STAKED = 1_000_000n * SOL;
const IDENTITY = 500n * SOL;

// Of slots that do not pass by themselves.
const ledger = await freshLedger({ slotMs: 60_000 }, 'file');
const client = clientOf(ledger);
const confirmed = { commitment: 'confirmed' } as const;
const finalized = { commitment: 'finalized' } as const;

async function result(method: string, ...params: unknown[]): Promise<unknown> {
  const answer = await rawCall(ledger, method, params);
  if (answer.error !== undefined) throw new Error(answer.error.message);
  return answer.result;
}

async function failure(method: string, ...params: unknown[]): Promise<unknown> {
  const { error } = await rawCall(ledger, method, params);
  return [error?.code, error?.message];
}

describe('a cluster of one', () => {
  let identity: Address;

  beforeAll(async () => {
    ({ identity } = await client.rpc.getIdentity().send());
    await advanceTime(ledger, { slots: 50 });
  });

  test('[L-67] its node is the only one, and reachable by JSON-RPC alone', async () => {
    const [node, ...others] = (await result('getClusterNodes')) as Record<string, unknown>[];
    expect(others).toEqual([]);
    const { rpc, pubsub, pubkey, version, featureSet, ...rest } = node ?? {};
    expect(rpc).toBe(new URL(ledger.rpcUrl).host);
    expect(pubsub).toBe(new URL(ledger.wsUrl).host);
    expect(pubkey).toBe(identity);
    expect({ 'solana-core': version, 'feature-set': featureSet }).toEqual(await result('getVersion'));
    expect(new Set(Object.values(rest))).toEqual(new Set([null]));
  });

  test('[L-67] its node leads every slot of the past, this and the next epoch', async () => {
    expect(await client.rpc.getSlotLeader().send()).toBe(identity);
    expect(await result('getSlotLeaders', EPOCH - 1, 3)).toEqual([identity, identity, identity]);
    expect(await result('getSlotLeaders', 2 * EPOCH, 0)).toEqual([]);
    const unavailable = 'Invalid slot range: leader schedule for epoch 2 is unavailable';
    expect(await failure('getSlotLeaders', 2 * EPOCH - 1, 3)).toEqual([-32602, unavailable]);
    expect(await failure('getSlotLeaders', 0, 5001)).toEqual([-32602, 'Invalid limit; max 5000']);
  });

  test('[L-67] the leader schedule has every slot of an epoch', async () => {
    const { [identity]: slots = [], ...others } = (await result('getLeaderSchedule')) as Record<string, number[]>;
    expect([slots.length, slots[0], slots.at(-1)]).toEqual([EPOCH, 0, EPOCH - 1]);
    expect(others).toEqual({});
    expect(await result('getLeaderSchedule', { identity: SYSTEM_PROGRAM })).toEqual({});
    expect(await result('getLeaderSchedule', null, { identity: SYSTEM_PROGRAM })).toEqual({});
    expect(await result('getLeaderSchedule', 2 * EPOCH)).toBeNull();
    expect(await failure('getLeaderSchedule', 2 * EPOCH, { identity: 'x' })).toEqual([
      -32602,
      'Invalid param: WrongSize',
    ]);
  });

  test('[L-67] it produced a block in every slot', async () => {
    const slot = Number(await client.rpc.getSlot(confirmed).send());
    expect(await result('getBlockProduction', confirmed)).toMatchObject({
      context: { slot },
      value: { byIdentity: { [identity]: [slot + 1, slot + 1] }, range: { firstSlot: 0, lastSlot: slot } },
    });
    expect(
      await result('getBlockProduction', { identity: SYSTEM_PROGRAM, range: { firstSlot: 1, lastSlot: 2 } }),
    ).toMatchObject({ value: { byIdentity: {}, range: { firstSlot: 1, lastSlot: 2 } } });
    expect(await failure('getBlockProduction', { range: { firstSlot: 5, lastSlot: 2 } })).toEqual([
      -32602,
      'lastSlot, 2, cannot be less than firstSlot, 5',
    ]);
    expect(await failure('getBlockProduction', { ...confirmed, range: { firstSlot: 5, lastSlot: slot + 1 } })).toEqual([
      -32602,
      `lastSlot, ${slot + 1}, is too large; max ${slot}`,
    ]);
  });

  test('[L-67] it has no snapshots, and tells the inflation of a validator', async () => {
    expect(await failure('getVoteAccounts', { votePubkey: 'x' })).toEqual([-32602, 'Invalid param: WrongSize']);
    expect(await result('getStakeMinimumDelegation')).toMatchObject({ value: 1_000_000_000 });
    expect(await result('getInflationGovernor')).toEqual({
      foundation: 0.05,
      foundationTerm: 7,
      initial: 0.08,
      taper: 0.15,
      terminal: 0.015,
    });
    expect(await result('getInflationRate')).toEqual({ epoch: 0, foundation: 0.004, total: 0.08, validator: 0.076 });
    expect(await failure('getHighestSnapshotSlot')).toEqual([-32008, 'No snapshot']);
    const slot = Number(await client.rpc.getSlot(confirmed).send());
    expect(await result('getMaxRetransmitSlot')).toBe(slot);
    expect(await result('getMaxShredInsertSlot')).toBe(slot);
    expect(await client.rpc.getEpochSchedule().send()).toMatchObject({ slotsPerEpoch: BigInt(EPOCH), warmup: false });
  });
});

describe('lamports', () => {
  test('[L-68] the supply is what the genesis made, less the fees, and changes with the commitment', async () => {
    const supplyAt = async (commitment: 'confirmed' | 'finalized'): Promise<bigint> =>
      (await client.rpc.getSupply({ commitment, excludeNonCirculatingAccountsList: true }).send()).value.total;
    await advanceTime(ledger, { slots: 40 });
    const before = await supplyAt('finalized');
    expect(await supplyAt('confirmed')).toBe(before);
    const payer = await fundedSigner(client);
    await send(client, await signTransfer(client, payer, await newAddress(), SOL));
    const count = await client.rpc.getTransactionCount(confirmed).send();
    const after = await supplyAt('confirmed');
    expect(before - after).toBe(2n * FEE);
    expect(FAUCET_LAMPORTS + 2n * STAKED + IDENTITY - after).toBe(count * FEE);
    expect(await supplyAt('finalized')).toBe(before);
    await advanceTime(ledger, { slots: 32 });
    expect(await supplyAt('finalized')).toBe(after);
  });

  test('[L-68] the supply and the largest accounts are the same after a restart', async () => {
    const dataDir = temporaryFolder();
    const wealth = async (of: Ledger): Promise<unknown> => {
      const { rpc } = clientOf(of);
      const supply = await rpc.getSupply({ ...confirmed, excludeNonCirculatingAccountsList: true }).send();
      return [supply.value, (await rpc.getLargestAccounts(confirmed).send()).value];
    };
    const first = await freshLedger({ dataDir });
    await fundedSigner(clientOf(first));
    const before = await wealth(first);
    const [supply, largest] = before as [unknown, { lamports: bigint }[]];
    expect(supply).toMatchObject({ total: FAUCET_LAMPORTS + 2n * STAKED + IDENTITY - FEE });
    expect(largest.slice(1, 5).map((one) => one.lamports)).toEqual([STAKED, STAKED, IDENTITY, 10n * SOL]);
    // A new ledger has fewer wallets: the rest came with it, as on a test validator.
    expect(largest).toHaveLength(20);
    await first.close();
    expect(await wealth(await freshLedger({ dataDir }))).toEqual(before);
  });

  test('[L-68] [L-87] the identity has what a test validator gives it, and keeps what it gets over a restart', async () => {
    const dataDir = temporaryFolder();
    const first = await freshLedger({ dataDir });
    const { rpc } = clientOf(first);
    const { identity } = await rpc.getIdentity().send();
    const wallet = { data: ['', 'base64'], executable: false, owner: SYSTEM_PROGRAM, rentEpoch: 0n, space: 0n };
    const config = { ...confirmed, encoding: 'base64' } as const;
    const { value } = await rpc.getAccountInfo(identity, config).send();
    expect(value).toEqual({ ...wallet, lamports: IDENTITY });
    const listed = await rpc.getProgramAccounts(SYSTEM_PROGRAM, config).send();
    expect(listed.find(({ pubkey }) => pubkey === identity)?.account.lamports).toBe(IDENTITY);

    await rpc.requestAirdrop(identity, SOL as never, confirmed).send();
    const wealth = async (of: Ledger): Promise<unknown> => {
      const client = clientOf(of);
      const supply = await client.rpc.getSupply({ ...confirmed, excludeNonCirculatingAccountsList: true }).send();
      return [await balanceOf(client, identity), supply.value.total];
    };
    const after = [IDENTITY + SOL, FAUCET_LAMPORTS + 2n * STAKED + IDENTITY - FEE];
    expect(await wealth(first)).toEqual(after);
    await first.close();
    expect(await wealth(await freshLedger({ dataDir }))).toEqual(after);
  });

  test('[L-68] the 20 largest accounts, the largest first, as they are at the commitment', async () => {
    await advanceTime(ledger, { slots: 40 });
    const amounts = Array.from({ length: 25 }, (_, index) => BigInt(index + 1) * 1_000n * SOL);
    for (const amount of amounts) await fundedSigner(client, amount);
    const { value } = await client.rpc.getLargestAccounts(confirmed).send();
    expect(value.slice(1).map((one) => one.lamports)).toEqual([STAKED, STAKED, ...amounts.slice(-17).reverse()]);
    const earlier = (await client.rpc.getLargestAccounts(finalized).send()).value;
    expect(earlier.every((one, index) => index < 3 || one.lamports < 1_000n * SOL)).toBe(true);
    expect(await result('getLargestAccounts', { ...confirmed, filter: 'nonCirculating' })).toMatchObject({ value: [] });
  });

  test('[L-68] what Agave counts as not circulating is listed, and does not circulate', async () => {
    const config = { ...confirmed, excludeNonCirculatingAccountsList: false } as const;
    const supply = async () => (await client.rpc.getSupply(config).send()).value;
    const before = await supply();
    const of = address('2bvGnYAPSV8pa1H3vRYr5tPAXktP4DkFACHfAgqyyfhd');
    expect(before.nonCirculating).toBe(0n);
    expect(before.nonCirculatingAccounts).toHaveLength(214);
    expect(before.nonCirculatingAccounts).toContain(of);
    await client.rpc.requestAirdrop(of, SOL as never, confirmed).send();
    await advanceTime(ledger, { slots: 1 });
    expect(await supply()).toMatchObject({
      nonCirculating: SOL,
      circulating: before.circulating - SOL - FEE,
    });
    const short = await result('getSupply', { ...confirmed, excludeNonCirculatingAccountsList: true });
    expect(short).toMatchObject({ value: { nonCirculatingAccounts: [] } });
  });
});

describe('counts', () => {
  test('[L-69] transactions are counted at the commitment asked for', async () => {
    await advanceTime(ledger, { slots: 40 });
    const before = await client.rpc.getTransactionCount(finalized).send();
    await client.rpc.requestAirdrop((await generateKeyPairSigner()).address, 1_000_000n as never).send();
    expect(await client.rpc.getTransactionCount(finalized).send()).toBe(before);
    expect(await client.rpc.getTransactionCount(confirmed).send()).toBe(before + 1n);
    expect(await failure('getTransactionCount', { minContextSlot: 2 ** 40 })).toEqual([
      -32016,
      'Minimum context slot has not been reached',
    ]);
    await advanceTime(ledger, { slots: 32 });
    expect(await client.rpc.getTransactionCount(finalized).send()).toBe(before + 1n);
  });

  test('[L-69] a performance sample tells of each minute, the latest first', async () => {
    const fresh = await freshLedger({ slotMs: 60_000 });
    const latest = async (...params: unknown[]): Promise<unknown> =>
      (await rawCall(fresh, 'getRecentPerformanceSamples', params)).result;
    await fundedSigner(clientOf(fresh));
    const { slot } = await advanceTime(fresh, { slots: 1 });
    await advanceTime(fresh, { slots: 1 });
    const counted = { numSlots: 1, samplePeriodSecs: 60 };
    expect(await latest(2)).toEqual([
      { ...counted, numNonVoteTransactions: 0, numTransactions: 0, slot: slot + 1 },
      { ...counted, numNonVoteTransactions: 1, numTransactions: 1, slot },
    ]);
    expect(await latest(0)).toEqual([]);
    expect((await rawCall(fresh, 'getRecentPerformanceSamples', [721])).error?.message).toBe('Invalid limit; max 720');
  });

  test('[L-67] an epoch that is over paid nothing to who had no stake; one that is not has no block for it yet', async () => {
    const address = await newAddress();
    const unknown = [-32004, `Block not available for slot ${EPOCH}`];
    expect(await failure('getInflationReward', [address])).toEqual(unknown);
    const processed = 'Method does not support commitment below `confirmed`';
    expect(await failure('getInflationReward', [address], { commitment: 'processed' })).toEqual([-32602, processed]);
    const old = await freshLedger({ slotMs: 1 });
    await advanceTime(old, { slots: EPOCH + 40 });
    expect((await rawCall(old, 'getInflationReward', [[address]])).result).toEqual([null]);
  });
});
