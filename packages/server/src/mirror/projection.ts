import type { RelayInstruction } from '@legwork/program-client';

/**
 * What an instruction was to the mirror: `projected` changed it, `known` is what it has already or does not keep, `foreign`
 * is of something, or of terms, a formation or an assignment, that this service did not make.
 */
export type Projection = 'projected' | 'known' | 'foreign';

/** The instruction with this name. */
export type Named<Name extends RelayInstruction['name']> = Extract<RelayInstruction, { name: Name }>;

/** An instruction in the transaction that it came with. */
export interface Landed {
  signature: string;
  /** All of the program's instructions in it, in the order they ran. */
  instructions: readonly RelayInstruction[];
}

/** The outcome of an instruction that the mirror has already unless it changes something. */
export const changed = (done: boolean): Projection => (done ? 'projected' : 'known');

/** One of the terms of a listing: what the ledger shows, and what the draft says. */
type Term = [name: string, found: unknown, wanted: unknown];

/** Returns in words what of a listing is not as its draft says. */
export function departuresAmong(terms: readonly Term[]): string[] {
  return terms
    .filter(([, found, wanted]) => found !== wanted)
    .map(([name, found, wanted]) => `its ${name} is ${String(found)} instead of ${String(wanted)}`);
}
