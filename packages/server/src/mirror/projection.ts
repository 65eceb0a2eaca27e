import type { RelayInstruction } from '@legwork/program-client';
import type { Logger } from 'pino';
import type { Trx } from '../db/connect.js';

/**
 * What an instruction was to the mirror: `projected` changed it, `known` is what it has already or does not keep, `foreign`
 * is of something, or of terms, a formation or an assignment, that this service did not make.
 */
export type Projection = 'projected' | 'known' | 'foreign';

/** The instruction with this name. */
export type Named<Name extends RelayInstruction['name']> = Extract<RelayInstruction, { name: Name }>;

/** A ledger transaction on its way into the mirror, in a database transaction that holds the locks of its listings. */
export interface Applying {
  trx: Trx;
  log: Logger;
  signature: string;
  slot: bigint;
  /** All of the program's instructions in it, in the order they ran. */
  instructions: readonly RelayInstruction[];
  /** Whether all that the ledger shows of its listings before it is applied: what does not fit then never will. */
  isInOrder: boolean;
  /** When it landed, by the ledger; undefined: it is about no listing with terms. */
  at: Date | undefined;
}

/** When the transaction landed, by which the clocks of terms count. */
export function landedAt({ at, signature }: Applying): Date {
  if (at === undefined) throw new Error(`transaction ${signature} moves a clock, and its time was not read`);
  return at;
}

/**
 * The outcome of an instruction that was to change something.
 *
 * @param recorded the transaction that the mirror has this fact of; null: it has not got it
 */
export function outcomeOf(hasChanged: boolean, { signature }: Applying, recorded: string | null): Projection {
  if (hasChanged) return 'projected';
  return recorded === signature ? 'known' : 'foreign';
}

/** One of the terms of a listing: what the ledger shows, and what the draft says. */
type Term = [name: string, found: unknown, wanted: unknown];

/** Returns in words what of a listing is not as its draft says. */
export function departuresAmong(terms: readonly Term[]): string[] {
  return terms
    .filter(([, found, wanted]) => found !== wanted)
    .map(([name, found, wanted]) => `its ${name} is ${String(found)} instead of ${String(wanted)}`);
}
