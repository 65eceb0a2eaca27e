import { type Insertable, sql } from 'kysely';
import { compiled, unseen } from './statements.js';
import type { Db, Trx } from './connect.js';
import { readMeta, setMeta } from './migrate.js';
import type { LedgerTransactionsTable } from './schema/service.js';

/** A transaction in the ledger's history. */
export interface HistoryPosition {
  signature: string;
  slot: bigint;
}

/** Signed bytes that are kept until their transaction is final. */
export interface KeptBytes {
  bytes: Buffer;
  /** Of their blockhash; undefined: somebody else chose it. */
  lastValidBlockHeight?: bigint;
}

/** A transaction that somebody is about to apply. */
export interface Claim extends HistoryPosition {
  /** The listings posted here that it is about. */
  subjects: readonly string[];
  /** Names of the program's instructions in it, in the order they ran. */
  instructions: readonly string[];
  kept: KeptBytes;
}

const appliedOf = compiled((db, { signatures }: { signatures: readonly string[] }) =>
  db
    .selectFrom('ledger_transactions')
    .select(['signature', 'position'])
    .where(sql<boolean>`signature = any (${unseen(signatures)})`)
    .where('unreadable', 'is', null),
);

/** Returns which of the transactions were applied, by any replica, and how far each is. */
export async function appliedAmong(
  db: Db | Trx,
  signatures: readonly string[],
): Promise<Map<string, 'confirmed' | 'final'>> {
  if (signatures.length === 0) return new Map();
  const rows = await appliedOf(db, { signatures });
  return new Map(rows.map(({ signature, position }) => [signature, position === null ? 'confirmed' : 'final']));
}

/**
 * Claims the transaction for the caller's database transaction, which applies all of it. A replica that claims the same one
 * waits until that one ends. The caller holds the locks of the listings.
 *
 * @returns false when it was applied already
 */
export async function claimTransaction(trx: Trx, claim: Claim): Promise<boolean> {
  const { signature, slot, subjects, instructions } = claim;
  // Anybody can have a transaction name the program: without a listing posted here, nobody waits for it.
  const kept = subjects.length > 0 ? claim.kept : undefined;
  const claimed = await claiming(trx, {
    signature,
    slot,
    subjects: [...subjects],
    instructions: [...instructions],
    bytes: kept?.bytes ?? null,
    last_valid_block_height: kept?.lastValidBlockHeight ?? null,
  });
  return claimed.length > 0;
}

type Claimed = Pick<
  Insertable<LedgerTransactionsTable>,
  'signature' | 'slot' | 'subjects' | 'instructions' | 'bytes' | 'last_valid_block_height'
>;

const claiming = compiled(
  (trx, { signature, slot, subjects, instructions, bytes, last_valid_block_height }: Claimed) => {
    const row = { slot, subjects, instructions, bytes, last_valid_block_height, unreadable: null };
    return (
      trx
        .insertInto('ledger_transactions')
        .values({ signature, ...row })
        // A transaction that could not be read before can be applied once it can.
        .onConflict((conflict) =>
          conflict.column('signature').doUpdateSet(row).where('ledger_transactions.unreadable', 'is not', null),
        )
        .returning('signature')
    );
  },
);

/** Reports whether the transaction is applied to the listing. */
export async function isAppliedTo(trx: Trx, signature: string, subject: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from ledger_transactions where signature = ${signature} and ${subject} = any (subjects))
      as found`.execute(trx);
  return rows[0]?.found === true;
}

/** Reports whether other transactions about the same listings are applied that are as new, or newer. */
export async function isBeforeApplied(
  trx: Trx,
  { signature, slot, subjects }: HistoryPosition & { subjects: readonly string[] },
): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from ledger_transactions where subjects && ${unseen(subjects)}
      and slot >= ${slot} and signature <> ${signature} and reverted_at is null) as found`.execute(trx);
  return rows[0]?.found === true;
}

/** Keeps that the ledger lists a transaction that cannot be read. @returns false when that was known, or it was read meanwhile */
export async function noteUnreadable(db: Db, { signature, slot }: HistoryPosition, reason: string): Promise<boolean> {
  const noted = await db
    .insertInto('ledger_transactions')
    .values({ signature, slot, subjects: [], unreadable: reason })
    .onConflict((conflict) => conflict.column('signature').doNothing())
    .returning('signature')
    .executeTakeFirst();
  return noted !== undefined;
}

const CURSOR = 'watcher_cursor';
/** Separates slot and signature in the cursor's text. */
const SEPARATOR = ':';
const cursorText = ({ slot, signature }: HistoryPosition) => `${slot}${SEPARATOR}${signature}`;

/** The last transaction up to which the history is final and applied; undefined: nothing is yet. */
export async function readCursor(db: Db | Trx): Promise<HistoryPosition | undefined> {
  const [slot, signature] = (await readMeta(db, CURSOR))?.split(SEPARATOR) ?? [];
  return slot === undefined || signature === undefined ? undefined : { slot: BigInt(slot), signature };
}

