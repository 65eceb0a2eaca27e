import { sql } from 'kysely';
import type { Config } from '../config.js';
import type { Db, Trx } from '../db/connect.js';

/** Records that the key has signed for something that binds it. What it asked for before stays. Rule S-16. */
export async function noteSigningKey(trx: Trx, pubkey: string): Promise<void> {
  await trx
    .insertInto('signing_keys')
    .values({ pubkey })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/**
 * Sets what the key's signed profile asks for: `true` for its signature alone, `false` for unsigned calls too.
 *
 * @param callSignature of the call that asked, which is kept
 */
export async function setSignaturesAskedFor(
  trx: Trx,
  pubkey: string,
  asked: boolean,
  callSignature: string,
): Promise<void> {
  const change = { asks_for_signatures: asked, call_signature: callSignature };
  await trx
    .insertInto('signing_keys')
    .values({ pubkey, ...change })
    .onConflict((conflict) => conflict.column('pubkey').doUpdateSet(change))
    .execute();
}

export type UnsignedCalls = Config['unsignedCalls'];

/**
 * True if unsigned calls that bind the key are refused, as a condition on a left-joined row of `signing_keys`: with
 * `newcomers` once it has signed, unless it asked otherwise in a call that is kept; with `all` only if it asked for that.
 */
export function isSignedOnly(unsignedCalls: UnsignedCalls) {
  const byDefault = {
    none: sql<boolean>`true`,
    newcomers: sql<boolean>`signing_keys.pubkey is not null
      and (signing_keys.asks_for_signatures is not false or signing_keys.call_signature is null)`,
    all: sql<boolean>`signing_keys.asks_for_signatures is true`,
  };
  return byDefault[unsignedCalls];
}

/** Returns whether unsigned calls that bind the key are refused. */
export async function requiresSignature(db: Db, unsignedCalls: UnsignedCalls, pubkey: string): Promise<boolean> {
  if (unsignedCalls === 'none') return true;
  const row = await db
    .selectFrom('signing_keys')
    .select(isSignedOnly(unsignedCalls).as('signed_only'))
    .where('pubkey', '=', pubkey)
    .executeTakeFirst();
  return row?.signed_only ?? false;
}
