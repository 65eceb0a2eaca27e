import type { SignedCall } from '@legwork/protocol/contract';
import type { QueryCreator } from 'kysely';
import type { Db, Trx } from './connect.js';
import type { Database } from './schema.js';
import { type Personal, personal } from './sealing.js';

/** A signed call with the name of the operation that it is kept for. */
export type KeptCall = SignedCall & { operation: string };

/** What was signed, as it is stored: bids tell where their agents go, and why. */
export const sealedBody = ({ operation, body }: Pick<KeptCall, 'operation' | 'body'>): Personal | string =>
  operation === 'submitBid' ? personal(body) : body;

/** One request may make several changes: the first says what it is kept for. */
function keeping(creator: QueryCreator<Database>, calls: readonly KeptCall[]) {
  const rows = calls.map((call) => ({ ...call, body: sealedBody(call) }));
  return creator
    .insertInto('signed_calls')
    .values(rows)
    .onConflict((conflict) => conflict.column('signature').doNothing());
}

/** Keeps the call in the transaction of what it changes. */
export async function keepCall(trx: Trx, call: KeptCall): Promise<void> {
  await keeping(trx, [call]).execute();
}

/** Keeps calls that bind their keys, and records that the keys have signed. What they asked for before stays. */
export async function keepBindingCalls(trx: Trx, calls: readonly KeptCall[]): Promise<void> {
  if (calls.length === 0) return;
  // One order everywhere, so that two transactions that keep calls of the same keys cannot deadlock.
  const ordered = [...calls].sort((a, b) => (a.pubkey + a.signature < b.pubkey + b.signature ? -1 : 1));
  await trx
    .with('kept', (creator) => keeping(creator, ordered))
    .insertInto('signing_keys')
    .values(ordered.map(({ pubkey }) => ({ pubkey })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** The columns of {@link SignedCall}. */
export const SIGNED_CALL = [
  'signed_calls.pubkey',
  'signed_calls.signature',
  'signed_calls.text',
  'signed_calls.body',
] as const;

/** Calls that say whether unsigned ones bind a key. */
export interface KeysWord {
  /** The first that is kept; undefined: none is. */
  first: SignedCall | undefined;
  /** Changes of its profile, newest first. */
  profiles: SignedCall[];
}

/** More changes of a profile than this are not looked at. */
const PROFILES = 50;

export async function readWord(db: Db, pubkey: string): Promise<KeysWord> {
  const calls = db.selectFrom('signed_calls').select(SIGNED_CALL).where('pubkey', '=', pubkey);
  const [first, profiles] = await Promise.all([
    calls.orderBy('kept_at').limit(1).executeTakeFirst(),
    calls.where('operation', '=', 'updateAgent').orderBy('kept_at', 'desc').limit(PROFILES).execute(),
  ]);
  return { first, profiles };
}
