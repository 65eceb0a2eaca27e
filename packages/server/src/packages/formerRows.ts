import { sql } from 'kysely';
import type { Trx } from '../db/connect.js';
import { putBack } from '../db/transition.js';
import type { PackageRow } from '../db/schema.js';
import { takeEarningsBack } from '../money/rewardRows.js';
import { markNotReturned } from '../money/sponsorshipRows.js';
import { markSwarmForming } from './packageRows.js';
import { formingSwarm, markFormationFailed } from './swarmRows.js';

/** Why a swarm fails that the ledger took back. */
const TAKEN_BACK = 'the ledger took its formation back';

/** The legs of every swarm of the package. */
const ofPackage = (id: string) => sql`legs.swarm_id in (select id from swarms where package_id = ${id})`;

/**
 * Puts a package back to before its listing, with the swarm that was decided for it; what the ledger does not know of is kept aside
 * until {@link restoreFormerPackage}, in the same transaction.
 */
export async function keepFormerPackage(trx: Trx, { id, close_signature: closed }: PackageRow): Promise<void> {
  await sql`create temp table former_listing on commit drop as select * from packages where id = ${id}`.execute(trx);
  await sql`create temp table former_legs on commit drop as select * from legs where ${ofPackage(id)}`.execute(trx);
  await sql`delete from leg_moves where leg_id in (select id from former_legs)`.execute(trx);
  await takeEarningsBack(
    trx,
    sql`select agent_pubkey, paid_lamports as lamports from former_legs
    where asset = 0 and status = 'completed' and paid_lamports > 0`,
  );
  // A leg has one row at a time: those who took somebody's place go first.
  await sql`update legs set ended_at = coalesce(ended_at, now()) where ${ofPackage(id)} and assign_signature is not null`.execute(
    trx,
  );
  await putBack(trx, 'leg', {
    columns: sql`confirm_signature = null, completed_at = null, paid_lamports = null, stage = null, since = null,
      since_signature = null, until = null, disputer_pubkey = null, percent = null, evidence_hash = null, reason_hash = null,
      forfeited_lamports = 0, evaluate_at = null, ended_at = case when assign_signature is null then null else ended_at end`,
    where: ofPackage(id),
  });
  await putBack(trx, 'swarm', {
    columns: sql`form_signature = null, settle_signature = null, failure = null`,
    where: sql`package_id = ${id} and (form_signature is not null or failure in ('cancelled', 'reclaimed'))`,
  });
  await putBack(trx, 'package', {
    columns: sql`failure_reason = null, list_signature = null, listed_at = null, bidding_closes_at = null, settle_signature = null,
      refund_lamports = null, end_signature = null, close_signature = null, formation = 0, evaluate_at = null`,
    where: sql`id = ${id}`,
  });
  if (closed !== null) await markNotReturned(trx, id);
}

/**
 * Puts back instants that the ledger still accounts for, and gives up a swarm that it took back; then the bids are evaluated again.
 *
 * @param isKept {@link keepFormerPackage} came before; else there was nothing to keep
 */
export async function restoreFormerPackage(trx: Trx, id: string, isKept: boolean): Promise<void> {
  const formerListing = isKept ? sql`former_listing` : sql`(select * from packages where false)`;
  const formerLegs = isKept ? sql`former_legs` : sql`(select * from legs where false)`;
  await sql`
    update packages set
      listed_at = coalesce(former.listed_at, landed.applied_at),
      bidding_closes_at = case when former.listed_at is null then null else former.bidding_closes_at end
    from ledger_transactions landed
      left join ${formerListing} former on former.list_signature = landed.signature
    where packages.id = ${id} and landed.signature = packages.list_signature`.execute(trx);
  await sql`
    update legs set completed_at = coalesce(former.completed_at, landed.applied_at)
    from ledger_transactions landed
      left join ${formerLegs} former on former.confirm_signature = landed.signature
    where ${ofPackage(id)} and landed.signature = legs.confirm_signature and (former.id is null or former.id = legs.id)`.execute(
    trx,
  );
  const swarm = await formingSwarm(trx, id);
  if (swarm !== undefined) {
    await markSwarmForming(trx, id);
    const { rows } = await sql<{ was: string }>`select status as was from ${formerListing} former`.execute(trx);
    if (rows[0]?.was !== 'swarm_forming') await markFormationFailed(trx, swarm, { reason: TAKEN_BACK, retry: true });
  }
  await sql`
    update packages set evaluate_at = greatest(now(), bidding_closes_at) where id = ${id} and status = 'listed' and evaluate_at is null`.execute(
    trx,
  );
}
