import type { Db } from '../../db/connect.js';
import { listIssuers, noteIssuer } from '../../db/credentials.js';
import { inTransaction } from '../../db/transaction.js';

/** The keys whose credentials are this service's own. */
export interface Issuers {
  /** Whether the key was among them when the database was last asked. A key that once was always is. */
  has: (pubkey: string) => boolean;
  /** All of them now: another replica may have joined with another key. Strangers can trigger this read, so only one runs at a time. */
  read: () => Promise<readonly string[]>;
}

/** Records the coordinator's key as an issuer of credentials, and knows all keys that ever were. Rule S-66. */
export async function openIssuers(db: Db, coordinatorPubkey: string): Promise<Issuers> {
  let known: readonly string[] = [];
  const read = shareReads(async () => {
    known = await listIssuers(db);
    return known;
  });
  await inTransaction(db, (trx) => noteIssuer(trx, coordinatorPubkey));
  await read();
  return { has: (pubkey) => known.includes(pubkey), read };
}

/**
 * Calls that arrive during a read share the next one: no caller gets a reading older than its call, and however many call at
 * once, one read runs at a time.
 */
export function shareReads<T>(read: () => Promise<T>): () => Promise<T> {
  let current: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  const begin = () => {
    next = undefined;
    const begun = read();
    current = begun;
    return begun;
  };
  return () => {
    next ??= current.then(begin, begin);
    return next;
  };
}
