import { type Assets } from '../ledger/assets.js';
import type { RelayInstruction } from '@legwork/program-client';
import type { Logger } from 'pino';
import type { Trx } from '../db/connect.js';
import { isNext, type NewIntent } from '../db/outbox.js';
import { atEnd } from '../db/transaction.js';
import { formedSwarm, formingSwarm, type SwarmWithLegs } from '../packages/swarmRows.js';
import type { HandOff } from '../outbox/handOff.js';

/**
 * The relation of an instruction to the mirror: `projected` changed it, `known` is what it has already or does not keep, `foreign`
 * is of something, or of terms, a formation or an assignment, that this service did not make.
 */
export type Projection = 'projected' | 'known' | 'foreign';

/** A ledger transaction on its way into the mirror, in a database transaction that holds the locks of its listings. */
export interface Applying {
  trx: Trx;
  log: Logger;
  /** Where what is to be done next goes. */
  handOff: HandOff;
  signature: string;
  slot: bigint;
  /** The assets that listings can be paid in. */
  assets: Assets;
  /** All of the program's instructions in it, in the order they ran. */
  instructions: readonly RelayInstruction[];
  /** True if all that the ledger shows of its listings before it is applied. */
  isInOrder: boolean;
  /** True if the ledger can no longer take it back. */
  isFinal: boolean;
  /** The listing is written again: what was not decided here counts as the ledger shows it, for its decision may be lost. */
  isReplay: boolean;
  /** The ledger-only facts of it; undefined: it is about no listing with terms. */
  shown: Shown | undefined;
  /** Swarms that were read with the locks, by their packages: good until something is projected. */
  seen?: Map<string, SwarmWithLegs>;
}

/** True if no node can show anything more that comes before the transaction; until then a list may be without what it follows. */
export function hasAllBefore({ isInOrder, isFinal, isReplay }: Applying): boolean {
  return isInOrder && (isFinal || isReplay);
}

/** The ledger-only facts of a transaction. */
export interface Shown {
  /** When it landed, by the clock of the program. */
  at: Date;
  /** How many lamports more each of its accounts had afterwards; empty: the node does not say. */
  gained: ReadonlyMap<string, bigint>;
  /** The sha256 that its ruling names as its reason, in hex; undefined: none. */
  reasonHash: string | undefined;
}

/** When the transaction landed, by which the clocks of terms count. */
export function landedAt({ shown, signature }: Applying): Date {
  if (shown === undefined) throw new Error(`transaction ${signature} moves a clock, and was not read`);
  return shown.at;
}

/** The columns in which a leg keeps the transaction that begins its stage. */
export const beganBy = (applying: Applying) => ({
  since: landedAt(applying),
  since_signature: applying.signature,
});

/** The swarm of the package that is decided and not formed yet. */
export async function formingIn({ trx, seen }: Applying, packageId: string): Promise<SwarmWithLegs | undefined> {
  const swarm = seen?.get(packageId) ?? (await formingSwarm(trx, packageId));
  return swarm?.status === 'forming' ? swarm : undefined;
}

/** The formed swarm of the package. */
export async function formedIn({ trx, seen }: Applying, packageId: string): Promise<SwarmWithLegs | undefined> {
  const swarm = seen?.get(packageId) ?? (await formedSwarm(trx, packageId));
  return swarm?.form_signature === null ? undefined : swarm;
}

/** Decides, as an intent, what follows from the transaction. */
export async function goOn({ trx, handOff }: Applying, intent: NewIntent): Promise<void> {
  const isFirst = await isNext(trx, intent.subject);
  void atEnd(trx, () => handOff.add(trx, intent, isFirst));
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
