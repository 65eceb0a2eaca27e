import { type Assets, inAsset, lamportsOf } from '../ledger/assets.js';
import { HAS_PLACES } from '../legs/openingRows.js';
import {
  lamportsToSolNumber,
  toLamports,
  LEADERBOARD_SIZE,
  lamportsFromWire,
  parseBox,
  type Relay,
  sumLamports,
  EVENT_TYPES,
  eventFrame,
  MAX_LOOKUP_MATCHES,
  readLookup,
  type Lamports,
  type LegStage,
  type LegStatus,
} from '@legwork/protocol/contract';
import type { AppContext } from '../context.js';
import type { In, Out } from './run.js';
import { mostReliable } from '../agents/reputationRows.js';
import { viewReputation } from '../agents/read.js';
import { type Box, liesInBox } from '../db/near.js';
import { frameOf, type LoggedEvent } from '../db/events.js';
import { readWanted, wantedBy } from '../events/filter.js';
import { cursorAt, cutPage, readCursor, seqPosition } from './cursor.js';
import { lookUpAddress, lookUpIdPart, lookUpTransaction } from '../db/lookup.js';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../db/connect.js';
import type { ListedPackageRow } from '../packages/packageRows.js';

export async function getStats({ counts, ledger }: AppContext): Out<'getStats'> {
  const { packages, digitalTasks, swarms, bids, agents, paidLamports, inTokens, ...now } = await counts();
  const volumeLamports = toLamports(paidLamports);
  return {
    answer: {
      packages: sumOf(packages),
      packagesByStatus: packages,
      digitalTasks: sumOf(digitalTasks),
      digitalTasksByStatus: digitalTasks,
      swarms,
      bids,
      agents,
      volumeLamports,
      volumeSol: lamportsToSolNumber(volumeLamports),
      escrowLamports: toLamports(now.escrowLamports),
      assets: inTokens.map(({ paid, escrow, ...row }) => ({
        ...inAsset(ledger.assets, row),
        volume: toLamports(BigInt(paid)),
        escrow: toLamports(BigInt(escrow)),
      })),
      lastEventSeq: Number(now.lastEventSeq),
      medianFormationMs: now.medianFormationMs,
    },
  };
}

function sumOf(byStatus: Record<string, number>): number {
  return Object.values(byStatus).reduce((sum, count) => sum + count, 0);
}

export async function getLeaderboard({ db }: AppContext): Out<'getLeaderboard'> {
  const rows = await mostReliable(db, LEADERBOARD_SIZE);
  return {
    answer: rows.map((row, index) => ({
      ...viewReputation(row.agent_pubkey, row.on_chain_pda, row),
      rank: index + 1,
      displayName: row.display_name,
    })),
    // It has one page.
    total: () => Promise.resolve(rows.length),
  };
}

export async function listRelays(
  { db, ledger }: AppContext,
  { status, bbox, limit }: In<'listRelays'>,
): Out<'listRelays'> {
  const rows = await relaysOf(db, { status, box: bbox === undefined ? undefined : boxOf(bbox), limit });
  return { answer: rows.map((row) => viewRelay(ledger.assets, row)) };
}

function boxOf(bbox: string): Box {
  const { west, south, east, north } = parseBox(bbox);
  const lng =
    west <= east
      ? ([[west, east]] as const)
      : ([
          [west, 180],
          [-180, east],
        ] as const);
  return { lat: [south, north], lng };
}

/** Stages in which the courier of the current leg has the parcel. */
const HELD: ReadonlySet<string> = new Set(['carried', 'claimed', 'disputed', 'ruled']);

function viewRelay(assets: Assets, row: RelayRow): Relay {
  const legs = row.legs ?? [];
  const completed = legs.filter(({ status }) => status === 'completed');
  const current = row.status === 'in_transit' ? legs[completed.length] : undefined;
  const held = current && (current.stage === null || HELD.has(current.stage)) ? current : undefined;
  const paid = sumLamports(completed.map((leg) => lamportsFromWire(leg.paymentLamports)));
  return {
    id: row.id,
    status: row.status,
    description: row.description,
    originLat: row.origin_lat,
    originLng: row.origin_lng,
    destLat: row.dest_lat,
    destLng: row.dest_lng,
    legs: legs.map(viewLeg),
    completedLegs: completed.length,
    totalLegs: legs.length,
    holder: held?.agentPubkey ?? null,
    legStartedAt: held ? (instant(completed.at(-1)?.completedAt) ?? row.formed_at) : null,
    estimatedDurationMin: held?.durationMin ?? null,
    ...inAsset(assets, row),
    paid,
    paidLamports: lamportsOf(row, paid),
    total: row.total_lamports,
    totalLamports: row.total_lamports && lamportsOf(row, row.total_lamports),
    maxBudget: row.max_budget_lamports,
    maxBudgetLamports: lamportsOf(row, row.max_budget_lamports),
    listedAt: row.listed_at,
  };
}

