import type { Ended } from '../journey.js';
import type { Comparison } from './outcome.js';
import { type Entry, historyOf, type Ledger } from './ledgerHistory.js';

/** The expected form of one transaction: its instructions, its sender, and its signature where the service shows that. */
export type Due = readonly [deeds: readonly string[], sender: string, signature: string | null];

/** The names of a kind's transactions. */
export interface Deeds {
  readonly noun: string;
  readonly list: string;
  readonly settle: string;
  readonly cancel: string;
  readonly reclaim: string;
  readonly close: string;
  /** The instructions that may meet another of these, come too late and fail. */
  readonly racing: readonly string[];
}

export const PACKAGE_DEEDS: Deeds = {
  noun: 'package',
  list: 'listPackage',
  settle: 'settle',
  cancel: 'cancelPackage',
  reclaim: 'reclaimPackage',
  close: 'closePackage',
  racing: ['formSwarm', 'cancelPackage'],
};
export const TASK_DEEDS: Deeds = {
  noun: 'task',
  list: 'listTask',
  settle: 'settleTask',
  cancel: 'cancelTask',
  reclaim: 'reclaimTask',
  close: 'closeTask',
  racing: ['assignTaskLeg', 'confirmTaskLeg', 'cancelTask', 'reclaimTask'],
};

/**
 * Compares the transactions of a package or digital task with what became of it: each once, by whom it should be, and nothing
 * else. Where the shipper and the agents met, the one that came too late may have failed.
 *
 * @param worked - the moves that must lie between the listing and the end
 * @returns all of them
 */
export async function compareHistory(
  ledger: Ledger,
  deeds: Deeds,
  ended: Ended,
  worked: readonly Due[],
  comparison: Comparison,
): Promise<Entry[]> {
  const { listing, account } = ended;
  const history = await historyOf(ledger, account);
  const due = [[[deeds.list], listing.funderPubkey, listing.listSignature], ...worked, ...endOf(deeds, ended, history)];
  const racing = racingIn(deeds, ended);
  const counted = history.filter((entry, index) => {
    const [first = ''] = entry.deeds;
    const isLate = entry.failed && racing.some((name) => first.startsWith(name));
    return !isLate && !isDoneAgain(ledger, entry, history.slice(index + 1));
  });
  const found = counted.map(({ failed, deeds: done, sender, signature }, index) => {
    const isShown = due[index]?.[2] != null;
    return [failed ? ['FAILED', ...done] : done, sender, isShown ? signature : null];
  });
  comparison.equal(`${deeds.noun} ${listing.id}: its transactions`, found, due);
  return history;
}

/** Signed by the coordinator while its node was on a fork, and sent when it was not any more: what went before was not there yet. */
export function isDoneAgain({ coordinator }: Ledger, entry: Entry, later: readonly Entry[]): boolean {
  const [wanted] = entry.deeds;
  return (
    entry.failed &&
    entry.sender === coordinator &&
    later.some(({ failed, deeds: [done] }) => !failed && done === wanted)
  );
}

/** The instructions that may have come too late and failed. */
function racingIn({ racing, settle }: Deeds, { raced, settlers }: Ended): string[] {
  return [...(raced ? racing : []), ...(settlers.length > 1 ? [settle] : [])];
}

/** The settler; somebody who may not have settled it is nobody. */
function settlerOf({ listing, settlers }: Ended, history: readonly Entry[]): string {
  const settlement = history.find(({ signature }) => signature === listing.settleSignature);
  return settlers.find((settler) => settler === settlement?.sender) ?? 'nobody';
}

function endOf(deeds: Deeds, ended: Ended, history: readonly Entry[]): Due[] {
  const { listing, endedBy, closed } = ended;
  const due: Due[] = [];
  if (listing.failureReason === null) due.push([[deeds.settle], settlerOf(ended, history), listing.settleSignature]);
  if (listing.failureReason === 'cancelled') due.push([[deeds.cancel], endedBy, listing.endSignature]);
  if (listing.failureReason === 'reclaimed') due.push([[deeds.reclaim], endedBy, listing.endSignature]);
  if (closed) due.push([[deeds.close], listing.funderPubkey, null]);
  return due;
}
