import { type RawBuilder, sql } from 'kysely';
import type { Db, Trx } from '../db/connect.js';
import { deleteInBatches } from '../db/transaction.js';

const A_DAY_AGO = sql`now() - interval '24 hours'`;

/**
 * Legs with terms that an agent won, reserved or was assigned, and has not accepted: of packages also those whose formation or
 * replacement is decided and not on the ledger yet. Rule T-110.
 */
export const legsWaiting = (agent: RawBuilder<string>) => sql<number>`((
  select count(*) from legs join swarms on swarms.id = legs.swarm_id join packages on packages.id = swarms.package_id
  where legs.agent_pubkey = ${agent} and legs.status = 'pending' and legs.ended_at is null
    and coalesce(legs.stage, 'pending') = 'pending' and swarms.status in ('forming', 'active') and packages.terms is not null
) + (
  select count(*) from digital_legs join digital_tasks on digital_tasks.id = digital_legs.task_id
  where digital_legs.agent_pubkey = ${agent} and digital_legs.status in ('pending', 'in_progress')
    and coalesce(digital_legs.stage, 'pending') = 'pending' and digital_tasks.terms is not null
) + (
  select count(*) from outbox join bids on bids.id::text = outbox.payload ->> 'bidId'
  where outbox.kind = 'assign_leg' and outbox.status in ('pending', 'sent') and bids.agent_pubkey = ${agent}
))::int4`;

/** When the agent let the time to accept pass, of the last day. */
export const lapsesOf = (agent: RawBuilder<string>) => sql<Date[]>`array(
  select at from lapses where lapses.agent_pubkey = ${agent} and at > ${A_DAY_AGO})`;

/** Notes that an agent gave the leg up late, and had not accepted it. Rule T-111. */
export async function noteLapse(trx: Trx, lapse: { agent_pubkey: string; leg_id: string; at: Date }): Promise<void> {
  await trx
    .insertInto('lapses')
    .values(lapse)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** How many legs wait for the agent. */
export async function countWaiting(trx: Trx, agentPubkey: string): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`
    select ${legsWaiting(sql`asked.agent`)} as waiting from (select ${agentPubkey}::text as agent) asked`.execute(trx);
  return rows[0]?.waiting ?? 0;
}

/** Deletes lapses that no longer count. @returns how many */
export async function sweepLapses(db: Db): Promise<number> {
  return deleteInBatches(db, 'lapses', sql`at <= ${A_DAY_AGO}`);
}

/** Assigned legs of tasks with terms that agents without a completed leg have not accepted, or have left. */
export interface UnprovenLegs {
  /** Of agents that claimed from the address. */
  byClient: number;
  inAll: number;
}

/** Counts them, with those whose assignment is decided and not on the ledger yet. The caller holds the funds. Rule T-112. */
export async function countUnproven(trx: Trx, client: string): Promise<UnprovenLegs> {
  const { rows } = await sql<UnprovenLegs>`
    select count(*) filter (where held.client = ${client})::int4 as "byClient", count(*)::int4 as "inAll"
    from (
      select agent_pubkey, client from digital_legs where status = 'in_progress' and stage in ('pending', 'vacant')
      union all
      select legs.agent_pubkey, legs.client from outbox
        join digital_legs legs on legs.id::text = outbox.payload ->> 'legId' and legs.claim = (outbox.payload ->> 'claim')::int
        join digital_tasks on digital_tasks.id = legs.task_id
        where outbox.kind = 'assign_task_leg' and outbox.status in ('pending', 'sent') and legs.status = 'pending'
          and digital_tasks.terms is not null
    ) held
    where not exists (
      select from reputations where reputations.agent_pubkey = held.agent_pubkey and legs_completed > 0)`.execute(trx);
  return rows[0] ?? { byClient: 0, inAll: 0 };
}