function viewLeg({ agentPubkey, status, stage, completedAt, ...leg }: RelayLeg) {
  return {
    agentPubkey,
    pickupLat: leg.pickup_lat,
    pickupLng: leg.pickup_lng,
    dropoffLat: leg.dropoff_lat,
    dropoffLng: leg.dropoff_lng,
    status,
    stage,
    completedAt: instant(completedAt),
  };
}

function instant(json: string | null | undefined): Date | null {
  return typeof json === 'string' ? new Date(json) : null;
}

/** So many events of the log, at most, one request looks at for what lies near a place, and so many at a time. */
const WALK = 2_000;
const STEP = 200;

export async function listEvents({ db }: AppContext, input: In<'listEvents'>): Out<'listEvents'> {
  const { before = Number.MAX_SAFE_INTEGER, limit, cursor, ...filter } = input;
  const [reached = before] = readCursor(seqPosition, cursor) ?? [];
  const wanted = wantedBy(filter);
  const events: LoggedEvent[] = [];
  let [at, isEnd] = [BigInt(reached), false];
  const steps = wanted.around === undefined ? 1 : WALK / STEP;
  for (let step = 0; step < steps && !isEnd && events.length <= limit; step += 1) {
    const found = await readWanted(db, wanted, { before: at, limit: wanted.around === undefined ? limit + 1 : STEP });
    events.push(...found.events);
    at = found.reached ?? at;
    isEnd = found.isEnd;
  }
  const { page, nextCursor } = cutPage(events, limit, ({ seq }) => [String(seq)]);
  return {
    answer: page.filter(isKnown).map((event) => eventFrame.parse(frameOf(event))),
    nextCursor: nextCursor ?? (isEnd ? undefined : cursorAt([String(at)])),
  };
}

/** Beside a newer replica the log may hold types that this one cannot describe. */
function isKnown({ type }: LoggedEvent): boolean {
  return EVENT_TYPES.some((known) => known === type);
}

export async function lookup({ db }: AppContext, { text }: In<'lookup'>): Out<'lookup'> {
  const { idPart, address, signature } = readLookup(text);
  const found = await Promise.all([
    idPart === undefined ? [] : lookUpIdPart(db, idPart),
    address === undefined ? [] : lookUpAddress(db, address),
    signature === undefined ? [] : lookUpTransaction(db, signature),
  ]);
  return { answer: { matches: found.flat().slice(0, MAX_LOOKUP_MATCHES) } };
}

/** Which packages a map shows, and how many at most. */
interface RelayFilter {
  /** Undefined: what is under way, and what was delivered lately. */
  status: ListedPackageRow['status'] | undefined;
  /** Where it starts or ends. */
  box: Box | undefined;
  limit: number;
}

/** A package as a map shows it. */
interface RelayRow
  extends Pick<
    ListedPackageRow,
    'id' | 'status' | 'origin_lat' | 'origin_lng' | 'dest_lat' | 'dest_lng' | 'max_budget_lamports' | 'asset'
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
interface RelayLeg {
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
async function relaysOf(db: Db, filter: RelayFilter): Promise<RelayRow[]> {
  const chosen = filter.status === undefined ? underWayOrLate(filter) : ofStatus(filter);
  const { rows } = await sql<RelayRow>`
    with chosen as materialized (${chosen})
    select packages.id, packages.status, packages.origin_lat, packages.origin_lng, packages.dest_lat, packages.dest_lng,
      packages.max_budget_lamports, packages.asset, packages.listed_at,
      packages.personal, packages.description,
      swarms.total_lamports, coalesce(formed.applied_at, swarms.created_at) as formed_at, (${LEGS}) as legs
    from chosen join packages on packages.id = chosen.id
    left join swarms on swarms.package_id = packages.id
      and (swarms.status <> 'failed' or packages.status = 'failed' and swarms.form_signature is not null)
    left join ledger_transactions as formed on packages.status = 'in_transit' and formed.signature = swarms.form_signature
    where packages.document_known and not exists (select from legs where legs.swarm_id = swarms.id and not ${HAS_PLACES})
    order by packages.id desc`.execute(db);
  return rows;
}
