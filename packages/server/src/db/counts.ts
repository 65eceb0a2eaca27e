import { performance } from 'node:perf_hooks';
import type { PackageStatus, TaskStatus } from '@legwork/protocol/contract';
import { sql } from 'kysely';
import type { Db } from './connect.js';

/** How much there is of everything. */
export interface Counts {
  /** Packages by status; a draft is not a package yet. */
  packages: Record<Exclude<PackageStatus, 'draft'>, number>;
  /** Digital tasks by status. */
  digitalTasks: Record<Exclude<TaskStatus, 'draft'>, number>;
  swarms: number;
  bids: number;
  agents: number;
  /** The sum that confirmed legs paid to their agents, of packages and digital tasks. */
  paidLamports: bigint;
  /** The sum in the vaults of everything that is not over. */
  escrowLamports: bigint;
  /** Of listings in tokens, by asset: what they paid, and what their vaults hold, base units. */
  inTokens: readonly { asset: number; paid: string; escrow: string }[];
  /** The number of the newest event; 0 before the first. */
  lastEventSeq: bigint;
  /** From the choice of a chain to its formation on the ledger, of the last hundred; null before the first. */
  medianFormationMs: number | null;
}

type Row = {
  packages: Counts['packages'];
  digital_tasks: Counts['digitalTasks'];
  swarms: bigint;
  bids: bigint;
  agents: bigint;
  paid: bigint;
  escrow: bigint;
  in_tokens: Counts['inTokens'] | null;
  last_event_seq: bigint;
  median_formation_ms: number | null;
};

/** The budgets of what is not over, without what its completed legs were paid, with the stakes that couriers lost to it. */
const ESCROW = sql`
  (select coalesce(sum(max_budget_lamports), 0) from packages where asset = 0 and status in ('listed', 'swarm_forming', 'in_transit'))
  + (select coalesce(sum(max_budget_lamports), 0) from digital_tasks where asset = 0 and status in ('listed', 'in_progress'))
  - (select coalesce(sum(coalesce(paid_lamports, 0) - forfeited_lamports), 0) from packages
    join swarms on swarms.package_id = packages.id and swarms.status = 'active'
    join legs on legs.swarm_id = swarms.id
    where packages.asset = 0 and packages.status = 'in_transit')
  - (select coalesce(sum(payment_lamports), 0) from digital_tasks
    join digital_legs on digital_legs.task_id = digital_tasks.id and digital_legs.status = 'completed'
    where digital_tasks.asset = 0 and digital_tasks.status = 'in_progress')`;

/** The same of what is paid in tokens, by asset. Paid is never taken back; what is held is locked, gained, and not paid out yet. */
const IN_TOKENS = sql`
  select json_agg(json_build_object('asset', asset, 'paid', paid::text, 'escrow', escrow::text) order by asset) from (
    select asset, sum(paid) as paid, sum(held) as escrow from (
      select asset, 0 as paid, max_budget_lamports as held from packages
        where asset <> 0 and status in ('listed', 'swarm_forming', 'in_transit')
      union all select asset, 0, max_budget_lamports from digital_tasks where asset <> 0 and status in ('listed', 'in_progress')
      union all select legs.asset, coalesce(paid_lamports, 0),
          case when swarms.status = 'active' then forfeited_lamports - coalesce(paid_lamports, 0) else 0 end
        from legs join swarms on swarms.id = legs.swarm_id where legs.asset <> 0
      union all select digital_legs.asset, coalesce(payment_lamports, 0),
          case when digital_tasks.status = 'in_progress' then -coalesce(payment_lamports, 0) else 0 end
        from digital_legs join digital_tasks on digital_tasks.id = task_id
        where digital_legs.asset <> 0 and digital_legs.status = 'completed'
    ) amounts group by asset) by_asset`;

const FORMATIONS = 100;
const MEDIAN_FORMATION_MS = sql`
  select round(percentile_cont(0.5) within group (order by extract(epoch from applied_at - created_at) * 1000))::int4
  from (
    select swarms.created_at, ledger_transactions.applied_at
    from swarms join ledger_transactions on ledger_transactions.signature = swarms.form_signature
    order by swarms.id desc limit ${FORMATIONS}
  ) lately`;

/** Counts everything in one statement, so that the figures belong together. */
async function readCounts(db: Db): Promise<Counts> {
  const { rows } = await sql<Row>`
    select
      (select json_build_object(
        'listed', count(*) filter (where status = 'listed'),
        'swarm_forming', count(*) filter (where status = 'swarm_forming'),
        'in_transit', count(*) filter (where status = 'in_transit'),
        'delivered', count(*) filter (where status = 'delivered'),
        'failed', count(*) filter (where status = 'failed')) from packages) as packages,
      (select json_build_object(
        'listed', count(*) filter (where status = 'listed'),
        'in_progress', count(*) filter (where status = 'in_progress'),
        'completed', count(*) filter (where status = 'completed'),
        'failed', count(*) filter (where status = 'failed')) from digital_tasks) as digital_tasks,
      (select count(*) from swarms) as swarms,
      (select count(*) from bids) as bids,
      (select count(*) from agents) as agents,
      (select coalesce(sum(paid_lamports), 0)::int8 from legs where asset = 0 and status = 'completed')
        + (select coalesce(sum(payment_lamports), 0)::int8 from digital_legs where asset = 0 and status = 'completed') as paid,
      (${ESCROW})::int8 as escrow,
      (${IN_TOKENS}) as in_tokens,
      (select coalesce(max(seq), 0) from events) as last_event_seq,
      (${MEDIAN_FORMATION_MS}) as median_formation_ms
    `.execute(db);
  const row = rows[0];
  if (row === undefined) throw new Error('an aggregate without a row');
  return {
    packages: row.packages,
    digitalTasks: row.digital_tasks,
    swarms: Number(row.swarms),
    bids: Number(row.bids),
    agents: Number(row.agents),
    paidLamports: row.paid,
    escrowLamports: row.escrow,
    inTokens: row.in_tokens ?? [],
    lastEventSeq: row.last_event_seq,
    medianFormationMs: row.median_formation_ms,
  };
}

/** Counting everything is expensive, and nobody needs it more often. Milliseconds. */
const COUNTS_KEPT_MS = 1_000;
/** In a large market a count is kept for so many times as long as it took: a twentieth of one connection is spent on it. Rule S-23. */
const KEPT_FOR_TIMES = 20;

/**
 * Counts for any number of callers: a count is kept for a second or longer, and one runs at a time.
 *
 * @param now a monotonic clock, milliseconds
 */
export function keepCounts(db: Db, now: () => number = () => performance.now()): () => Promise<Counts> {
  let keptUntil = 0;
  let underWay = false;
  let kept: Promise<Counts> | undefined;
  async function count(): Promise<Counts> {
    const since = now();
    underWay = true;
    try {
      const counts = await readCounts(db);
      keptUntil = since + Math.max(COUNTS_KEPT_MS, KEPT_FOR_TIMES * (now() - since));
      return counts;
    } catch (error) {
      // The next caller tries again.
      kept = undefined;
      throw error;
    } finally {
      underWay = false;
    }
  }
  return () => {
    if (kept === undefined || (!underWay && now() >= keptUntil)) kept = count();
    return kept;
  };
}
