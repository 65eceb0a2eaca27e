import { sql } from 'kysely';
import type { Db } from '../db/connect.js';
import { deleteInBatches } from '../db/transaction.js';

/** Well over the two minutes in which a nonce may be fresh on any replica's clock. */
const KEEP = '10 minutes';

/** A nonce of a key, both of the form that signatures have. */
export interface Nonce {
  /** Base58. */
  pubkey: string;
  nonce: string;
}

/** A nonce in one word. */
export const nonceName = ({ pubkey, nonce }: Nonce): string => `${pubkey} ${nonce}`;

/**
 * Spends nonces: the only memory that signing needs. Rule S-13.
 *
 * @returns of each whether it is spent now; false: its key used it before, or it stands earlier among these
 */
export async function spendNonces(db: Db, nonces: readonly Nonce[]): Promise<boolean[]> {
  // One order everywhere: replicas that are given the same ones wait for each other, never in a circle.
  const ordered = [...nonces].sort((a, b) => (nonceName(a) < nonceName(b) ? -1 : 1));
  const { rows } = await sql<Nonce>`
    insert into nonces (pubkey, nonce)
    select * from unnest(${ordered.map(({ pubkey }) => pubkey)}::text[], ${ordered.map(({ nonce }) => nonce)}::text[])
    on conflict do nothing returning pubkey, nonce`.execute(db);
  const spent = new Set(rows.map(nonceName));
  return nonces.map((one) => spent.delete(nonceName(one)));
}

/** Deletes nonces that no signature can use any more. Rule S-15. @returns how many */
export function sweepNonces(db: Db): Promise<number> {
  return deleteInBatches(db, 'nonces', sql`used_at < now() - ${KEEP}::interval`);
}
