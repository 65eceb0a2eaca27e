import type { DigitalLegStatus, Lamports, LegStatus, SwarmStatus } from '@legwork/protocol/contract';
import { type SqlBool, sql } from 'kysely';
import type { Db, Trx } from './connect.js';
import { LEG_WITHOUT_RESULT, type LegWithoutResult } from './digitalLegs.js';
import { addEarnings } from './earnings.js';
import type { ListedTaskRow } from './digitalTasks.js';
import type { ListedPackageRow } from './packages.js';
import type { LegRow } from './schema.js';
import { transition } from './transition.js';

/** A leg as its courier needs to see it. */
export interface QueuedLegRow extends LegRow {
  package_id: string;
  package_status: ListedPackageRow['status'];
  package_description: string;
  deadline: Date;
  swarm_status: SwarmStatus;
  is_turn: boolean;
  recipient_pubkey: string;
  take_over_leg_id: string | null;
  /** When its turn came; null: not yet. */
  started_at: Date | null;
}

/** While the swarm is active it is the turn of its first leg that is not completed. Rule P-39. */
const isTurn = sql<boolean>`swarms.status = 'active' and legs.status = 'pending' and not exists (
  select from legs as earlier
  where earlier.swarm_id = legs.swarm_id and earlier.leg_index < legs.leg_index and earlier.status = 'pending')`;

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
      join.onRef('before.swarm_id', '=', 'legs.swarm_id').on(sql<SqlBool>`before.leg_index = legs.leg_index - 1`),
    )
    .leftJoin('legs as next', (join) =>
      join.onRef('next.swarm_id', '=', 'legs.swarm_id').on(sql<SqlBool>`next.leg_index = legs.leg_index + 1`),
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
      sql<string>`coalesce(next.agent_pubkey, packages.shipper_pubkey)`.as('recipient_pubkey'),
      isTurn.as('is_turn'),
    ])
    .where('legs.agent_pubkey', '=', page.agentPubkey)
    .orderBy('legs.id', 'desc')
    .limit(page.limit);
  if (page.status !== undefined) query = query.where('legs.status', '=', page.status);
  if (page.status === 'pending') query = query.where('swarms.status', '<>', 'failed');
  if (page.before !== undefined) query = query.where('legs.id', '<', page.before);
  return query.execute();
}

/** A digital leg as its agent needs to see it. */
export interface QueuedDigitalLegRow extends LegWithoutResult {
  agent_pubkey: string;
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

/** @returns false when the leg was completed already */
export async function markLegCompleted(trx: Trx, legId: string, confirmSignature: string): Promise<boolean> {
  const columns = { confirm_signature: confirmSignature, completed_at: sql<Date>`now()` };
  const leg = await transition(trx, 'leg', legId, 'confirmed', { columns });
  if (leg) await addEarnings(trx, leg.agent_pubkey, leg.agreed_payment_lamports);
  return leg !== undefined;
}

/** The legs of the package that were paid, in carrying order. */
export async function paidLegs(trx: Trx, packageId: string) {
  return trx
    .selectFrom('legs')
    .innerJoin('swarms', 'swarms.id', 'legs.swarm_id')
    .select(['leg_index', 'agent_pubkey', 'agreed_payment_lamports as payment_lamports', 'confirm_signature'])
    .where('package_id', '=', packageId)
    .where('legs.status', '=', 'completed')
    .orderBy('leg_index')
    .$narrowType<{ confirm_signature: string }>()
    .execute();
}
