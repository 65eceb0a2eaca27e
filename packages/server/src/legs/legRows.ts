import { isEarning } from '../ledger/assets.js';
import { LEG_WITHOUT_RESULT, type LegWithoutResult } from '../db/schema/tasks.js';
import {
  type DigitalLegStatus,
  type Lamports,
  type LegStatus,
  type SwarmStatus,
  toLamports,
} from '@legwork/protocol/contract';
import { type SqlBool, sql } from 'kysely';
import { compiled } from '../db/statements.js';
import type { Db, Trx } from '../db/connect.js';
import { addEarnings } from '../money/rewardRows.js';
import type { ListedTaskRow } from '../tasks/taskRows.js';
import type { ListedPackageRow } from '../packages/packageRows.js';
import type { DigitalTaskRow, LegRow, PackageRow } from '../db/schema.js';
import { transition } from '../db/transition.js';

/** A leg as its courier needs to see it. */
export interface QueuedLegRow extends LegRow {
  package_id: string;
  package_status: ListedPackageRow['status'];
  package_description: string;
  deadline: Date;
  swarm_status: SwarmStatus;
  is_turn: boolean;
  terms: PackageRow['terms'];
  recipient_pubkey: string;
  take_over_leg_id: string | null;
  /** When its turn came; null: not yet. */
  started_at: Date | null;
}

/** While the swarm is active it is the turn of its first leg that is not completed. Rule P-39. */
const isTurn = sql<boolean>`swarms.status = 'active' and legs.status = 'pending' and legs.ended_at is null and not exists (
  select from legs as earlier
  where earlier.swarm_id = legs.swarm_id and earlier.leg_index < legs.leg_index and earlier.status = 'pending'
    and earlier.ended_at is null)`;

/** The first leg's turn comes with the formation, each other one's with the handoff before it. */
const startedAt = sql<Date | null>`case when before.id is not null then before.completed_at
  when swarms.form_signature is not null then coalesce(formed.applied_at, swarms.created_at) end`;

/** A page of an agent's legs, newest first; `before` is the id of the last one of the page before. */
interface QueuePage<Status> {
  agentPubkey: string;
  status: Status | undefined;
  before: string | undefined;
  limit: number;
}

/** A page of an agent's legs of packages. Pending ones are those that can still be carried: their swarm has not failed. */
export async function pageOfLegs(db: Db, page: QueuePage<LegStatus>): Promise<QueuedLegRow[]> {
  let query = db
    .selectFrom('legs')
    .innerJoin('swarms', 'swarms.id', 'legs.swarm_id')
    .innerJoin('packages', 'packages.id', 'swarms.package_id')
    .leftJoin('legs as before', (join) =>
      join
        .onRef('before.swarm_id', '=', 'legs.swarm_id')
        .on(sql<SqlBool>`before.leg_index = legs.leg_index - 1 and before.ended_at is null`),
    )
    .leftJoin('legs as next', (join) =>
      join
        .onRef('next.swarm_id', '=', 'legs.swarm_id')
        .on(sql<SqlBool>`next.leg_index = legs.leg_index + 1 and next.ended_at is null`),
    )
    .leftJoin('ledger_transactions as formed', 'formed.signature', 'swarms.form_signature')
    .selectAll('legs')
    .select([
      'swarms.package_id',
      'swarms.status as swarm_status',
      'packages.description as package_description',
      'packages.deadline',
      'before.id as take_over_leg_id',
      startedAt.as('started_at'),
      sql<ListedPackageRow['status']>`packages.status`.as('package_status'),
      'packages.terms',
      sql<string>`coalesce(next.agent_pubkey, packages.terms ->> 'receiverPubkey', packages.shipper_pubkey)`.as(
        'recipient_pubkey',
      ),
      isTurn.as('is_turn'),
    ])
    .where('legs.agent_pubkey', '=', page.agentPubkey)
    .orderBy('legs.id', 'desc')
    .limit(page.limit);
  if (page.status !== undefined) query = query.where('legs.status', '=', page.status);
  if (page.status === 'pending') {
    query = query.where('swarms.status', '<>', 'failed').where('legs.ended_at', 'is', null);
    query = query.where(sql<boolean>`legs.stage is distinct from 'vacant'`);
  }
  if (page.before !== undefined) query = query.where('legs.id', '<', page.before);
  return query.execute();
}

/** A digital leg as its agent needs to see it. */
export interface QueuedDigitalLegRow extends LegWithoutResult {
  agent_pubkey: string;
  terms: DigitalTaskRow['terms'];
  task_status: ListedTaskRow['status'];
  task_title: string;
  deadline: Date;
  num_legs: number;
  max_budget_lamports: Lamports;
  is_workable: boolean;
}

/** Rule M-56. */
const isWorkable = sql<boolean>`digital_tasks.status in ('listed', 'in_progress') and not exists (
  select from digital_legs as earlier
  where earlier.task_id = digital_legs.task_id and earlier.leg_index < digital_legs.leg_index
    and earlier.status <> 'completed')`;

