import type { Account } from '../account.js';
import { fromBase58, keyOf, type Key } from '../keys.js';

export const STAKE_PROGRAM = fromBase58('Stake11111111111111111111111111111111111111');

export const VOTE_PROGRAM = fromBase58('Vote111111111111111111111111111111111111111');

/** Bytes of a stake account. */
const SIZE = 200;
/** The number that the data of a delegated one begins with. */
const DELEGATED = 2;
const RESERVE_AT = 4;
const STAKER_AT = 12;
const WITHDRAWER_AT = 44;
const VOTER_AT = 124;
const STAKE_AT = 156;
const ACTIVATION_AT = 164;
const DEACTIVATION_AT = 172;
const CREDITS_AT = 188;

const NEVER = 2n ** 64n - 1n;

/** A stake that was delegated to a vote account; lamports, epochs and credits. */
export type Delegation = {
  readonly voter: Key;
  readonly stake: bigint;
  /**
   * The epoch in which it was delegated; `NEVER` for a stake of the genesis, which counts from the first
   * slot.
   */
  readonly activation: bigint;
  readonly deactivation: bigint;
  /** The credits of the vote account for which it was paid, or that were there before it. */
  readonly credits: bigint;
};

/** Reads an account of the stake program; undefined when it is not delegated. */
export function readDelegation(account: Account | undefined): Delegation | undefined {
  if (account === undefined || account.data.length < SIZE || Buffer.compare(account.owner, STAKE_PROGRAM) !== 0) {
    return undefined;
  }
  const bytes = Buffer.from(account.data.buffer, account.data.byteOffset, account.data.byteLength);
  if (bytes.readUInt32LE(0) !== DELEGATED) return undefined;
  return {
    voter: keyOf(bytes.subarray(VOTER_AT, STAKE_AT)),
    stake: bytes.readBigUInt64LE(STAKE_AT),
    activation: bytes.readBigUInt64LE(ACTIVATION_AT),
    deactivation: bytes.readBigUInt64LE(DEACTIVATION_AT),
    credits: bytes.readBigUInt64LE(CREDITS_AT),
  };
}

/**
 * A stake account that was paid a reward, in lamports, for what the vote account earned up to these credits.
 */
export function rewarded(account: Account, reward: bigint, credits: bigint): Account {
  const data = Buffer.from(account.data);
  data.writeBigUInt64LE(data.readBigUInt64LE(STAKE_AT) + reward, STAKE_AT);
  data.writeBigUInt64LE(credits, CREDITS_AT);
  return { ...account, lamports: account.lamports + reward, data };
}

/**
 * The stake of a genesis, as that of a test validator: all above the reserve, which keeps the account, counts
 * from the first slot.
 */
export function genesisStake(lamports: bigint, reserve: bigint, owner: Uint8Array, voter: Uint8Array): Account {
  const data = Buffer.alloc(SIZE);
  data.writeUInt32LE(DELEGATED, 0);
  data.writeBigUInt64LE(reserve, RESERVE_AT);
  data.set(owner, STAKER_AT);
  data.set(owner, WITHDRAWER_AT);
  data.set(voter, VOTER_AT);
  data.writeBigUInt64LE(lamports - reserve, STAKE_AT);
  data.writeBigUInt64LE(NEVER, ACTIVATION_AT);
  data.writeBigUInt64LE(NEVER, DEACTIVATION_AT);
  return { lamports, data, owner: STAKE_PROGRAM, executable: false, rentEpoch: 0n };
}

/**
 * The stake of a cluster, or of one account, in an epoch: what counts, and what begins and ceases to; in
 * lamports.
 */
export type StakeStatus = { readonly effective: bigint; readonly activating: bigint; readonly deactivating: bigint };

/** The cluster's stake in an epoch that is over. */
export type StakeHistory = (epoch: bigint) => StakeStatus | undefined;

/** What may change in an epoch: nine hundredths of what counted in the one before. */
const RATE_BPS = 900n;
const BPS = 10_000n;

/** The share of one account in what changes: at least a lamport, so that it comes to an end. */
function allowance(own: bigint, all: bigint, effective: bigint): bigint {
  const share = own === 0n || all === 0n || effective === 0n ? 0n : (own * effective * RATE_BPS) / (all * BPS);
  const limited = share < own ? share : own;
  return limited > 1n ? limited : 1n;
}

/**
 * The status of a delegation in an epoch, as the stake program and Agave 4.2 reckon it (SIMD-0391). Rule
 * L-87.
 */
export function statusOf(delegation: Delegation, epoch: bigint, history: StakeHistory): StakeStatus {
  const { effective, activating } = warmedUp(delegation, epoch, history);
  const { deactivation } = delegation;
  if (epoch < deactivation) return { effective, activating, deactivating: 0n };
  if (epoch === deactivation) return { effective, activating: 0n, deactivating: effective };
  let rest = effective;
  let past = history(deactivation);
  if (past === undefined) return { effective: 0n, activating: 0n, deactivating: 0n };
  for (let next = deactivation + 1n; past !== undefined && past.deactivating > 0n; next += 1n) {
    const gone = allowance(rest, past.deactivating, past.effective);
    rest = gone < rest ? rest - gone : 0n;
    if (rest === 0n || next >= epoch) break;
    past = history(next);
  }
  return { effective: rest, activating: 0n, deactivating: rest };
}

function warmedUp(
  { stake, activation, deactivation }: Delegation,
  epoch: bigint,
  history: StakeHistory,
): { readonly effective: bigint; readonly activating: bigint } {
  if (activation === NEVER) return { effective: stake, activating: 0n };
  if (activation === deactivation || epoch < activation) return { effective: 0n, activating: 0n };
  if (epoch === activation) return { effective: 0n, activating: stake };
  let past = history(activation);
  if (past === undefined) return { effective: stake, activating: 0n };
  let effective = 0n;
  for (let next = activation + 1n; past !== undefined && past.activating > 0n; next += 1n) {
    effective += allowance(stake - effective, past.activating, past.effective);
    if (effective >= stake) return { effective: stake, activating: 0n };
    if (next >= epoch || next >= deactivation) break;
    past = history(next);
  }
  return { effective, activating: stake - effective };
}
