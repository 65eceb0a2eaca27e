import { type Lamports, toLamports } from '@legwork/protocol/contract';
import { type Insertable, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Db, Trx } from '../db/connect.js';
import { atEnd } from '../db/transaction.js';
import { isHalted } from '../db/finality.js';
import type { Database, RewardClaimRow, RewardClaimsTable } from '../db/schema.js';

/** The payments for the completed digital legs of a key, as far as they are final. Rule M-66. */
export interface Earnings {
  earnings: Lamports;
  /** From tasks that somebody else than their posters paid for. */
  sponsored: Lamports;
  /** Completed legs. */
  legs: number;
  /** Distinct posters of their tasks. */
  posters: number;
  /** Of the last of them in the ledger's order; null: there is none. */
  lastConfirmSignature: string | null;
  /** A result of the key waits for its payment, or a payment is not final yet: the figures are about to change. */
  isChanging: boolean;
}

/** In one statement, so that all of it is of the same instant. */
export async function readEarnings(trx: Trx, pubkey: string): Promise<Earnings> {
  const { rows } = await sql<{
    earnings: bigint;
    sponsored: bigint;
    legs: number;
    posters: number;
    last_confirm_signature: string | null;
    is_changing: boolean;
  }>`
    with paid as (
      select leg.payment_lamports, leg.confirm_signature, task.shipper_pubkey,
        task.funder_pubkey <> task.shipper_pubkey as is_sponsored, landed.slot, landed.position
      from digital_legs as leg
      join digital_tasks as task on task.id = leg.task_id
      left join ledger_transactions as landed on landed.signature = leg.confirm_signature
      where leg.agent_pubkey = ${pubkey} and leg.status = 'completed' and leg.asset = 0
        -- What was taken back does not count, and holds up no claim of what was not.
        and landed.reverted_at is null
    ), final as (select * from paid where position is not null)
    select coalesce(sum(payment_lamports), 0)::int8 as earnings,
      coalesce(sum(payment_lamports) filter (where is_sponsored), 0)::int8 as sponsored,
      count(*)::int4 as legs,
      count(distinct shipper_pubkey)::int4 as posters,
      (array_agg(confirm_signature order by slot desc, position desc))[1] as last_confirm_signature,
      exists (select from paid where position is null) or exists (
        select from digital_legs
        where agent_pubkey = ${pubkey} and asset = 0 and status in ('pending', 'in_progress') and result is not null
          -- Of a task that is halted nothing is paid.
          and not ${isHalted(sql`'task:' || digital_legs.task_id`)}
      ) as is_changing
    from final`.execute(trx);
  const [row] = rows;
  if (row === undefined) throw new Error('an aggregate has one row');
  return {
    earnings: toLamports(row.earnings),
    sponsored: toLamports(row.sponsored),
    legs: row.legs,
    posters: row.posters,
    lastConfirmSignature: row.last_confirm_signature,
    isChanging: row.is_changing,
  };
}

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
      // The entry to the index; the second condition alone would read all claims from the first one on.
      .where('earnings_lamports', '<=', earnings)
      .where(
        sql<boolean>`(earnings_lamports < ${earnings} or (claimed_at, devnet_pubkey collate "C") > (${claimedAt}, ${devnetPubkey}))`,
      )
      .limit(limit)
      .execute()
  );
}

/** Reads the claim and locks it until the transaction ends. */
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

/** Adds what a leg paid to what its agent earned, in the transaction that completes the leg. */
export function addEarnings(trx: Trx, agentPubkey: string, lamports: Lamports): void {
  const adding = trx
    .insertInto('earnings')
    .values({ agent_pubkey: agentPubkey, lamports, last_completed_at: sql<Date>`now()` })
    .onConflict((conflict) =>
      conflict.column('agent_pubkey').doUpdateSet({
        lamports: sql<Lamports>`earnings.lamports + excluded.lamports`,
        last_completed_at: sql<Date>`greatest(earnings.last_completed_at, excluded.last_completed_at)`,
      }),
    );
  void atEnd(trx, () => adding.execute());
}

/**
 * Takes back what legs paid, of which the listing is written again. What stays paid is added anew.
 *
 * @param paid - rows of `agent_pubkey` and `lamports`
 */
export async function takeEarningsBack(trx: Trx, paid: RawBuilder<unknown>): Promise<void> {
  const sums = sql`(select agent_pubkey, sum(lamports)::int8 as lamports from (${paid}) paid group by agent_pubkey) back`;
  const isOf = sql`earnings.agent_pubkey = back.agent_pubkey`;
  await sql`delete from earnings using ${sums} where ${isOf} and earnings.lamports <= back.lamports`.execute(trx);
  await sql`update earnings set lamports = earnings.lamports - back.lamports from ${sums} where ${isOf}`.execute(trx);
}
