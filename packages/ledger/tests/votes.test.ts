import {
  AccountRole,
  address as addressOf,
  generateKeyPairSigner,
  getBase58Encoder,
  type Address,
  type Instruction,
  type KeyPairSigner,
} from '@solana/kit';
import { getCreateAccountInstruction } from '@solana-program/system';
import { describe, expect, test } from 'vitest';
import type { Ledger } from '@legwork/ledger';
import {
  advanceTime,
  balanceOf,
  clientOf,
  freshLedger,
  fundedSigner,
  newAddress,
  rawCall,
  send,
  signTransaction,
  signTransfer,
  SOL,
  temporaryFolder,
} from './support/ledger.js';
import { rawSocket } from './support/webSocket.js';

const EPOCH = 432_000;
/** What is delegated to the validator from the first slot, in lamports. */
const STAKE = 999_999_997_717_120n;
const RESERVE = 2_282_880n;
const STAKE_PROGRAM = addressOf('Stake11111111111111111111111111111111111111');
const STAKE_HISTORY = addressOf('SysvarStakeHistory1111111111111111111111111');
const CLOCK = addressOf('SysvarC1ock11111111111111111111111111111111');
const RENT = addressOf('SysvarRent111111111111111111111111111111111');
const CONFIG = addressOf('StakeConfig11111111111111111111111111111111');
const CONFIRMED = { commitment: 'confirmed' } as const;

type Voter = {
  readonly activatedStake: bigint;
  readonly epochCredits: readonly (readonly bigint[])[];
  readonly lastVote: bigint;
  readonly rootSlot: bigint;
  readonly votePubkey: Address;
};

async function result(ledger: Ledger, method: string, ...params: unknown[]): Promise<unknown> {
  const answer = await rawCall(ledger, method, params);
  if (answer.error !== undefined) throw new Error(answer.error.message);
  return answer.result;
}

async function voterOf(ledger: Ledger, commitment: 'confirmed' | 'finalized' = 'confirmed'): Promise<Voter> {
  const { current, delinquent } = await clientOf(ledger).rpc.getVoteAccounts({ commitment }).send();
  expect([current.length, delinquent]).toEqual([1, []]);
  const [voter] = current;
  if (voter === undefined) throw new Error('nobody votes');
  return voter;
}

const slotOf = async (ledger: Ledger, commitment: 'confirmed' | 'finalized' = 'confirmed'): Promise<bigint> =>
  clientOf(ledger).rpc.getSlot({ commitment }).send();

async function toEpoch(ledger: Ledger, epoch: number): Promise<void> {
  const slot = Number(await slotOf(ledger));
  await advanceTime(ledger, { slots: epoch * EPOCH + 1 - slot });
}

const readonly = (address: Address) => ({ address, role: AccountRole.READONLY }) as const;
const writable = (address: Address) => ({ address, role: AccountRole.WRITABLE }) as const;
const authority = (signer: KeyPairSigner) =>
  ({ address: signer.address, role: AccountRole.READONLY_SIGNER, signer }) as const;

function stakeInstruction(number: number, accounts: Instruction['accounts'], ...data: Uint8Array[]): Instruction {
  const head = Buffer.alloc(4);
  head.writeUInt32LE(number);
  return { programAddress: STAKE_PROGRAM, accounts: accounts ?? [], data: Buffer.concat([head, ...data]) };
}

async function run(ledger: Ledger, payer: KeyPairSigner, instructions: readonly Instruction[]): Promise<void> {
  const client = clientOf(ledger);
  await send(client, await signTransaction(client, payer, instructions));
}

/** Delegates so many lamports of a wallet to the validator. */
async function delegate(ledger: Ledger, owner: KeyPairSigner, lamports: bigint): Promise<Address> {
  const stake = await generateKeyPairSigner();
  const create = getCreateAccountInstruction({
    payer: owner,
    newAccount: stake,
    lamports: RESERVE + lamports,
    space: 200,
    programAddress: STAKE_PROGRAM,
  });
  const key = Uint8Array.from(getBase58Encoder().encode(owner.address));
  const initialise = stakeInstruction(0, [writable(stake.address), readonly(RENT)], key, key, new Uint8Array(48));
  const { votePubkey } = await voterOf(ledger);
  const sysvars = [readonly(CLOCK), readonly(STAKE_HISTORY), readonly(CONFIG)];
  const accounts = [writable(stake.address), readonly(votePubkey), ...sysvars, authority(owner)];
  await run(ledger, owner, [create, initialise, stakeInstruction(2, accounts)]);
  return stake.address;
}

