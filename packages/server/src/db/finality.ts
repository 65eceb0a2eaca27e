import type { Finality } from '@legwork/protocol/contract';
import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { Db, Trx } from './connect.js';
import { compiled, unseen } from './statements.js';
import type { HistoryPosition } from './ledgerTransactions.js';

/** The listings, and the transactions about them, that are not final, by subject and by signature. What is missing is final. */
export type NotFinal = ReadonlyMap<string, Exclude<Finality, 'final'>>;

const unplacedOf = compiled((db, { subjects }: { subjects: readonly string[] }) =>
  db
    .selectFrom('ledger_transactions')
    .select(['signature', 'subjects', 'reverted_at'])
    .where('position', 'is', null)
    // By an index of its own, which costs the same when nothing gets a place for a while.
    .where(sql<SqlBool>`subjects && ${unseen(subjects)}`),
);

/**
 * Reads what of these listings may still be taken back, and what was.
 *
 * @param subjects `package:<id>`, `task:<id>`
 */
export async function readNotFinal(db: Db | Trx, subjects: readonly string[]): Promise<NotFinal> {
  const notFinal = new Map<string, Exclude<Finality, 'final'>>();
  if (subjects.length === 0) return notFinal;
  const rows = await unplacedOf(db, { subjects });
  for (const { signature, subjects: own, reverted_at: revertedAt } of rows) {
    const finality = revertedAt === null ? 'confirmed' : 'reverted';
    notFinal.set(signature, finality);
    for (const subject of own) if (notFinal.get(subject) !== 'reverted') notFinal.set(subject, finality);
  }
  return notFinal;
}

/** A listing stands on all its transactions; what was paid, on the one that paid it. Rule S-110. */
export function finalityOf(notFinal: NotFinal, subject: string, paidBy: string | null = null): Finality {
  return notFinal.get(paidBy ?? subject) ?? 'final';
}

/** The finality of one listing, or of one payment about it. */
export async function readFinality(db: Db | Trx, subject: string, paidBy: string | null): Promise<Finality> {
  return finalityOf(await readNotFinal(db, [subject]), subject, paidBy);
}

/** Two statuses that do not know a transaction count as two when they lie so far apart, seconds. */
const MISSING_SEC = 30;

/** By then the watch has looked at what was applied, and may have missed it, seconds. */
const LATELY_SEC = 120;

/** An applied transaction that the ledger may still take back, or has taken back. */
export interface OpenTransaction extends HistoryPosition {
  subjects: string[];
  instructions: string[];
  bytes: Buffer | null;
  last_valid_block_height: bigint | null;
  is_reverted: boolean;
  applied_at: Date;
  /** The state of a transaction that a node did not know and none has shown since; long: for at least 30 seconds. */
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
    select signature, slot, subjects, instructions, bytes, last_valid_block_height, applied_at, reverted_at is not null as is_reverted,
      case when missing_since is null then 'no'
        when missing_since > now() - make_interval(secs => ${MISSING_SEC}) then 'lately' else 'long' end as missing
    from ledger_transactions
    where position is null and unreadable is null and (${reverted} or reverted_at is null)
      and (slot, signature) > (${after?.slot ?? -1n}::int8, ${after?.signature ?? ''})
    order by slot, signature limit ${limit}`.execute(db);
  return rows;
}

/** The transactions of a listing that were applied so lately that the watch cannot have missed them yet. */
export async function latelyApplied(db: Db, subject: string): Promise<HistoryPosition[]> {
  return (
    db
      .selectFrom('ledger_transactions')
      .select(['signature', 'slot'])
      .where('position', 'is', null)
      .where('applied_at', '>', sql<Date>`now() - make_interval(secs => ${LATELY_SEC})`)
      // By the index of what is open.
      .where(sql<boolean>`subjects && ${unseen([subject])}`)
      .execute()
  );
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

/** True if a transaction of the listing is taken back, or is missing and may have to be: nothing is signed for it. */
export const isDoubted = (subject: RawBuilder<string>) => sql<boolean>`exists (
  select from ledger_transactions
  where (reverted_at is not null or missing_since is not null) and ${subject} = any (subjects))`;

/**
 * True if the ledger took back a transaction of the listing `package:<id>` or `task:<id>`: then nothing is decided or taken
 * for it, either. Rule S-107.
 */
export const isHalted = (subject: RawBuilder<string>) => sql<boolean>`exists (
  select from ledger_transactions where reverted_at is not null and ${subject} = any (subjects))`;

/** Reads whether the listing is halted. @see isHalted */
export async function readHalted(db: Db | Trx, subject: RawBuilder<string>): Promise<boolean> {
  const { rows } = await sql<{ halted: boolean }>`select ${isHalted(subject)} as halted`.execute(db);
  return rows[0]?.halted === true;
}

/** How many transactions have no place, and since when the oldest of them was applied. */
export interface Unplaced {
  finality: 'confirmed' | 'reverted';
  transactions: number;
  oldestSec: number;
}

/** The transactions that may still be taken back, and those that were; ages by the database's clock. */
export async function readUnplaced(db: Db): Promise<Unplaced[]> {
  const { rows } = await sql<Unplaced>`
    select case when reverted_at is null then 'confirmed' else 'reverted' end as finality, count(*)::int4 as transactions,
      extract(epoch from now() - min(applied_at))::float8 as "oldestSec"
    from ledger_transactions where position is null and unreadable is null group by 1`.execute(db);
  return rows;
}

/** So long after the last evidence a halted listing is written again: 64 slots, seconds. */
export const HEALS_AFTER_SEC = 26;

/** How many listings are halted. */
export async function countHalted(db: Db): Promise<number> {
  const { rows } = await sql<{ halted: number }>`
    select count(distinct subject)::int4 as halted from ledger_transactions, unnest(subjects) as subject
    where reverted_at is not null`.execute(db);
  return rows[0]?.halted ?? 0;
}

/** The listings that have been halted for so long, the longest halted first. @param forSec usually long enough to be healed */
export async function haltedListings(db: Db, forSec = HEALS_AFTER_SEC): Promise<string[]> {
  const { rows } = await sql<{ subject: string }>`
    select subject from ledger_transactions, unnest(subjects) as subject where reverted_at is not null
    group by subject having max(reverted_at) < now() - make_interval(secs => ${forSec}) order by min(reverted_at)`.execute(
    db,
  );
  return rows.map(({ subject }) => subject);
}
