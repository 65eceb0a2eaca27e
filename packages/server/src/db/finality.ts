import type { Finality } from '@legwork/protocol/contract';
import { sql } from 'kysely';
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
  // Listing by listing, by the index of what has no place: the same cost however long the history, and when nothing is placed.
  const { rows } = await sql<{ subject: string; signature: string; is_reverted: boolean }>`
    select subject, signature, reverted_at is not null as is_reverted
    from unnest(${subjects}::text[]) as subject
    join ledger_transactions on subjects @> array[subject] and position is null`.execute(db);
  for (const { subject, signature, is_reverted: isReverted } of rows) {
    notFinal.set(signature, isReverted ? 'reverted' : 'confirmed');
    if (isReverted || !notFinal.has(subject)) notFinal.set(subject, isReverted ? 'reverted' : 'confirmed');
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
