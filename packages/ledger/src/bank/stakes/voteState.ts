import type { Moment } from '../sysvars.js';

/** Bytes of a vote account. */
export const VOTE_SIZE = 3762;
const VERSION_4 = 3;

/** Votes that a vote account holds: with one more, the oldest is final. */
const LOCKOUTS = 31;
/** Credits for a vote that lands in the next slot. */
const CREDITS_PER_VOTE = 16n;
/** Epochs whose credits a vote account tells. */
const CREDIT_EPOCHS = 64;

/**
 * The latest slot that our node voted for when this one is the latest of all, and the latest that this made
 * final.
 */
export function votesAt(slot: number): { readonly last: number; readonly root: number } {
  return { last: Math.max(0, slot - 1), root: Math.max(0, slot - 1 - LOCKOUTS) };
}

/** How many votes there are on a slot, its own and those above, up to 31; undefined before there is one. */
export function confirmationsOf(slot: number, latest: number): number | undefined {
  const { last } = votesAt(latest);
  return slot > last ? undefined : Math.min(LOCKOUTS, last - slot);
}

export type EpochCredits = { readonly epoch: number; readonly credits: bigint; readonly before: bigint };

/** What the vote account earned in an epoch, up to a slot: a vote counts once it is final. */
export function creditsIn(epoch: number, slot: number, slotsPerEpoch: number): EpochCredits {
  const [begin, end] = [epoch * slotsPerEpoch, (epoch + 1) * slotsPerEpoch];
  return { epoch, credits: creditsAt(Math.min(slot, end - 1)), before: creditsAt(begin - 1) };
}

function creditsAt(slot: number): bigint {
  return slot < 0 ? 0n : CREDITS_PER_VOTE * BigInt(votesAt(slot).root);
}

/**
 * The data of our node's vote account in a slot. It votes for each slot in the next one, so all of it follows
 * from the slot, as it does for sysvars: nothing is stored. Rule L-87.
 */
export function voteStateData(
  { slot, epoch, now }: Moment,
  { node, vote }: { readonly node: Uint8Array; readonly vote: Uint8Array },
  slotsPerEpoch: number,
): Uint8Array {
  const { last, root } = votesAt(slot);
  const votes = Array.from({ length: last - root }, (_, index) => root + 1 + index);
  const voters = epoch === 0 ? [0] : [epoch - 1, epoch];
  const credits = allCredits(epoch, slot, slotsPerEpoch);
  const written = [
    u32(VERSION_4),
    // Who votes, who may withdraw, who collects rewards and who collects fees.
    node,
    vote,
    vote,
    node,
    // No commissions, nothing owed to delegators, and no key of another consensus.
    new Uint8Array(2 + 2 + 8 + 1),
    u64(votes.length),
    ...votes.flatMap((voted) => [Uint8Array.of(1), u64(voted), u32(last - voted + 1)]),
    ...(slot === 0 ? [Uint8Array.of(0)] : [Uint8Array.of(1), u64(root)]),
    u64(voters.length),
    ...voters.flatMap((one) => [u64(one), vote]),
    u64(credits.length),
    ...credits.flatMap((one) => [u64(one.epoch), u64(one.credits), u64(one.before)]),
    u64(last),
    u64(slot === 0 ? 0 : now),
  ];
  return Buffer.concat(written, VOTE_SIZE);
}

function u32(value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function u64(value: number | bigint): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function allCredits(epoch: number, slot: number, slotsPerEpoch: number): EpochCredits[] {
  if (slot === 0) return [];
  const first = Math.max(0, epoch - CREDIT_EPOCHS + 1);
  return Array.from({ length: epoch - first + 1 }, (_, index) => creditsIn(first + index, slot, slotsPerEpoch));
}
