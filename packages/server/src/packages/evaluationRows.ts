import { sql } from 'kysely';
import type { Db, Trx } from '../db/connect.js';
import { isHalted } from '../db/finality.js';
import { compiled } from '../db/statements.js';

/** The package has one bid fewer: no search under way counts any more, and without live bids none is due. */
export async function noteWithdrawal(trx: Trx, id: string): Promise<void> {
  await trx
    .updateTable('packages')
    .set((eb) => ({
      bids_version: eb('bids_version', '+', 1n),
      evaluate_at: sql<Date | null>`case when exists (
        select from bids where package_id = packages.id and ended_at is null and expires_at > now()
      ) then evaluate_at end`,
    }))
    .where('id', '=', id)
    .execute();
}

interface Choice {
  except: readonly string[];
  limit: number;
}

const due = compiled((db, { except, limit }: Choice) =>
  db
    .selectFrom('packages')
    .select('id')
    .where('evaluate_at', '<=', sql<Date>`now()`)
    .where('status', '=', 'listed')
    .where((eb) => eb.not(isHalted(sql`'package:' || packages.id`)))
    .where(sql<boolean>`id <> all (${except}::uuid[])`)
    .orderBy('evaluate_at')
    .limit(limit),
);

/** The listed packages whose evaluation is due, oldest first, without those that are halted and those in `except`. */
export async function dueForEvaluation(db: Db, choice: Choice): Promise<string[]> {
  return (await due(db, choice)).map((row) => row.id);
}

const bidsVersion = compiled((db, { id }: { id: string }) =>
  db
    .selectFrom('packages')
    .select(['bids_version as version', sql<boolean>`coalesce(evaluate_at <= now(), false)`.as('isDue')])
    .where('id', '=', id),
);

/** Which version the package's bids have, and whether its evaluation is due. */
export async function readBidsVersion(db: Db, id: string): Promise<{ version: bigint; isDue: boolean } | undefined> {
  return (await bidsVersion(db, { id }))[0];
}

/** Makes evaluations due that wait after a failed formation, as if none had failed. @returns whether anything waited */
export async function evaluateNow(trx: Trx): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('packages')
    .set({ evaluate_at: sql<Date>`now()`, failed_formations: 0 })
    .where('status', '=', 'listed')
    .where('failed_formations', '>', 0)
    .where('evaluate_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Makes every package that the agent has a live bid on due, now or when its bidding window closes. No search under way counts any more. */
export async function evaluateBidsOf(trx: Trx, agentPubkey: string): Promise<void> {
  await trx
    .updateTable('packages')
    .set((eb) => ({
      bids_version: eb('bids_version', '+', 1n),
      evaluate_at: sql<Date>`greatest(now(), bidding_closes_at)`,
    }))
    .where('status', '=', 'listed')
    .where(
      sql<boolean>`exists (
        select from bids where package_id = packages.id and agent_pubkey = ${agentPubkey}
          and ended_at is null and expires_at > now()
      )`,
    )
    .execute();
}

/** Clears the evaluation that is due, unless the bids have changed since this version. */
export async function clearEvaluation(db: Db | Trx, id: string, bidsVersion: bigint): Promise<void> {
  await db
    .updateTable('packages')
    .set({ evaluate_at: null })
    .where('id', '=', id)
    .where('bids_version', '=', bidsVersion)
    .execute();
}
