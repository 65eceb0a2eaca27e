import type { Lamports, LegStage, LegStatus } from '@legwork/protocol/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from './connect.js';
import { type Box, liesInBox } from './near.js';
import type { ListedPackageRow } from '../packages/packageRows.js';

/** Which packages a map shows, and how many at most. */
export interface RelayFilter {
  /** Undefined: what is under way, and what was delivered lately. */
  status: ListedPackageRow['status'] | undefined;
  /** Where it starts or ends. */
  box: Box | undefined;
  limit: number;
}

/** A package as a map shows it. */
export interface RelayRow
  extends Pick<
    ListedPackageRow,
    'id' | 'status' | 'origin_lat' | 'origin_lng' | 'dest_lat' | 'dest_lng' | 'max_budget_lamports'
  > {
  listed_at: Date;
  description: string;
  /** Of the swarm that carries it, or carried it; null: there is none, or it failed before it was formed. */
  total_lamports: Lamports | null;
  /** When the ledger showed the formation; of what is in transit. */
  formed_at: Date | null;
  /** Of the same swarm, in carrying order. */
  legs: RelayLeg[] | null;
}

/** A leg as a map shows it, in the form that JSON of the database has. */
export interface RelayLeg {
  agentPubkey: string;
  pickup_lat: number;
  pickup_lng: number;
  dropoff_lat: number;
  dropoff_lng: number;
  status: LegStatus;
  stage: LegStage | null;
  completedAt: string | null;
  durationMin: number;
  paymentLamports: number;
}

/** How long a delivered package stays among what is under way. */
const LATELY = sql`interval '1 hour'`;

const isIn = (box: Box | undefined) =>
  box === undefined
    ? sql<boolean>`true`
    : sql<boolean>`(${liesInBox(box, 'origin_lat', 'origin_lng')} or ${liesInBox(box, 'dest_lat', 'dest_lng')})`;

/** Finds what was delivered lately by the last legs, which are few; delivered packages are many. */
const underWayOrLate = ({ box, limit }: RelayFilter): RawBuilder<unknown> => sql`
  select id from (
  (select id from packages where status in ('listed', 'swarm_forming', 'in_transit') and ${isIn(box)}
    order by id desc limit ${limit})
  union all
  (select packages.id from legs
    join swarms on swarms.id = legs.swarm_id and legs.leg_index = swarms.total_legs - 1
    join packages on packages.id = swarms.package_id
    where legs.status = 'completed' and legs.completed_at > now() - ${LATELY} and packages.status = 'delivered'
      and ${isIn(box)}
    order by legs.completed_at desc limit ${limit})
  ) as either order by id desc limit ${limit}`;

const ofStatus = ({ status, box, limit }: RelayFilter): RawBuilder<unknown> => sql`
  select id from packages where status = ${status} and ${isIn(box)} order by id desc limit ${limit}`;

const LEGS = sql`
  select json_agg(json_build_object(
    'agentPubkey', agent_pubkey, 'pickup_lat', pickup_lat, 'pickup_lng', pickup_lng, 'dropoff_lat', dropoff_lat,
    'dropoff_lng', dropoff_lng, 'personal', personal, 'status', status, 'stage', stage, 'completedAt', completed_at, 'durationMin', estimated_duration_min,
    'paymentLamports', coalesce(paid_lamports, agreed_payment_lamports)) order by leg_index)
  from legs where swarm_id = swarms.id and ended_at is null`;

/** The packages that the filter names, newest first, with their legs as of the same moment. */
export async function relaysOf(db: Db, filter: RelayFilter): Promise<RelayRow[]> {
  const chosen = filter.status === undefined ? underWayOrLate(filter) : ofStatus(filter);
  const { rows } = await sql<RelayRow>`
    with chosen as materialized (${chosen})
    select packages.id, packages.status, packages.origin_lat, packages.origin_lng, packages.dest_lat, packages.dest_lng,
      packages.max_budget_lamports, packages.listed_at,
      packages.personal, packages.description,
      swarms.total_lamports, coalesce(formed.applied_at, swarms.created_at) as formed_at, (${LEGS}) as legs
    from chosen join packages on packages.id = chosen.id
    left join swarms on swarms.package_id = packages.id
      and (swarms.status <> 'failed' or packages.status = 'failed' and swarms.form_signature is not null)
    left join ledger_transactions as formed on packages.status = 'in_transit' and formed.signature = swarms.form_signature
    order by packages.id desc`.execute(db);
  return rows;
}
