import { type RawBuilder, sql } from 'kysely';
import type { Db, Trx } from './connect.js';
import type { HistoryPosition } from './ledgerTransactions.js';

/** Two statuses that do not know a transaction count as two when they lie so far apart, seconds. */
const MISSING_SEC = 30;

/** An applied transaction that the ledger may still take back, or has taken back. */
export interface OpenTransaction extends HistoryPosition {
  subjects: string[];
  instructions: string[];
  bytes: Buffer | null;
  last_valid_block_height: bigint | null;
  is_reverted: boolean;
  /** Whether a node first did not know it, and none has shown it since; long: at least 30 seconds ago. */
  missing: 'no' | 'lately' | 'long';
}

/**
 * A page of the transactions without a place, by slot.
 *
 * @param reverted whether those that were taken back are read too
 */
export async function openTransactions(
  db: Db,
  { reverted, after, limit }: { reverted: boolean; after: HistoryPosition | undefined; limit: number },
): Promise<OpenTransaction[]> {
  const { rows } = await sql<OpenTransaction>`
    select signature, slot, subjects, instructions, bytes, last_valid_block_height, reverted_at is not null as is_reverted,
      case when missing_since is null then 'no'
        when missing_since > now() - make_interval(secs => ${MISSING_SEC}) then 'lately' else 'long' end as missing
    from ledger_transactions
    where position is null and unreadable is null and (${reverted} or reverted_at is null)
      and (slot, signature) > (${after?.slot ?? -1n}::int8, ${after?.signature ?? ''})
    order by slot, signature limit ${limit}`.execute(db);
  return rows;
}

/** A node that must know these transactions does not. The first instant stands. */
export async function noteMissing(db: Db, signatures: readonly string[]): Promise<void> {
  if (signatures.length === 0) return;
  await db
    .updateTable('ledger_transactions')
    .set({ missing_since: sql<Date>`now()` })
    .where('signature', 'in', signatures)
    .where('missing_since', 'is', null)
    .execute();
}

/** A node shows these transactions. */
export async function noteShown(db: Db, signatures: readonly string[]): Promise<void> {
  if (signatures.length === 0) return;
  await db
    .updateTable('ledger_transactions')
    .set({ missing_since: null })
    .where('signature', 'in', signatures)
    .where('missing_since', 'is not', null)
    .execute();
}

/** It is certain that the ledger has taken the transaction back. @returns false when that was known, or it got a place */
export async function markReverted(trx: Trx, signature: string): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('ledger_transactions')
    .set({ reverted_at: sql<Date>`now()`, missing_since: null })
    .where('signature', '=', signature)
    .where('position', 'is', null)
    .where('reverted_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Whether a transaction of the listing is taken back, or is missing and may have to be: nothing is signed for it. */
export const isDoubted = (subject: RawBuilder<string>) => sql<boolean>`exists (
  select from ledger_transactions
  where (reverted_at is not null or missing_since is not null) and ${subject} = any (subjects))`;

/**
 * Whether the ledger took back a transaction of the listing `package:<id>` or `task:<id>`: then nothing is decided or taken
 * for it, either. Rule S-107.
 */
export const isHalted = (subject: RawBuilder<string>) => sql<boolean>`exists (
  select from ledger_transactions where reverted_at is not null and ${subject} = any (subjects))`;

/** How many transactions have no place, and since when the oldest of them was applied. */
export interface Unplaced {
  finality: 'confirmed' | 'reverted';
  transactions: number;
  oldestSec: number;
}

/** What may still be taken back, and what was; the ages are by the database's clock. */
export async function readUnplaced(db: Db): Promise<Unplaced[]> {
  const { rows } = await sql<Unplaced>`
    select case when reverted_at is null then 'confirmed' else 'reverted' end as finality, count(*)::int4 as transactions,
      extract(epoch from now() - min(applied_at))::float8 as "oldestSec"
    from ledger_transactions where position is null and unreadable is null group by 1`.execute(db);
  return rows;
}