const deactivate = (stake: Address, owner: KeyPairSigner): Instruction =>
  stakeInstruction(5, [writable(stake), readonly(CLOCK), authority(owner)]);

function withdraw(stake: Address, owner: KeyPairSigner, lamports: bigint): Instruction {
  const amount = Buffer.alloc(8);
  amount.writeBigUInt64LE(lamports);
  const accounts = [
    writable(stake),
    writable(owner.address),
    readonly(CLOCK),
    readonly(STAKE_HISTORY),
    authority(owner),
  ];
  return stakeInstruction(4, accounts, amount);
}

async function historyOf(ledger: Ledger): Promise<unknown[]> {
  const params = [STAKE_HISTORY, { encoding: 'jsonParsed', ...CONFIRMED }];
  const { value } = (await result(ledger, 'getAccountInfo', ...params)) as {
    value: { data: { parsed: { info: { epoch: number; stakeHistory: object }[] } } };
  };
  return value.data.parsed.info.map(({ epoch, stakeHistory }) => ({ epoch, ...stakeHistory }));
}

const rewardsOf = async (ledger: Ledger, epoch: number, ...addresses: Address[]): Promise<unknown> =>
  result(ledger, 'getInflationReward', addresses, { epoch, ...CONFIRMED });

/** Slots that do not pass by themselves. */
const STILL = { slotMs: 60_000 } as const;

