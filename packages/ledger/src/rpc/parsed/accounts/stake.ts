import { DataReader, type Parsed, UnreadableDataError } from './dataReader.js';
import { toBase58 } from '../../../bank/keys.js';

/** A stake account. */
export function parseStake(data: Uint8Array): Parsed | undefined {
  const reader = new DataReader(data);
  const state = reader.u32();
  if (state === 0) return { type: 'uninitialized' };
  if (state === 1) return { type: 'initialized', info: { meta: readMeta(reader), stake: null } };
  if (state === 2) {
    const info = { meta: readMeta(reader), stake: readStake(reader) };
    reader.u8(); // its flags
    return { type: 'delegated', info };
  }
  return state === 3 ? { type: 'rewardsPool' } : undefined;
}

function readMeta(reader: DataReader): object {
  return {
    rentExemptReserve: String(reader.u64()),
    authorized: { staker: reader.key(), withdrawer: reader.key() },
    lockup: { unixTimestamp: reader.i64(), epoch: reader.u64(), custodian: reader.key() },
  };
}

function readStake(reader: DataReader): object {
  const delegation = {
    voter: reader.key(),
    stake: String(reader.u64()),
    activationEpoch: String(reader.u64()),
    deactivationEpoch: String(reader.u64()),
  };
  reader.f64(); // a rate that no longer counts
  return { delegation, creditsObserved: reader.u64() };
}

export function parseVote(data: Uint8Array, address: Uint8Array): Parsed {
  return { type: 'vote', info: readVoteState(data, address) };
}

/** A vote account's state; undefined when its bytes are none, or nobody was set to vote with it. */
export function readVote(data: Uint8Array, address: Uint8Array): ReturnType<typeof readVoteState> | undefined {
  try {
    const state = readVoteState(data, address);
    return state.authorizedVoters.length === 0 ? undefined : state;
  } catch (error) {
    if (error instanceof UnreadableDataError) return undefined;
    throw error;
  }
}

/** Those of versions 1 and 2 are shown as what they become in version 3; version 0 is not read. */
function readVoteState(data: Uint8Array, address: Uint8Array) {
  const reader = new DataReader(data);
  const version = reader.u32();
  if (version < 1 || version > 3) throw new UnreadableDataError();
  const nodePubkey = reader.key();
  const authorizedWithdrawer = reader.key();
  const money = version === 3 ? readMoney(reader) : oldMoney(reader, nodePubkey, address);
  const votes = readVotes(reader, version > 1);
  const rootSlot = reader.option(() => reader.u64());
  const authorizedVoters = readAuthorizedVoters(reader);
  if (version < 3) reader.bytes(PRIOR_VOTERS_BYTES);
  const epochCredits = reader.list(() => ({
    epoch: reader.u64(),
    credits: String(reader.u64()),
    previousCredits: String(reader.u64()),
  }));
  const lastTimestamp = { slot: reader.u64(), timestamp: reader.i64() };
  const names = { nodePubkey, authorizedWithdrawer, ...money };
  const history = { votes, rootSlot, authorizedVoters, priorVoters: [], epochCredits, lastTimestamp };
  return { ...names, ...history };
}

/** Thirty-two earlier voters, each a key and two epochs, then the place of the latest and whether there is none. */
const PRIOR_VOTERS_BYTES = 32 * 48 + 8 + 1;

type VoteMoney = {
  readonly inflationRewardsCollector: string;
  readonly blockRevenueCollector: string;
  readonly commission: number;
  readonly inflationRewardsCommissionBps: number;
  readonly blockRevenueCommissionBps: number;
  readonly pendingDelegatorRewards: string;
  readonly blsPubkeyCompressed: string | null;
};

/** The collectors of rewards and revenue, and their shares. */
function readMoney(reader: DataReader): VoteMoney {
  const inflationRewardsCollector = reader.key();
  const blockRevenueCollector = reader.key();
  const inflationRewardsCommissionBps = reader.u16();
  return {
    inflationRewardsCollector,
    blockRevenueCollector,
    commission: Math.min(255, Math.ceil(inflationRewardsCommissionBps / 100)),
    inflationRewardsCommissionBps,
    blockRevenueCommissionBps: reader.u16(),
    pendingDelegatorRewards: String(reader.u64()),
    blsPubkeyCompressed: reader.option(() => toBase58(reader.bytes(48))),
  };
}

function oldMoney(reader: DataReader, nodePubkey: string, address: Uint8Array): VoteMoney {
  const commission = reader.u8();
  return {
    inflationRewardsCollector: toBase58(address),
    blockRevenueCollector: nodePubkey,
    commission,
    inflationRewardsCommissionBps: commission * 100,
    blockRevenueCommissionBps: 10_000,
    pendingDelegatorRewards: '0',
    blsPubkeyCompressed: null,
  };
}

function readVotes(reader: DataReader, hasLatency: boolean) {
  return reader.list(() => {
    const latency = hasLatency ? reader.u8() : 0;
    return { latency, slot: reader.u64(), confirmationCount: reader.u32() };
  });
}

/** In the order of epochs; of several for one epoch, the last counts. */
function readAuthorizedVoters(reader: DataReader) {
  const byEpoch = new Map(reader.list(() => [reader.u64(), reader.key()] as const));
  const sorted = [...byEpoch].sort(([one], [other]) => Number(one - other));
  return sorted.map(([epoch, authorizedVoter]) => ({ epoch, authorizedVoter }));
}
