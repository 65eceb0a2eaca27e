import { isDeepStrictEqual } from 'node:util';
import {
  BODY_LIMIT_BYTES,
  inputsFor,
  type InputOf,
  type Operation,
  readCall,
  LegworkError,
  type SignedCall,
} from '@legwork/protocol/contract';
import type { Caller } from '../operations/run.js';
import type { QueryCreator } from 'kysely';
import type { Db, Trx } from '../db/connect.js';
import type { Database } from '../db/schema.js';
import { type Personal, personal } from '../db/sealing.js';

/**
 * The caller's signed request, to be kept with what the operation changes; undefined when nobody signed it. Rule S-95.
 *
 * @throws LegworkError `body_too_large` (413): only tool calls may have so large a body; `bad_signature` (401) when the request
 *   does not say by itself what was read from it: a path spelled in another way
 */
export function callToKeep<O extends Operation>(
  { signer }: Caller,
  operation: O,
  input: InputOf<O>,
): KeptCall | undefined {
  if (signer === undefined) return undefined;
  const { pubkey, signature, text } = signer;
  if (signer.body.length > BODY_LIMIT_BYTES) {
    throw new LegworkError(
      'body_too_large',
      `A signed request that binds its key is kept, so it has at most ${BODY_LIMIT_BYTES} bytes; send the call by itself.`,
    );
  }
  const call = { operation: operation.name, pubkey, signature, text, body: Buffer.from(signer.body).toString() };
  const said = readCall(call);
  if (said && inputsFor(operation, said).some((one) => isDeepStrictEqual(one, input))) return call;
  throw new LegworkError('bad_signature', `Sign and send the path as it is documented: ${operation.path}.`);
}

/** As {@link callToKeep}, for an operation that every caller signs. */
export function signedCallOf<O extends Operation>(caller: Caller, operation: O, input: InputOf<O>): KeptCall {
  const call = callToKeep(caller, operation, input);
  if (call === undefined) throw new Error(`${operation.name} ran for a caller that did not sign`);
  return call;
}

/** A signed call with the name of the operation that it is kept for. */
export type KeptCall = SignedCall & { operation: string };

/** The signed body as it is stored: bids tell where their agents go, and why. */
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
const SIGNED_CALL = [
  'signed_calls.pubkey',
  'signed_calls.signature',
  'signed_calls.text',
  'signed_calls.body',
] as const;

/** Calls that say whether unsigned ones bind a key. */
interface KeysWord {
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
