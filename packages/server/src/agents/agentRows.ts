import { isLost, isLostOfTask, isTakenAway } from './reputationRows.js';
import { sql } from 'kysely';
import type { Db, Trx } from '../db/connect.js';
import type { AgentRow } from '../db/schema.js';
import { keepBindingCalls, type KeptCall } from '../identity/signedCalls.js';
import { setSignaturesAskedFor } from '../identity/signingKeys.js';

const AIRDROP_PAUSE = sql<Date>`now() - interval '24 hours'`;

/**
 * Registers the agent, or updates the name and capabilities it gives. An unsigned call leaves alone what a signed one set.
 */
export async function upsertAgent(
  trx: Trx,
  agent: { pubkey: string; displayName: string | undefined; capabilities: string[] | undefined },
  call: KeptCall | undefined,
): Promise<void> {
  const signed = call !== undefined;
  if (call) await keepBindingCalls(trx, [call]);
  await trx
    .insertInto('agents')
    .values({
      pubkey: agent.pubkey,
      display_name: agent.displayName ?? null,
      ...(agent.capabilities && { capabilities: agent.capabilities }),
      profile_signed: signed,
    })
    .onConflict((conflict) =>
      conflict
        .column('pubkey')
        .doUpdateSet((eb) => ({
          display_name: agent.displayName ?? eb.ref('agents.display_name'),
          capabilities: agent.capabilities ?? eb.ref('agents.capabilities'),
          profile_signed: signed,
        }))
        .where((eb) => eb.or([eb('agents.profile_signed', '=', false), eb.val(signed)])),
    )
    .execute();
}

/** Changes the fields of the profile that are given, and registers a wallet that is new. The agent's key signed the call. */
export async function updateProfile(
  trx: Trx,
  agent: {
    pubkey: string;
    displayName: string | null | undefined;
    capabilities: string[] | undefined;
    requireSignedCalls: boolean | undefined;
  },
  call: KeptCall,
): Promise<AgentRow> {
  const given = {
    ...(agent.displayName !== undefined && { display_name: agent.displayName }),
    ...(agent.capabilities && { capabilities: agent.capabilities }),
    profile_signed: true,
  };
  await keepBindingCalls(trx, [call]);
  if (agent.requireSignedCalls !== undefined) {
    await setSignaturesAskedFor(trx, agent.pubkey, agent.requireSignedCalls, call.signature);
  }
  return trx
    .insertInto('agents')
    .values({ pubkey: agent.pubkey, ...given })
    .onConflict((conflict) => conflict.column('pubkey').doUpdateSet(given))
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function findAgent(db: Db, pubkey: string): Promise<AgentRow | undefined> {
  return db.selectFrom('agents').selectAll().where('pubkey', '=', pubkey).executeTakeFirst();
}

/** The record of an agent so far, packages and digital tasks together. */
export interface AgentHistory {
  legs_pending: bigint;
  legs_completed: bigint;
  legs_lost: bigint;
  earned: bigint;
  /** Of packages. */
  bids: bigint;
  /** True if it has or gave up a leg of a digital task. */
  has_claims: boolean;
  last_completed_at: Date | null;
}

/** Legs of packages. */
const physicalHistory = (agent: string) => sql`
  select open.*, done.* from (
    select
      count(*) filter (where swarms.status = 'active' and legs.ended_at is null
        and legs.stage is distinct from 'vacant') as pending,
      count(*) filter (where ${isLost}) as lost
    from legs join swarms on swarms.id = legs.swarm_id
    where legs.agent_pubkey = ${agent} and legs.status = 'pending'
  ) open, (
    select
      count(*) as completed,
      coalesce(sum(paid_lamports) filter (where asset = 0), 0)::int8 as earned,
      max(completed_at) as last_completed_at
    from legs
    where agent_pubkey = ${agent} and status = 'completed'
  ) done`;

/** Legs of digital tasks. */
const digitalHistory = (agent: string) => sql`
  select open.*, done.* from (
    select
      count(*) filter (where status = 'in_progress') as pending,
      count(*) filter (where ${isLostOfTask}) + (
        select count(*) from barred_agents where agent_pubkey = ${agent} and ${isTakenAway}) as lost
    from digital_legs
    where agent_pubkey = ${agent} and status <> 'completed'
  ) open, (
    select
      count(*) as completed,
      coalesce(sum(payment_lamports) filter (where asset = 0), 0)::int8 as earned,
      max(completed_at) as last_completed_at
    from digital_legs
    where agent_pubkey = ${agent} and status = 'completed'
  ) done`;

/** Counts in one statement, so that the figures belong together. */
export async function readHistory(db: Db, agentPubkey: string): Promise<AgentHistory> {
  const { rows } = await sql<AgentHistory>`
    select physical.pending + digital.pending as legs_pending,
      physical.completed + digital.completed as legs_completed,
      physical.lost + digital.lost as legs_lost,
      physical.earned + digital.earned as earned,
      greatest(physical.last_completed_at, digital.last_completed_at) as last_completed_at,
      (select count(*) from bids where agent_pubkey = ${agentPubkey}) as bids,
      exists (select from digital_legs where agent_pubkey = ${agentPubkey})
        or exists (select from barred_agents where agent_pubkey = ${agentPubkey}) as has_claims
    from (${physicalHistory(agentPubkey)}) physical, (${digitalHistory(agentPubkey)}) digital`.execute(db);
  const row = rows[0];
  if (row === undefined) throw new Error('an aggregate without a row');
  return row;
}

/** Takes the wallet's airdrop of these 24 hours; false when it was taken before. */
export async function takeAirdrop(db: Db, pubkey: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('agents')
    .set({ airdropped_at: sql<Date>`now()`, airdrop_signature: null })
    .where('pubkey', '=', pubkey)
    .where((eb) => eb.or([eb('airdropped_at', 'is', null), eb('airdropped_at', '<=', AIRDROP_PAUSE)]))
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function recordAirdrop(db: Db, pubkey: string, signature: string): Promise<void> {
  await db.updateTable('agents').set({ airdrop_signature: signature }).where('pubkey', '=', pubkey).execute();
}

/** The faucet refused: the wallet may ask again. */
export async function giveAirdropBack(db: Db, pubkey: string): Promise<void> {
  await db
    .updateTable('agents')
    .set({ airdropped_at: null })
    .where('pubkey', '=', pubkey)
    .where('airdrop_signature', 'is', null)
    .execute();
}