describe('the validator', () => {
  test.each(['confirmed', 'finalized'] as const)(
    '[L-87] has voted on every slot but the latest at %s, and its credits are those of final votes, also after a jump',
    async (commitment) => {
      const ledger = await freshLedger(STILL);
      for (const slots of [0, 1, 40, 5_000, 1]) {
        if (slots > 0) await advanceTime(ledger, { slots });
        const [slot, voter] = [await slotOf(ledger, commitment), await voterOf(ledger, commitment)];
        const root = slot > 32n ? slot - 32n : 0n;
        expect(voter).toMatchObject({ activatedStake: STAKE, lastVote: slot - 1n, rootSlot: root });
        expect(voter.epochCredits).toEqual([[0n, 16n * root, 0n]]);
      }
    },
  );

  test('[L-87] its vote account tells the same to who reads it, finds it by its program, or follows it', async () => {
    const ledger = await freshLedger(STILL);
    const { votePubkey } = await voterOf(ledger);
    const socket = await rawSocket(ledger.wsUrl);
    await socket.call('accountSubscribe', [votePubkey, { encoding: 'jsonParsed', ...CONFIRMED }]);
    const { slot } = await advanceTime(ledger, { slots: 50 });
    const listed = (await result(ledger, 'getProgramAccounts', 'Vote111111111111111111111111111111111111111', {
      encoding: 'jsonParsed',
      ...CONFIRMED,
    })) as { pubkey: string; account: { data: { parsed: { info: { votes: object[] } } } } }[];
    expect(listed.map(({ pubkey }) => pubkey)).toEqual([votePubkey]);
    const { votes } = listed[0]?.account.data.parsed.info ?? {};
    expect(votes).toEqual(
      Array.from({ length: 31 }, (_, index) => ({
        confirmationCount: 31 - index,
        latency: 1,
        slot: slot - 31 + index,
      })),
    );
    const { value } = (await result(ledger, 'getAccountInfo', votePubkey, {
      encoding: 'jsonParsed',
      ...CONFIRMED,
    })) as {
      value: unknown;
    };
    expect(value).toEqual(listed[0]?.account);
    // One for each slot that is not final yet.
    const told: { context: { slot: number }; value: unknown }[] = [];
    while (told.at(-1)?.context.slot !== slot) {
      const { params } = (await socket.take(({ method }) => method === 'accountNotification')) as {
        params: { result: (typeof told)[number] };
      };
      told.push(params.result);
    }
    expect(told.at(-1)?.value).toEqual(value);
    expect(told.map((one) => one.context.slot)).toEqual(
      Array.from({ length: told.length }, (_, i) => slot - told.length + 1 + i),
    );
  });

  test('[L-87] its votes are no transactions, and an idle ledger stores none', async () => {
    const ledger = await freshLedger(STILL);
    const { slot } = await advanceTime(ledger, { slots: 1_000 });
    expect(await result(ledger, 'getTransactionCount', CONFIRMED)).toBe(0);
    expect(await result(ledger, 'getBlock', slot - 500)).toMatchObject({ transactions: [], rewards: [] });
    const { votePubkey } = await voterOf(ledger);
    expect(await result(ledger, 'getSignaturesForAddress', votePubkey, CONFIRMED)).toEqual([]);
    const { call } = await rawSocket(ledger.wsUrl);
    expect((await call('voteSubscribe')).error?.code).toBe(-32601);
  });

  test('[L-87] subscribers are told of its votes where they ask for them', async () => {
    const ledger = await freshLedger({ ...STILL, rpcPubsubEnableVoteSubscription: true });
    const { votePubkey } = await voterOf(ledger);
    const { call, take, frames } = await rawSocket(ledger.wsUrl);
    const ids: unknown[] = [];
    for (const [method, ...params] of [
      ['voteSubscribe'],
      ['logsSubscribe', 'allWithVotes', CONFIRMED],
      ['logsSubscribe', { mentions: [votePubkey] }],
      ['logsSubscribe', 'all', CONFIRMED],
    ] as const) {
      ids.push((await call(method, params)).result);
    }
    const toldOf = async (id: unknown): Promise<unknown> => {
      const { params } = await take(({ params: one }) => (one as { subscription?: unknown })?.subscription === id);
      return (params as { result: unknown }).result;
    };
    await advanceTime(ledger, { slots: 3 });
    const vote = { votePubkey, signature: expect.any(String), hash: expect.any(String), timestamp: expect.any(Number) };
    const first = (await toldOf(ids[0])) as { slots: [number]; signature: string };
    expect(first).toEqual({ ...vote, slots: [expect.any(Number)] });
    const [slot] = first.slots;
    const program = 'Vote111111111111111111111111111111111111111';
    const logs = [`Program ${program} invoke [1]`, `Program ${program} success`];
    const told = async (id: unknown): Promise<unknown> => {
      for (;;) {
        const log = (await toldOf(id)) as { value: { signature: string } };
        if (log.value.signature === first.signature) return log;
      }
    };
    // It lands in the next slot, and is told there, or once that is final.
    const landed = { context: { slot: slot + 1 }, value: { signature: first.signature, err: null, logs } };
    expect(await told(ids[1])).toEqual(landed);
    await advanceTime(ledger, { slots: 40 });
    expect(await told(ids[2])).toEqual(landed);
    const isOfAll = ({ params }: { params?: unknown }): boolean =>
      (params as { subscription?: unknown } | undefined)?.subscription === ids[3];
    expect(frames.filter(isOfAll)).toEqual([]);
    expect(await result(ledger, 'getTransactionCount', CONFIRMED)).toBe(0);
  });

  test('[L-87] tells how much stake has voted on a block, and how often', async () => {
    const ledger = await freshLedger(STILL);
    const { slot } = await advanceTime(ledger, { slots: 100 });
    const on = async (block: number): Promise<unknown> => result(ledger, 'getBlockCommitment', block);
    const total = Number(STAKE);
    const at = (index: number): unknown => ({
      commitment: Array.from({ length: 32 }, (_, count) => (count === index ? total : 0)),
      totalStake: total,
    });
    expect(await on(slot)).toEqual({ commitment: null, totalStake: total });
    expect(await on(slot - 1)).toEqual(at(0));
    expect(await on(slot - 31)).toEqual(at(30));
    expect(await on(slot - 32)).toEqual(at(31));
    expect(await on(0)).toEqual(at(31));
  });

  test('[L-87] is listed alone, by its address, and not as delinquent unless the distance is none', async () => {
    const ledger = await freshLedger(STILL);
    await advanceTime(ledger, { slots: 200 });
    const { votePubkey } = await voterOf(ledger);
    const none = { current: [], delinquent: [] };
    expect(await result(ledger, 'getVoteAccounts', { votePubkey: await newAddress() })).toEqual(none);
    expect(await result(ledger, 'getVoteAccounts', { votePubkey })).toMatchObject({ current: [{ votePubkey }] });
    const strict = await result(ledger, 'getVoteAccounts', { delinquentSlotDistance: 1 });
    expect(strict).toMatchObject({ current: [], delinquent: [{ votePubkey }] });
  });

  test('[L-87] lamports that somebody sends to its vote account stay there', async () => {
    const dataDir = temporaryFolder();
    const ledger = await freshLedger({ ...STILL, dataDir });
    const client = clientOf(ledger);
    const { votePubkey } = await voterOf(ledger);
    const before = await balanceOf(client, votePubkey);
    await send(client, await signTransfer(client, await fundedSigner(client), votePubkey, SOL));
    await advanceTime(ledger, { slots: 3 });
    expect(await balanceOf(client, votePubkey)).toBe(before + SOL);
    await ledger.close();
    const again = await freshLedger({ ...STILL, dataDir });
    expect(await balanceOf(clientOf(again), votePubkey)).toBe(before + SOL);
    expect((await voterOf(again)).lastVote).toBe((await slotOf(again)) - 1n);
  });
});

