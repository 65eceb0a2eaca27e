import { sql } from 'kysely';
import type { Trx } from '../db/connect.js';
import { NO_CLAIM } from './claimRows.js';
import { putBack } from '../db/transition.js';
import type { DigitalTaskRow } from '../db/schema.js';
import { takeEarningsBack } from '../money/rewardRows.js';
import { markNotReturned } from '../money/sponsorshipRows.js';

/** The columns of a claim that the ledger does not know. */
const OF_CLAIM = ['claim', 'bid_lamports', 'signed', 'call_signature', 'client', 'claimed_at'] as const;

/** With terms, a result is one once it is paid for; until then it is evidence. */
const handedIn = (column: 'result' | 'result_hash') =>
  sql`case when former.stage is null or digital_legs.status = 'completed' then former.${sql.ref(column)} end`;

/**
 * Puts a digital task back to before its listing, nobody at work on its legs; what the ledger does not know of is kept aside until
 * {@link restoreFormerTask}, in the same transaction.
 */
export async function keepFormerTask(trx: Trx, { id, close_signature: closed }: DigitalTaskRow): Promise<void> {
  await sql`create temp table former_listing on commit drop as select * from digital_tasks where id = ${id}`.execute(
    trx,
  );
  await sql`create temp table former_legs on commit drop as select * from digital_legs where task_id = ${id}`.execute(
    trx,
  );
  await sql`
    create temp table former_barred on commit drop as select * from barred_agents
    where task_id = ${id} and release_signature is not null`.execute(trx);
  await sql`delete from leg_moves where leg_id in (select id from former_legs)`.execute(trx);
  await sql`delete from barred_agents where task_id = ${id} and release_signature is not null`.execute(trx);
  await takeEarningsBack(
    trx,
    sql`select agent_pubkey, payment_lamports as lamports from former_legs
    where asset = 0 and status = 'completed' and payment_lamports > 0`,
  );
  const open = {
    ...NO_CLAIM,
    held_elsewhere: null,
    confirm_signature: null,
    payment_lamports: null,
    completed_at: null,
  };
  await putBack(trx, 'digitalLeg', {
    columns: sql.join(Object.entries(open).map(([column, value]) => sql`${sql.ref(column)} = ${value}`)),
    where: sql`task_id = ${id}`,
  });
  await putBack(trx, 'task', {
    columns: sql`failure_reason = null, list_signature = null, listed_at = null, settle_signature = null, refund_lamports = null,
      end_signature = null, close_signature = null, formation = 0`,
    where: sql`id = ${id}`,
  });
  if (closed !== null) await markNotReturned(trx, id);
}

/**
 * Puts back instants that the ledger still accounts for, with what its agents gave for the claims that it still shows. A claim whose
 * assignment it took back is a reservation again, whose turn has come.
 *
 * @param isKept {@link keepFormerTask} came before; else there was nothing to keep
 */
export async function restoreFormerTask(trx: Trx, id: string, isKept: boolean): Promise<void> {
  const formerListing = isKept ? sql`former_listing` : sql`(select * from digital_tasks where false)`;
  const formerLegs = isKept ? sql`former_legs` : sql`(select * from digital_legs where false)`;
  await sql`
    update digital_tasks set listed_at = coalesce(former.listed_at, landed.applied_at)
    from ledger_transactions landed
      left join ${formerListing} former on former.list_signature = landed.signature
    where digital_tasks.id = ${id} and landed.signature = digital_tasks.list_signature`.execute(trx);
  await sql`
    update digital_legs set completed_at = coalesce(former.completed_at, landed.applied_at)
    from ledger_transactions landed
      left join ${formerLegs} former on former.confirm_signature = landed.signature
    where digital_legs.task_id = ${id} and landed.signature = digital_legs.confirm_signature`.execute(trx);
  if (!isKept) return;
  await sql`
    update barred_agents set reason = former.reason, barred_at = former.barred_at from former_barred former
    where barred_agents.task_id = ${id} and barred_agents.agent_pubkey = former.agent_pubkey
      and barred_agents.release_signature = former.release_signature`.execute(trx);
  // A leg that is completed has the result whose hash the ledger shows, and no other.
  const kept = sql.join(OF_CLAIM.map((column) => sql`${sql.ref(column)} = former.${sql.ref(column)}`));
  await sql`
    update digital_legs set ${kept}, result = ${handedIn('result')}, result_hash = ${handedIn('result_hash')},
      release_reason = case digital_legs.status when 'in_progress' then former.release_reason end,
      due_at = case when digital_legs.stage is null then former.due_at else digital_legs.due_at end
    from former_legs former
    where digital_legs.task_id = ${id} and former.id = digital_legs.id and former.agent_pubkey = digital_legs.agent_pubkey
      and former.assign_signature = digital_legs.assign_signature
      and (digital_legs.status <> 'completed' or former.result_hash = digital_legs.result_hash)`.execute(trx);
  await sql`
    update digital_legs set agent_pubkey = former.agent_pubkey, bid_lamports = former.bid_lamports, signed = former.signed,
      call_signature = former.call_signature, client = former.client, claimed_at = former.claimed_at,
      claim = case when former.assign_signature is null then former.claim else greatest(former.claim, digital_legs.claim) + 1 end,
      turn_at = case when former.assign_signature is null then former.turn_at else now() end,
      result = ${handedIn('result')}, result_hash = ${handedIn('result_hash')}
    from former_legs former, digital_tasks task
    where task.id = ${id} and digital_legs.task_id = ${id} and former.id = digital_legs.id
      and former.agent_pubkey is not null and digital_legs.agent_pubkey is null and task.status in ('listed', 'in_progress') and digital_legs.status = 'pending'
      and not exists (select from barred_agents barred
        where barred.task_id = task.id and barred.agent_pubkey = former.agent_pubkey)
      and not exists (select from digital_legs other
        where other.task_id = task.id and other.agent_pubkey = former.agent_pubkey)`.execute(trx);
}
