import type { RelayInstruction } from '@legwork/program-client';
import { addTo, type LedgerFacts, noFacts } from '@legwork/program-client/facts';

/** The program's instructions in it. */
export type Transaction = RelayInstruction[];

/** When the first transaction of a history lands, in unix seconds. */
export const BEGAN = 1_800_000_000n;
/** Seconds between one transaction and the next. */
export const STEP = 10n;

/** The node's further word on the transactions; each by its number. */
export interface Told {
  gained?: Readonly<Record<number, Readonly<Record<string, bigint>>>>;
  /** When they landed, where it is not one step after the one before. */
  at?: Readonly<Record<number, bigint | null>>;
}

/** That the history has a gap, or what the program would have refused. */
export class GapError extends Error {}

/** Signatures are `tx0`, `tx1`, ... @throws GapError when a transaction does not fit */
export function replayed(transactions: readonly Transaction[], { gained = {}, at = {} }: Told = {}): LedgerFacts {
  const facts = noFacts();
  transactions.forEach((instructions, index) => {
    const landed = at[index] === undefined ? BEGAN + STEP * BigInt(index) : at[index];
    const gains = new Map(Object.entries(gained[index] ?? {}));
    const misfit = addTo(facts, { signature: `tx${index}`, instructions, at: landed, gained: gains });
    if (misfit) throw new GapError(`${misfit.signature} cannot follow: ${misfit.misfit}`);
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
