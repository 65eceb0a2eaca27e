import type { Qualified } from '@legwork/protocol/rules';
import { type RawBuilder, sql } from 'kysely';
import type { Db, Trx } from '../db/connect.js';
import { trustAdjustment } from '../identity/credentialRows.js';
import { uncarriedBy } from '../personal/privateRows.js';
import type { ReputationRow } from '../db/schema.js';
import { unseen } from '../db/statements.js';
import { listingOf } from '../db/listings.js';
import { lapsesOf, legsWaiting } from '../legs/waitingRows.js';

export async function findReputation(db: Db | Trx, agentPubkey: string): Promise<ReputationRow | undefined> {
  return db.selectFrom('reputations').selectAll().where('agent_pubkey', '=', agentPubkey).executeTakeFirst();
}

/**
 * Mirrors readings of reputation accounts; a reading of an older slot never replaces a newer one. One that shows the account
 * unchanged leaves the instant of the reading that showed the change: credentials stay the same that long. Rule S-64.
 */
export async function mirrorReputations(trx: Trx, readings: Omit<ReputationRow, 'mirrored_at'>[]): Promise<void> {
  if (readings.length === 0) return;
  // One order everywhere, so that two transactions that mirror the same agents cannot deadlock.
  const ordered = [...readings].sort((a, b) => (a.agent_pubkey < b.agent_pubkey ? -1 : 1));
  await trx
    .insertInto('reputations')
    .values(ordered.map((reading) => ({ ...reading, mirrored_at: sql<Date>`now()` })))
    .onConflict((conflict) =>
      conflict
        .column('agent_pubkey')
        .doUpdateSet((eb) => ({
          on_chain_pda: eb.ref('excluded.on_chain_pda'),
          legs_accepted: eb.ref('excluded.legs_accepted'),
          legs_completed: eb.ref('excluded.legs_completed'),
          reliability_score: eb.ref('excluded.reliability_score'),
          slot: eb.ref('excluded.slot'),
          mirrored_at: sql<Date>`case when reputations.legs_accepted + reputations.legs_completed
            < excluded.legs_accepted + excluded.legs_completed then excluded.mirrored_at else reputations.mirrored_at end`,
        }))
        // The counts only grow: of two readings of one slot the larger is the later.
        .where(
          sql<boolean>`(reputations.slot, reputations.legs_accepted + reputations.legs_completed)
            <= (excluded.slot, excluded.legs_accepted + excluded.legs_completed)`,
        ),
    )
    .execute();
}

/**
 * Forgets what was mirrored of agents up to a slot by which the ledger has no account of theirs: what made it was taken back. An agent
 * that a listing still shows as assigned keeps its own: the ledger knows it, or what is missing of it may come back. Rule S-257.
 */
export async function forgetReputations(trx: Trx, agents: readonly string[], slot: bigint): Promise<void> {
  await sql`delete from reputations where agent_pubkey = any (${agents}::text[]) and slot <= ${slot}
    and not exists (select from legs join swarms on swarms.id = swarm_id
      where legs.agent_pubkey = reputations.agent_pubkey and form_signature is not null)
    and not exists (select from digital_legs
      where digital_legs.agent_pubkey = reputations.agent_pubkey and assign_signature is not null)
    and not exists (select from barred_agents
      where barred_agents.agent_pubkey = reputations.agent_pubkey and release_signature is not null)`.execute(trx);
}

/** The agents that ever had a leg of the listings. */
export async function agentsOf(db: Db, subjects: readonly string[]): Promise<string[]> {
  const listings = subjects.map(listingOf);
  const packages = listings.flatMap((listing) => ('packageId' in listing ? [listing.packageId] : []));
  const tasks = listings.flatMap((listing) => ('taskId' in listing ? [listing.taskId] : []));
  const { rows } = await sql<{ agent_pubkey: string }>`
    select legs.agent_pubkey from legs join swarms on swarms.id = swarm_id where package_id = any (${packages}::uuid[])
    union select agent_pubkey from digital_legs where task_id = any (${tasks}::uuid[]) and agent_pubkey is not null
    union select agent_pubkey from barred_agents where task_id = any (${tasks}::uuid[])`.execute(db);
  return rows.map((row) => row.agent_pubkey);
}

/** A mirrored reputation with the name its agent gave. */
export interface RankedRow extends ReputationRow {
  display_name: string | null;
}

/** The agents of the best score; equal scores by legs completed, then by address in the order of its bytes. */
export async function mostReliable(db: Db, limit: number): Promise<RankedRow[]> {
  return db
    .selectFrom('reputations')
    .leftJoin('agents', 'agents.pubkey', 'reputations.agent_pubkey')
    .selectAll('reputations')
    .select('agents.display_name')
    .orderBy('reputations.reliability_score', 'desc')
    .orderBy('reputations.legs_completed', 'desc')
    .orderBy(sql`reputations.agent_pubkey collate "C"`)
    .limit(limit)
    .execute();
}