/** A page of an agent's legs of digital tasks. */
export async function pageOfDigitalLegs(db: Db, page: QueuePage<DigitalLegStatus>): Promise<QueuedDigitalLegRow[]> {
  let query = db
    .selectFrom('digital_legs')
    .innerJoin('digital_tasks', 'digital_tasks.id', 'digital_legs.task_id')
    .select(LEG_WITHOUT_RESULT)
    .select([
      'digital_tasks.title as task_title',
      'digital_tasks.deadline',
      'digital_tasks.num_legs',
      'digital_tasks.max_budget_lamports',
      'digital_tasks.terms',
      sql<string>`digital_legs.agent_pubkey`.as('agent_pubkey'),
      sql<ListedTaskRow['status']>`digital_tasks.status`.as('task_status'),
      isWorkable.as('is_workable'),
    ])
    .where('digital_legs.agent_pubkey', '=', page.agentPubkey)
    .orderBy('digital_legs.id', 'desc')
    .limit(page.limit);
  if (page.status !== undefined) query = query.where('digital_legs.status', '=', page.status);
  if (page.before !== undefined) query = query.where('digital_legs.id', '<', page.before);
  return query.execute();
}

/** The part of a confirmation that a leg keeps. */
interface Completion {
  confirmSignature: string;
  paidLamports: Lamports;
  /** Of a leg with terms. */
  columns: object;
}

/** @returns false when the leg was completed already */
export async function markLegCompleted(trx: Trx, leg: LegRow, completion: Completion): Promise<boolean> {
  const { confirmSignature, paidLamports } = completion;
  const confirmed = { confirm_signature: confirmSignature, paid_lamports: paidLamports };
  const columns = { ...completion.columns, ...confirmed, completed_at: sql<Date>`now()` };
  const completed = await transition(trx, 'leg', leg.id, 'confirmed', { columns });
  if (completed && isEarning(leg) && paidLamports > 0n) addEarnings(trx, leg.agent_pubkey, paidLamports);
  return completed !== undefined;
}

const confirmationIn = compiled((db, { legId }: { legId: string }) =>
  db
    .selectFrom('legs')
    .innerJoin('swarms', 'swarms.id', 'legs.swarm_id')
    .select(['legs.status', 'confirm_signature', 'swarms.status as swarm_status', 'settle_signature'])
    .select(sql<boolean>`leg_index = total_legs - 1`.as('is_last'))
    .where('legs.id', '=', legId),
);

/** How far the payment of a leg is, and the settlement after the last one. @throws Error when there is no such leg */
export async function readConfirmation(db: Db | Trx, legId: string) {
  const [leg] = await confirmationIn(db, { legId });
  if (leg === undefined) throw new Error(`there is no leg ${legId}`);
  return leg;
}

/** The legs of the package that were paid, in carrying order. */
export async function paidLegs(trx: Trx, packageId: string) {
  return trx
    .selectFrom('legs')
    .innerJoin('swarms', 'swarms.id', 'legs.swarm_id')
    .select(['leg_index', 'agent_pubkey', 'paid_lamports as payment_lamports', 'confirm_signature'])
    .where('package_id', '=', packageId)
    .where('legs.status', '=', 'completed')
    .orderBy('leg_index')
    .$narrowType<{ confirm_signature: string; payment_lamports: Lamports }>()
    .execute();
}

/** The rest of the budget, plus stakes forfeited to the vault. */
export async function leftInVault(trx: Trx, listing: PackageRow | DigitalTaskRow): Promise<Lamports> {
  const { id, max_budget_lamports: budget, on_chain_vault: vault } = listing;
  const legs =
    'num_legs' in listing
      ? sql`(select id, payment_lamports as paid_lamports from digital_legs where task_id = ${id})`
      : sql`(select legs.id, paid_lamports from legs join swarms on swarms.id = legs.swarm_id where swarms.package_id = ${id})`;
  const { rows } = await sql<{ paid: bigint; gained: bigint }>`
    select coalesce(sum(paid_lamports), 0)::int8 as paid, coalesce(sum((
      select sum((moved ->> 'lamports')::int8) from leg_moves, jsonb_array_elements(movements) as moved
      where leg_moves.leg_id = legs.id and moved ->> 'to' = ${vault})), 0)::int8 as gained
    from ${legs} legs`.execute(trx);
  const { paid = 0n, gained = 0n } = rows[0] ?? {};
  return toLamports(budget - paid + gained);
}

/** The legs that the swarm was formed with, no matter who has them now, in carrying order. */
export async function firstLegs(trx: Trx, swarmId: string): Promise<LegRow[]> {
  return trx
    .selectFrom('legs')
    .selectAll()
    .where('swarm_id', '=', swarmId)
    .where('assign_signature', 'is', null)
    .orderBy('leg_index')
    .execute();
}

/** The leg that a replacement got for its bid, and the one whose place it took; undefined: the ledger shows none. */
export async function legOfBid(trx: Trx, bidId: string): Promise<(LegRow & { former_id: string }) | undefined> {
  return trx
    .selectFrom('legs')
    .innerJoin('bids', 'bids.id', 'legs.bid_id')
    .selectAll('legs')
    .select('bids.leg_id as former_id')
    .where('legs.bid_id', '=', bidId)
    .where('legs.assign_signature', 'is not', null)
    .$narrowType<{ former_id: string }>()
    .executeTakeFirst();
}
