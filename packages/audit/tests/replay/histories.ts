import type { RelayInstruction } from '@legwork/program-client';
import { type LedgerFacts, noFacts, replay } from '../../src/replay/replay.js';

/** The program's instructions in it. */
export type Transaction = RelayInstruction[];

/** When the first transaction of a history lands, in unix seconds. */
export const BEGAN = 1_800_000_000n;
/** Seconds between one transaction and the next. */
export const STEP = 10n;

/** What the node says in addition of the transactions; each by its number. */
export interface Told {
  gained?: Readonly<Record<number, Readonly<Record<string, bigint>>>>;
  /** When they landed, where it is not one step after the one before. */
  at?: Readonly<Record<number, bigint | null>>;
}

/** Signatures are `tx0`, `tx1`, ... */
export function replayed(transactions: readonly Transaction[], { gained = {}, at = {} }: Told = {}): LedgerFacts {
  const facts = noFacts();
  transactions.forEach((instructions, index) => {
    const landed = at[index] === undefined ? BEGAN + STEP * BigInt(index) : at[index];
    const gains = new Map(Object.entries(gained[index] ?? {}));
    replay(facts, { signature: `tx${index}`, instructions, at: landed, gained: gains });
  });
  return facts;
}

/** Merges histories into one that keeps the order of each. */
export function interleaved(histories: readonly Transaction[][], picks: readonly number[]): Transaction[] {
  const rest = histories.map((history) => [...history]);
  const merged: Transaction[] = [];
  for (let step = 0; rest.some((history) => history.length > 0); step += 1) {
    const open = rest.filter((history) => history.length > 0);
    merged.push(open[(picks[step % picks.length] ?? 0) % open.length]?.shift() ?? []);
  }
  return merged;
}
