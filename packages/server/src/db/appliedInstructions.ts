import type { Db, Trx } from './connect.js';

/** A transaction in the ledger's history. */
export interface HistoryPosition {
  signature: string;
  slot: bigint;
}

/** Returns which of the transactions any replica has projected already. */
export async function projectedAmong(db: Db | Trx, signatures: readonly string[]): Promise<Set<string>> {
  if (signatures.length === 0) return new Set();
  const rows = await db
    .selectFrom('applied_instructions')
    .select('signature')
    .distinct()
    .where('signature', 'in', signatures)
    .execute();
  return new Set(rows.map((row) => row.signature));
}

/**
 * Claims the instructions of a ledger transaction for the caller's database transaction. A replica that claims the same ones
 * waits until that one ends, and gets what it did not keep.
 *
 * @returns the indexes that are the caller's to project
 */
export async function claimInstructions(
  trx: Trx,
  { signature, slot }: HistoryPosition,
  names: readonly string[],
): Promise<Set<number>> {
  if (names.length === 0) return new Set();
  const rows = await trx
    .insertInto('applied_instructions')
    .values(names.map((name, index) => ({ signature, slot, name, instruction_index: index })))
    .onConflict((conflict) => conflict.columns(['signature', 'instruction_index']).doNothing())
    .returning('instruction_index')
    .execute();
  return new Set(rows.map((row) => row.instruction_index));
}
