import { type Insertable, type SelectQueryBuilder, sql } from 'kysely';
import type { Db, Trx } from './connect.js';
import type { Database, RewardClaimRow, RewardClaimsTable } from './schema.js';

/**
 * Registers the claim. Rule M-67.
 *
 * @param trx of repeatable read, in which no claim of the key was found: one that came since is a serialization failure then,
 *   and the transaction is tried again
 */
export async function insertClaim(trx: Trx, claim: Insertable<RewardClaimsTable>): Promise<RewardClaimRow> {
  return trx
    .insertInto('reward_claims')
    .values(claim)
    .onConflict((conflict) => conflict.column('devnet_pubkey').doNothing())
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function findClaimOf(db: Db | Trx, devnetPubkey: string): Promise<RewardClaimRow | undefined> {
  return db.selectFrom('reward_claims').selectAll().where('devnet_pubkey', '=', devnetPubkey).executeTakeFirst();
}

/** Higher earnings first, then the earlier claim, then the key in the order of its bytes. Rule M-68. */
function ranked(db: Db | Trx): SelectQueryBuilder<Database, 'reward_claims', RewardClaimRow> {
  return db
    .selectFrom('reward_claims')
    .selectAll()
    .orderBy('earnings_lamports', 'desc')
    .orderBy('claimed_at')
    .orderBy(sql`devnet_pubkey collate "C"`);
}

/** Where a claim stands among all. */
export type Rank = Pick<RewardClaimRow, 'earnings_lamports' | 'claimed_at' | 'devnet_pubkey'>;

/** A page of claims by rank; `after` is where the last one of the page before stands. */
export async function pageOfClaims(
  db: Db | Trx,
  { after, limit }: { after: Rank | undefined; limit: number },
): Promise<RewardClaimRow[]> {
  if (after === undefined) return ranked(db).limit(limit).execute();
  const { earnings_lamports: earnings, claimed_at: claimedAt, devnet_pubkey: devnetPubkey } = after;
  return (
    ranked(db)
      // What the index is entered by; the second condition alone would read all claims from the first one on.
      .where('earnings_lamports', '<=', earnings)
      .where(
        sql<boolean>`(earnings_lamports < ${earnings} or (claimed_at, devnet_pubkey collate "C") > (${claimedAt}, ${devnetPubkey}))`,
      )
      .limit(limit)
      .execute()
  );
}

/** Reads the claim and keeps everybody else from changing it until the transaction ends. */
export async function lockClaim(trx: Trx, id: string): Promise<RewardClaimRow | undefined> {
  return trx.selectFrom('reward_claims').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

/** Sets the paid marker of a claim that has none. */
export async function markPaid(trx: Trx, id: string, signature: string): Promise<RewardClaimRow> {
  return trx
    .updateTable('reward_claims')
    .set({ paid_signature: signature, paid_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('paid_signature', 'is', null)
    .returningAll()
    .executeTakeFirstOrThrow();
}
