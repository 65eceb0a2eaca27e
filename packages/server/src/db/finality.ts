import type { Finality } from '@legwork/protocol/contract';
import { sql, type SqlBool } from 'kysely';
import type { Db, Trx } from './connect.js';

/** The listings, and the transactions about them, that are not final, by subject and by signature. What is missing is final. */
export type NotFinal = ReadonlyMap<string, Exclude<Finality, 'final'>>;

/**
 * Reads what of these listings may still be taken back, and what was.
 *
 * @param subjects `package:<id>`, `task:<id>`
 */
export async function readNotFinal(db: Db | Trx, subjects: readonly string[]): Promise<NotFinal> {
  const notFinal = new Map<string, Exclude<Finality, 'final'>>();
  if (subjects.length === 0) return notFinal;
  const rows = await db
    .selectFrom('ledger_transactions')
    .select(['signature', 'subjects', 'reverted_at'])
    .where('position', 'is', null)
    // By an index of its own, which costs the same when nothing gets a place for a while.
    .where(sql<SqlBool>`subjects && ${subjects}::text[]`)
    .execute();
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
