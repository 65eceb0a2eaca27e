import { sql } from 'kysely';
import type { Db, Trx } from './connect.js';
import type { Claim, HistoryPosition } from './ledgerTransactions.js';
import type { IntentKind } from './schema.js';
import { atEnd } from './transaction.js';

/* What the database does where a listing is written again (`mirror/replay.ts`). */

/** A transaction of a listing that is written again, with the instant of its block. */
export interface Covered extends Omit<Claim, 'subjects'> {
  subject: string;
  at: Date;
  isFinal: boolean;
}

/** Notes that the listing has all of the transaction now; where no listing here had it before, it counts as of its block. */
export async function coverTransaction(trx: Trx, covered: Covered): Promise<void> {
  const { signature, slot, instructions, kept, subject, at, isFinal } = covered;
  const row = {
    slot,
    subjects: [subject],
    instructions: [...instructions],
    unreadable: null,
    bytes: isFinal ? null : kept.bytes,
    last_valid_block_height: isFinal ? null : (kept.lastValidBlockHeight ?? null),
    applied_at: at,
  };
  await trx
    .insertInto('ledger_transactions')
    .values({ signature, ...row })
    .onConflict((conflict) =>
      conflict
        .column('signature')
        .doUpdateSet({
          subjects: sql<string[]>`ledger_transactions.subjects || excluded.subjects`,
          applied_at: sql<Date>`case when ledger_transactions.subjects = '{}' then excluded.applied_at
          else ledger_transactions.applied_at end`,
          unreadable: null,
        })
        .where(sql<boolean>`not ledger_transactions.subjects @> excluded.subjects`),
    )
    .execute();
}

/** Forgets transactions that the ledger took back of a listing which is written again without them. @returns their signatures */
export async function forgetReverted(trx: Trx, subject: string): Promise<string[]> {
  const { rows } = await sql<{ signature: string }>`
    update ledger_transactions set subjects = array_remove(subjects, ${subject})
    where reverted_at is not null and ${subject} = any (subjects) returning signature`.execute(trx);
  const signatures = rows.map(({ signature }) => signature);
  await sql`delete from ledger_transactions where signature = any (${signatures}::text[]) and subjects = '{}'`.execute(
    trx,
  );
  return signatures;
}

/**
 * The listing's transactions here that a history does not show, other than those that the ledger took back, and the slot of the
 * oldest of all. The caller holds the lock of the listing.
 */
export async function uncoveredBy(
  trx: Trx,
  subject: string,
  shown: readonly HistoryPosition[],
): Promise<{ oldest: bigint | undefined; missing: string | undefined }> {
  const rows = await trx
    .selectFrom('ledger_transactions')
    .select(['signature', 'slot', 'reverted_at'])
    .where(sql<boolean>`${subject} = any (subjects)`)
    .where('unreadable', 'is', null)
    .orderBy('slot')
    .execute();
  const signatures = new Set(shown.map(({ signature }) => signature));
  const missing = rows.find((row) => row.reverted_at === null && !signatures.has(row.signature));
  return { oldest: rows[0]?.slot, missing: missing?.signature };
}

/**
 * Transactions that list something of which there was no draft here, a page in the order of their signatures.
 *
 * @param upTo only those in slots up to this one: what landed in the very slot in which the database began was there before
 */
export async function undraftedListings(
  db: Db,
  { upTo, after, limit }: { upTo: bigint | undefined; after: string | undefined; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ signature: string }>`
    select signature from ledger_transactions
    where subjects = '{}' and instructions && '{listPackage,listTask}' and unreadable is null
      and (${upTo ?? null}::int8 is null or slot <= ${upTo ?? null}) and signature > ${after ?? ''}
    order by signature limit ${limit}`.execute(db);
  return rows.map(({ signature }) => signature);
}

/** Of these accounts of listings those that the database has no listing of. */
export async function unknownAccounts(db: Db, accounts: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ account: string }>`
    select account from unnest(${accounts}::text[]) as given (account)
    where not exists (select from packages where on_chain_package = account)
      and not exists (select from digital_tasks where on_chain_task = account)`.execute(db);
  return rows.map(({ account }) => account);
}

/** Decided anew when the listing is written again, under other keys. */
const DECIDED_ANEW: readonly IntentKind[] = ['form_swarm', 'assign_task_leg'];

/** Makes intents whose transactions the ledger took back due again, with the same keys. */
export async function dueAgain(trx: Trx, subject: string, signatures: readonly string[]): Promise<void> {
  if (signatures.length === 0) return;
  await trx
    .updateTable('outbox')
    .set({
      status: 'pending',
      signature: null,
      transaction: null,
      last_valid_block_height: null,
      available_at: sql<Date>`now()`,
    })
    .where('subject', '=', subject)
    .where('signature', 'in', signatures)
    .where('status', '=', 'done')
    .where('kind', 'not in', DECIDED_ANEW)
    .execute();
}

/** The events about a listing, by two indexes: of those that have their number, and of those that do not yet. */
const eventsOf = (subject: string) => sql`(
  select * from events where subject = ${subject} and seq is not null
  union all select * from events where subject = ${subject} and seq is null)`;

/** The newest event about a listing, numbered or not; the caller holds its lock. */
export async function lastEventOf(trx: Trx, subject: string): Promise<bigint> {
  const { rows } = await sql<{ id: bigint | null }>`select max(id) as id from ${eventsOf(subject)} told`.execute(trx);
  return rows[0]?.id ?? 0n;
}

/** The transaction and leg of an event, if it is of a transaction. */
const occasionOf = (event: string) => sql`jsonb_build_array(
  coalesce(${sql.ref(`${event}.payload`)} ->> 'signature', ${sql.ref(`${event}.payload`)} ->> 'listSignature',
    ${sql.ref(`${event}.payload`)} ->> 'formSignature', ${sql.ref(`${event}.payload`)} ->> 'settleSignature'),
  ${sql.ref(`${event}.payload`)} ->> 'legId')`;

/**
 * Drops events behind the given one that tell again what was told before it: of the same transaction, or the same in full. They are of
 * the caller's transaction, so that none of them has its number yet.
 */
export function dropToldAgain(trx: Trx, subject: string, last: bigint): void {
  const dropping = sql`
    delete from events again where again.subject = ${subject} and again.seq is null and again.id > ${last} and exists (
      select from ${eventsOf(subject)} told where told.id <= ${last} and told.type = again.type
        and case when ${occasionOf('again')} ->> 0 is null then told.payload = again.payload
          else ${occasionOf('told')} = ${occasionOf('again')} end)`;
  // Behind the events, which are appended at the end.
  void atEnd(trx, () => dropping.execute(trx));
}