describe('stake', () => {
  test('[L-87] warms up by nine hundredths of what counted before, counts for the validator, and cools down', async () => {
    const ledger = await freshLedger(STILL);
    const owner = await fundedSigner(clientOf(ledger), 300_000n * SOL);
    const stake = await delegate(ledger, owner, 200_000n * SOL);
    const { activatedStake: before } = await voterOf(ledger);
    expect(before).toBe(STAKE);
    await toEpoch(ledger, 1);
    const first = (STAKE * 900n) / 10_000n;
    expect((await voterOf(ledger)).activatedStake - first).toBeGreaterThanOrEqual(STAKE);
    expect(await historyOf(ledger)).toEqual([
      { epoch: 0, effective: Number(STAKE), activating: Number(200_000n * SOL), deactivating: 0 },
    ]);
    await expect(run(ledger, owner, [withdraw(stake, owner, SOL)])).rejects.toThrow('simulation failed');
    await toEpoch(ledger, 4);
    const [latest] = (await historyOf(ledger)) as { activating: number }[];
    expect(latest?.activating).toBe(0);

    await run(ledger, owner, [deactivate(stake, owner)]);
    await expect(run(ledger, owner, [withdraw(stake, owner, 100_000n * SOL)])).rejects.toThrow('simulation failed');
    const had = await balanceOf(clientOf(ledger), stake);
    await toEpoch(ledger, 8);
    await run(ledger, owner, [withdraw(stake, owner, await balanceOf(clientOf(ledger), stake))]);
    expect(await balanceOf(clientOf(ledger), stake)).toBe(0n);
    expect(await balanceOf(clientOf(ledger), owner.address)).toBeGreaterThan(had);
  });

  test('[L-67] [L-87] an epoch that is over paid its stakers once, as its blocks, balances, supply and sysvars say', async () => {
    const dataDir = temporaryFolder();
    const ledger = await freshLedger({ ...STILL, dataDir, features: 'mainnet-beta' });
    const client = clientOf(ledger);
    const owner = await fundedSigner(client, 200_000n * SOL);
    const own = await delegate(ledger, owner, 50_000n * SOL);
    const [{ pubkey: genesis } = { pubkey: own }] = (
      (await result(ledger, 'getProgramAccounts', STAKE_PROGRAM, { encoding: 'base64', ...CONFIRMED })) as {
        pubkey: Address;
      }[]
    ).filter(({ pubkey }) => pubkey !== own);
    const supply = async (of: Ledger): Promise<bigint> =>
      (
        await clientOf(of)
          .rpc.getSupply({ ...CONFIRMED, excludeNonCirculatingAccountsList: true })
          .send()
      ).value.total;
    const before = await supply(ledger);
    await toEpoch(ledger, 1);
    // A year has 182.6 epochs of 432,000 slots of 400 ms.
    const years = (EPOCH * 0.4) / (365.242199 * 24 * 60 * 60);
    const due = BigInt(Math.floor(0.95 * 0.08 * 0.85 ** years * Number(before) * years));
    expect((await supply(ledger)) - before).toBe(due);
    const { votePubkey } = await voterOf(ledger);
    expect(await rewardsOf(ledger, 0, genesis, own, votePubkey, owner.address)).toEqual([
      {
        amount: Number(due),
        commission: null,
        effectiveSlot: EPOCH + 1,
        epoch: 0,
        postBalance: Number(STAKE + RESERVE + due),
      },
      // Delegated in this epoch.
      { amount: 0, commission: null, effectiveSlot: EPOCH + 1, epoch: 0, postBalance: Number(50_000n * SOL + RESERVE) },
      { amount: 0, commission: null, effectiveSlot: EPOCH, epoch: 0, postBalance: 1_000_000 * Number(SOL) },
      null,
    ]);
    expect(await balanceOf(client, genesis)).toBe(STAKE + RESERVE + due);
    await toEpoch(ledger, 2);
    const second = (await rewardsOf(ledger, 1, genesis, own)) as { amount: number }[];
    expect(second[1]?.amount).toBeGreaterThan(0);
    expect(await result(ledger, 'getBlock', 2 * EPOCH, { ...CONFIRMED, transactionDetails: 'none' })).toMatchObject({
      numRewardPartitions: 1,
      rewards: [{ pubkey: votePubkey, lamports: 0, rewardType: 'Voting', commission: null }],
    });
    await advanceTime(ledger, { slots: 1 });
    const block = (await result(ledger, 'getBlock', 2 * EPOCH + 1, { ...CONFIRMED, transactionDetails: 'none' })) as {
      rewards: { pubkey: string; lamports: number; rewardType: string }[];
    };
    expect(new Map(block.rewards.map(({ pubkey, lamports }) => [pubkey, lamports]))).toEqual(
      new Map([genesis, own].map((one, index) => [one, second[index]?.amount])),
    );
    const after = await supply(ledger);
    const history = await historyOf(ledger);
    await ledger.close();

    const again = await freshLedger({ ...STILL, dataDir });
    expect([await supply(again), await historyOf(again), await rewardsOf(again, 1, genesis, own)]).toEqual([
      after,
      history,
      second,
    ]);
    await advanceTime(again, { slots: 100 });
    expect(await supply(again)).toBe(after);
  });

  test('[L-82] [L-87] going back to a snapshot takes rewards back, but not the time of the vote', async () => {
    const ledger = await freshLedger(STILL);
    const { votePubkey } = await voterOf(ledger);
    const snapshot = await result(ledger, 'relay_snapshot');
    const before = await result(ledger, 'getSupply', { ...CONFIRMED, excludeNonCirculatingAccountsList: true });
    await toEpoch(ledger, 1);
    const paid = await result(ledger, 'getSupply', { ...CONFIRMED, excludeNonCirculatingAccountsList: true });
    expect(paid).not.toMatchObject({ value: (before as { value: unknown }).value });
    await result(ledger, 'relay_restore', snapshot);
    const restored = await result(ledger, 'getSupply', { ...CONFIRMED, excludeNonCirculatingAccountsList: true });
    expect(restored).toMatchObject({ value: (before as { value: unknown }).value });
    expect(await voterOf(ledger)).toMatchObject({ votePubkey, lastVote: (await slotOf(ledger)) - 1n });
    expect(await historyOf(ledger)).toHaveLength(1);
  });

  test('[L-67] [L-86] inflation follows the length of slots that the features set', async () => {
    const rate = async (features: string): Promise<unknown> => {
      const ledger = await freshLedger({ ...STILL, features });
      await advanceTime(ledger, { slots: 3 * EPOCH + 100 });
      return result(ledger, 'getInflationRate');
    };
    const after = (seconds: number): number => 0.08 * 0.85 ** (seconds / (365.242199 * 24 * 60 * 60));
    expect(await rate('mainnet-beta')).toMatchObject({ epoch: 3, total: after(3 * EPOCH * 0.4) });
    expect(await rate('agave-4.2')).toMatchObject({ epoch: 3, total: after(EPOCH * 0.4 + 2 * EPOCH * 0.2) });
  });
});