/**
 * Gives final transactions their places in the ledger's order, one replica at a time, and moves the cursor behind them. What
 * the ledger shows as final is not reverted any more, and its bytes are needed no longer.
 *
 * @param passed in the ledger's order, all that is applied and more, right behind `cursor`; what failed has no place, whatever
 *   was applied by its name
 * @returns false when another replica has moved the cursor: what it passed is listed again
 */
export async function placeFinal(
  trx: Trx,
  cursor: HistoryPosition | undefined,
  passed: readonly (HistoryPosition & { failed: boolean })[],
): Promise<boolean> {
  const last = passed.at(-1);
  if (last === undefined) return true;
  if (!(await holdCursor(trx, cursor))) return false;
  await givePlaces(
    trx,
    passed.filter(({ failed }) => !failed),
  );
  await setMeta(trx, CURSOR, cursorText(last));
  return true;
}

/** One replica at a time gives places and takes them back. @returns false when another one has moved the cursor */
async function holdCursor(trx: Trx, cursor: HistoryPosition | undefined): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${CURSOR}, 0))`.execute(trx);
  return (await readCursor(trx))?.signature === cursor?.signature;
}

/**
 * Gives places, after all others, to final transactions behind the cursor: the listing that moved it did not show them.
 *
 * @returns false when the cursor was moved meanwhile
 */
export async function placeMissed(
  trx: Trx,
  cursor: HistoryPosition,
  missed: readonly HistoryPosition[],
): Promise<boolean> {
  if (!(await holdCursor(trx, cursor))) return false;
  await givePlaces(trx, missed);
  return true;
}

/** A transaction with its place in the ledger's order. */
export interface Placed extends HistoryPosition {
  position: bigint;
}

/** The transactions that got their places last, the latest first. */
export async function lastPlaced(db: Db, before: Placed | undefined, limit: number): Promise<Placed[]> {
  let query = db
    .selectFrom('ledger_transactions')
    .select(['signature', 'slot', 'position'])
    .where('position', 'is not', null)
    .orderBy('position', 'desc')
    .limit(limit);
  if (before) query = query.where('position', '<', before.position);
  return query.$narrowType<Placed>().execute();
}

/**
 * Takes back every place behind `standing`, and moves the cursor back to it: the ledger no longer knows what has them.
 *
 * @param standing undefined: the ledger knows none
 * @returns false when another replica has moved the cursor
 */
export async function takePlacesBack(
  trx: Trx,
  cursor: HistoryPosition,
  standing: Placed | undefined,
): Promise<boolean> {
  if (!(await holdCursor(trx, cursor))) return false;
  await trx
    .updateTable('ledger_transactions')
    .set({ position: null, missing_since: sql<Date>`now()` })
    .where('position', '>', standing?.position ?? 0n)
    .execute();
  if (standing) await setMeta(trx, CURSOR, cursorText(standing));
  else await trx.deleteFrom('meta').where('key', '=', CURSOR).execute();
  return true;
}

async function givePlaces(trx: Trx, passed: readonly HistoryPosition[]): Promise<void> {
  const signatures = passed.map(({ signature }) => signature);
  const slots = passed.map(({ slot }) => slot);
  await sql`
    update ledger_transactions as t
    set position = coalesce((select max(position) from ledger_transactions), 0) + passed.place, slot = passed.slot,
      bytes = null, last_valid_block_height = null, missing_since = null, reverted_at = null
    from unnest(${signatures}::text[], ${slots}::int8[]) with ordinality as passed (signature, slot, place)
    where t.signature = passed.signature and t.position is null`.execute(trx);
}

/** The slot of an applied transaction. */
export async function slotOf(trx: Trx, signature: string): Promise<bigint | undefined> {
  const row = await trx
    .selectFrom('ledger_transactions')
    .select('slot')
    .where('signature', '=', signature)
    .executeTakeFirst();
  return row?.slot;
}

/** The slot of the newest transaction about the listing that is applied and not final; undefined: all are final. */
export async function newestSlotOf(db: Db, subject: string): Promise<bigint | undefined> {
  const { rows } = await sql<{ slot: bigint | null }>`
    select max(slot) as slot from ledger_transactions
    where position is null and reverted_at is null and subjects && ${unseen([subject])}`.execute(db);
  return rows[0]?.slot ?? undefined;
}

/** Where transactions stand on the ledger, and when they were applied here, by signature; those of earlier versions may be missing. */
export async function readPlaces(
  trx: Trx,
  signatures: readonly string[],
): Promise<Map<string, { slot: bigint; applied_at: Date }>> {
  const rows = await trx
    .selectFrom('ledger_transactions')
    .select(['signature', 'slot', 'applied_at'])
    .where('signature', 'in', signatures)
    .execute();
  return new Map(rows.map(({ signature, ...place }) => [signature, place]));
}
