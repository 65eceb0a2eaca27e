import type { RelayInstruction } from '@legwork/program-client';
import { type LedgerFacts, noFacts, replay } from '../../src/replay/replay.js';

/** The program's instructions in it. */
export type Transaction = RelayInstruction[];

/** Signatures are `tx0`, `tx1`, ... */
export function replayed(transactions: readonly Transaction[]): LedgerFacts {
  const facts = noFacts();
  transactions.forEach((instructions, index) => replay(facts, { signature: `tx${index}`, instructions }));
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