/** An agent's standing: has_history once a leg of its ended, completed or lost. */
export interface Standing {
  reliability_score: number;
  has_history: boolean;
  /** Percent points, 0 or below. */
  trust_adjustment: number;
}

/** An agent's standing; a newcomer has no reputation account. */
export interface MirroredStanding extends Standing {
  agent_pubkey: string;
  is_newcomer: boolean;
}

/**
 * True if a leg of a package was lost: its swarm failed after its formation while it had a courier, with terms while that carried the
 * parcel; or its courier lost its stake, or was ruled to be paid nothing. An end by others before that costs it nothing. Rules M-12, T-100.
 */
export const isLost = sql<boolean>`(legs.forfeited_lamports > 0 or legs.percent = 0 or swarms.status = 'failed'
  and swarms.form_signature is not null and legs.ended_at is null and coalesce(legs.stage, 'carried') = 'carried')`;

/** True if a leg of a task without terms was lost: it was assigned, and its task failed. With terms, its worker gets the stake back. */
export const isLostOfTask = sql<boolean>`(digital_legs.status = 'failed' and digital_legs.assign_signature is not null
  and digital_legs.stage is null)`;

/**
 * True if an agent lost a task's leg that was taken from it: an assigned one without terms; with them, one that was ruled to be paid
 * nothing, or that it was late with, if anything was counted.
 */
export const isTakenAway = sql<boolean>`(barred_agents.release_signature is not null and (
  barred_agents.reason = 'rejected'
  or (select digital_tasks.terms is null from digital_tasks where digital_tasks.id = barred_agents.task_id)
  or barred_agents.reason = 'timeout' and exists (
    select from reputations as counted
    where counted.agent_pubkey = barred_agents.agent_pubkey and counted.legs_accepted > counted.legs_completed)))`;

/** True if a leg of the agent ended without completion, so that its history has begun. */
export const lostLeg = (agent: RawBuilder<string>) =>
  sql<boolean>`(exists (
    select from legs join swarms on swarms.id = legs.swarm_id
    where legs.agent_pubkey = ${agent} and legs.status = 'pending' and ${isLost})
  or exists (select from barred_agents where barred_agents.agent_pubkey = ${agent} and ${isTakenAway})
  or exists (select from digital_legs where digital_legs.agent_pubkey = ${agent} and ${isLostOfTask}))`;

/** The standing of each agent in the mirror, in their order, as selection and payment see it. */
export async function standingsInMirror(db: Db, agents: readonly string[]): Promise<MirroredStanding[]> {
  const pubkey = sql<string>`asked.agent_pubkey`;
  const { rows } = await sql<MirroredStanding>`
    select ${pubkey}, coalesce(reliability_score, 0)::int4 as reliability_score,
      coalesce(legs_completed > 0, false) or ${lostLeg(pubkey)} as has_history,
      ${trustAdjustment(pubkey)} as trust_adjustment, reputations.agent_pubkey is null as is_newcomer
    from unnest(${unseen(agents)}) with ordinality as asked (agent_pubkey, place)
      left join reputations on reputations.agent_pubkey = asked.agent_pubkey
    order by place`.execute(db);
  return rows;
}

/** The standing of an agent in the mirror. */
export async function standingInMirror(db: Db, agentPubkey: string): Promise<MirroredStanding> {
  const [standing] = await standingsInMirror(db, [agentPubkey]);
  if (!standing) throw new Error('an agent without a standing');
  return standing;
}

/** The capabilities that requirements may ask of an agent: its own key, which is longer than any that an agent names, and those. */
export const capabilitiesOf = (pubkey: string, named: readonly string[]): string[] => [pubkey, ...named];

/** The qualifications of each agent; those without a reputation account are left out. */
export async function qualifiedAmong(db: Db | Trx, agents: readonly string[]): Promise<Map<string, Qualified>> {
  if (agents.length === 0) return new Map();
  const agent = sql<string>`reputations.agent_pubkey`;
  const { rows } = await sql<Qualified>`
    select ${agent} as "agentPubkey", reliability_score as "reliabilityScore",
      legs_completed::int4 as "legsCompleted", coalesce(capabilities, '{}') as capabilities,
      ${legsWaiting(agent)} as "legsWaiting", ${lapsesOf(agent)} as lapses, ${uncarriedBy(agent)} as uncarried
    from reputations left join agents on agents.pubkey = reputations.agent_pubkey
    where reputations.agent_pubkey = any (${agents})`.execute(db);
  return new Map(
    rows.map((row) => [row.agentPubkey, { ...row, capabilities: capabilitiesOf(row.agentPubkey, row.capabilities) }]),
  );
}
