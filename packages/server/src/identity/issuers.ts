import type { Db } from '../db/connect.js';
import { listIssuers, noteIssuer } from '../db/credentials.js';
import { inTransaction } from '../db/transaction.js';
import { shareReads } from './shareReads.js';

/** The keys whose credentials are this service's own. */
export interface Issuers {
  /** Whether the key was among them when the database was last asked. A key that once was always is. */
  has: (pubkey: string) => boolean;
  /** All of them now: another replica may have come with another key. Strangers may make it ask: it asks one question at a time. */
  read: () => Promise<readonly string[]>;
}

/** Notes the coordinator's key as the one that issues credentials, and knows all that did. Rule S-66. */
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
