import { type FailureReason, statusesBefore } from '@legwork/protocol/contract';
import { sql } from 'kysely';
import type { Db, Trx } from './connect.js';
import type { LegRow, NewLeg, SwarmRow } from './schema.js';

export type NewSwarm = Omit<SwarmRow, 'created_at' | 'status' | 'form_signature' | 'settle_signature' | 'failure'>;

/** A swarm with its legs in order. */
export interface SwarmWithLegs extends SwarmRow {
  legs: LegRow[];
}

export async function insertSwarm(trx: Trx, swarm: NewSwarm, legs: NewLeg[]): Promise<void> {
  await trx
    .insertInto('swarms')
    .values({ ...swarm, status: 'forming' })
    .execute();
  await trx.insertInto('legs').values(legs).execute();
}

async function withLegs(db: Db | Trx, swarm: SwarmRow | undefined): Promise<SwarmWithLegs | undefined> {
  if (swarm === undefined) return undefined;
  const legs = await db.selectFrom('legs').selectAll().where('swarm_id', '=', swarm.id).orderBy('leg_index').execute();
  return { ...swarm, legs };
}

export async function findSwarm(db: Db | Trx, id: string): Promise<SwarmWithLegs | undefined> {
  return withLegs(db, await db.selectFrom('swarms').selectAll().where('id', '=', id).executeTakeFirst());
}

/** Reads the swarm and keeps everybody else from changing it until the transaction ends. */
export async function lockSwarm(trx: Trx, id: string): Promise<SwarmWithLegs | undefined> {
  return withLegs(trx, await trx.selectFrom('swarms').selectAll().where('id', '=', id).forUpdate().executeTakeFirst());
}

/** The swarm formed last for the package. */
export async function newestSwarm(db: Db | Trx, packageId: string): Promise<SwarmWithLegs | undefined> {
  const swarm = await db
    .selectFrom('swarms')
    .selectAll()
    .where('package_id', '=', packageId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return withLegs(db, swarm);
}

/** The swarm of the package that the ledger has shown as formed: there is one at most. Rule P-23. */
export async function formedSwarm(trx: Trx, packageId: string): Promise<SwarmWithLegs | undefined> {
  const swarm = await trx
    .selectFrom('swarms')
    .selectAll()
    .where('package_id', '=', packageId)
    .where('form_signature', 'is not', null)
    .executeTakeFirst();
  return withLegs(trx, swarm);
}

/** The swarm of the package that is decided and not yet shown by the ledger. */
export async function formingSwarm(trx: Trx, packageId: string): Promise<SwarmWithLegs | undefined> {
  const swarm = await trx
    .selectFrom('swarms')
    .selectAll()
    .where('package_id', '=', packageId)
    .where('status', '=', 'forming')
    .executeTakeFirst();
  return withLegs(trx, swarm);
}

export async function swarmOfLeg(db: Db | Trx, legId: string): Promise<SwarmWithLegs | undefined> {
  const leg = await db.selectFrom('legs').select('swarm_id').where('id', '=', legId).executeTakeFirst();
  return leg && findSwarm(db, leg.swarm_id);
}

/** forming -> active and its package swarm_forming -> in_transit; false when that was done already. */
export async function markFormed(trx: Trx, swarm: SwarmRow, formSignature: string): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('swarms')
    .set({ status: 'active', form_signature: formSignature })
    .where('id', '=', swarm.id)
    .where('status', 'in', statusesBefore('swarm', 'formation_confirmed'))
    .executeTakeFirst();
  if (numUpdatedRows !== 1n) return false;
  await trx
    .updateTable('packages')
    .set({ status: 'in_transit', formation: swarm.formation })
    .where('id', '=', swarm.package_id)
    .where('status', 'in', statusesBefore('package', 'formation_confirmed'))
    .execute();
  return true;
}

const FIRST_RETRY_SEC = 2;
const LAST_RETRY_SEC = 300;

/** When the bids are looked at again: after a pause that doubles with each failed formation of the package. */
const afterPause = sql<Date>`now() + make_interval(secs =>
  least(${LAST_RETRY_SEC}::float8, ${FIRST_RETRY_SEC}::float8 * 2 ^ least(failed_formations, 16)))`;

/** forming -> failed; the package is listed again and, with `retry`, evaluated after a pause. */
export async function markFormationFailed(
  trx: Trx,
  swarm: SwarmRow,
  failure: { reason: string; retry: boolean },
): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('swarms')
    .set({ status: 'failed', failure: failure.reason })
    .where('id', '=', swarm.id)
    .where('status', 'in', statusesBefore('swarm', 'formation_failed'))
    .executeTakeFirst();
  if (numUpdatedRows !== 1n) return;
  await trx
    .updateTable('packages')
    .set((eb) => ({
      status: 'listed',
      failed_formations: eb('failed_formations', '+', 1),
      bids_version: eb('bids_version', '+', 1n),
      evaluate_at: failure.retry ? afterPause : null,
    }))
    .where('id', '=', swarm.package_id)
    .where('status', 'in', statusesBefore('package', 'formation_failed'))
    .execute();
}

/** pending -> completed; false when it was completed already. */
export async function markLegCompleted(trx: Trx, legId: string, confirmSignature: string): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('legs')
    .set({ status: 'completed', confirm_signature: confirmSignature, completed_at: sql<Date>`now()` })
    .where('id', '=', legId)
    .where('status', 'in', statusesBefore('leg', 'confirmed'))
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** active -> settled; false when it was settled already. */
export async function markSettled(trx: Trx, swarmId: string, settleSignature: string): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('swarms')
    .set({ status: 'settled', settle_signature: settleSignature })
    .where('id', '=', swarmId)
    .where('status', 'in', statusesBefore('swarm', 'settled'))
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** The package's forming or active swarm -> failed, if there is one. */
export async function markSwarmEnded(trx: Trx, packageId: string, reason: FailureReason): Promise<void> {
  await trx
    .updateTable('swarms')
    .set({ status: 'failed', failure: reason })
    .where('package_id', '=', packageId)
    .where('status', 'in', statusesBefore('swarm', reason))
    .execute();
}
