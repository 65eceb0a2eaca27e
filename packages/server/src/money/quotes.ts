import { type Lamports, LegworkError, sumLamports, type TermsChoice, toLamports } from '@legwork/protocol/contract';
import {
  allocatePayments,
  chosenTerms,
  CLOSE_PERCENT,
  type Coordinate,
  greatCircleKm,
  type Quote,
  quotePackage,
  quoteTask,
  type SettledPackage,
  type SettledTask,
  SOL_ASSET,
} from '@legwork/protocol/rules';
import { getPackageSize, getTaskSize, getTermsEncoder } from '@legwork/program-client';
import { sql } from 'kysely';
import { standingsInMirror } from '../agents/reputationRows.js';
import type { AppContext } from '../context.js';
import { standingOf } from '../coordinator/chooseChain.js';
import { FEE_LAMPORTS } from '../coordinator/funds.js';
import type { Db } from '../db/connect.js';
import { keep, type Kept } from '../kept.js';
import { rentOf } from '../ledger/ledger.js';
import type { In, Out } from '../operations/run.js';

/** How far back quotes look, days, and at how many of each kind at most. */
const DAYS = 90;
const MOST = 5_000;
/** How old the answers may be, milliseconds: so often the database is asked at most, however many ask. */
const AGE_MS = 60_000;
/** The distance within which a bidder on other packages counts as serving a place, kilometres. */
const NEARBY_KM = 25;

/** The data that quotes are made of, without erased listings. Answers tell no place. */
interface Sample {
  packages: SettledPackage[];
  tasks: SettledTask[];
  /** The current bidders, and where their packages begin. */
  bidders: { agent: string; lat: number; lng: number }[];
  registered: { agent: string; capabilities: string[] }[];
}

/** A package that was settled, with who carried it and what they had bid, leg by leg. */
interface SettledRow {
  origin_lat: number;
  origin_lng: number;
  dest_lat: number;
  dest_lng: number;
  weight_kg: number;
  hasTerms: boolean;
  budget: bigint;
  formedSec: number;
  costs: string[];
  agents: string[];
}

const settledPackages = (db: Db) =>
  sql<SettledRow>`select origin_lat, origin_lng, dest_lat, dest_lng, parcels.personal, weight_kg, terms is not null as "hasTerms",
    max_budget_lamports as budget, costs, agents,
    greatest(0, extract(epoch from swarms.created_at - coalesce(bidding_closes_at, listed_at)))::float8 as "formedSec"
  from (select * from packages where status = 'delivered' and asset = 0 order by id desc limit ${MOST}) parcels
    join swarms on swarms.package_id = parcels.id and swarms.status = 'settled'
    cross join lateral (select sum(coalesce(paid_lamports, agreed_payment_lamports)) as paid,
        array_agg(cost_lamports order by leg_index) as costs, array_agg(agent_pubkey order by leg_index) as agents
      from legs where swarm_id = swarms.id and legs.status = 'completed') paid
  where erased_at is null and listed_at > now() - make_interval(days => ${DAYS}) and paid > 0
  order by parcels.id desc`.execute(db);

const settledTasks = (db: Db) =>
  sql<{
    hasTerms: boolean;
    legs: number;
    capabilities: string[];
    paid: bigint;
    formedSec: number;
    agents: string[];
  }>`select terms is not null as "hasTerms", texts_of(requirements -> 'capabilities') as capabilities, paid, legs, agents,
    greatest(0, extract(epoch from claimed_at - listed_at))::float8 as "formedSec"
  from (select * from digital_tasks where status = 'completed' and asset = 0 order by id desc limit ${MOST}) goals
    cross join lateral (select sum(payment_lamports)::int8 as paid, count(*)::int4 as legs, array_agg(agent_pubkey) as agents,
        min(claimed_at) as claimed_at
      from digital_legs where task_id = goals.id and digital_legs.status = 'completed') paid
  where listed_at > now() - make_interval(days => ${DAYS}) and paid > 0
  order by goals.id desc`.execute(db);

const bidders = (db: Db) =>
  sql<Sample['bidders'][number]>`
  select distinct agent_pubkey as agent, origin_lat as lat, origin_lng as lng
  from (select id, origin_lat, origin_lng from packages where status = 'listed' order by id desc limit ${MOST}) parcels
    join bids on bids.package_id = parcels.id and bids.ended_at is null and bids.leg_id is null and bids.expires_at > now()
  limit ${MOST}`.execute(db);

const registered = (db: Db) =>
  sql<Sample['registered'][number]>`
  select pubkey as agent, capabilities from agents order by registered_at desc limit ${MOST}`.execute(db);

/** The payment for these bids today, by the couriers' scores today. */
function paidToday({ budget, costs, agents }: SettledRow, rhoOf: ReadonlyMap<string, number>): Lamports {
  const bids = agents.map((agent, at) => ({
    costLamports: toLamports(BigInt(costs[at] ?? 0)),
    rho: rhoOf.get(agent) ?? 0,
  }));
  const cost = sumLamports(bids.map(({ costLamports }) => costLamports));
  // A leg whose price had grown by a forfeited stake may have cost more than the budget gave for it.
  const budgetLamports = toLamports(budget > cost ? budget : cost);
  return sumLamports(allocatePayments({ budgetLamports, bids }).map(({ paymentLamports }) => paymentLamports));
}

async function readSample({ db, config }: Pick<AppContext, 'db' | 'config'>): Promise<Sample> {
  const [parcels, tasks, bids, agents] = await Promise.all([
    settledPackages(db),
    settledTasks(db),
    bidders(db),
    registered(db),
  ]);
  const couriers = [...new Set(parcels.rows.flatMap((row) => row.agents))];
  const standings = await standingsInMirror(db, couriers);
  const rhoOf = new Map(standings.map((standing) => [standing.agent_pubkey, standingOf(config, standing)]));
  return {
    packages: parcels.rows.map((row) => ({
      origin: { lat: row.origin_lat, lng: row.origin_lng },
      destination: { lat: row.dest_lat, lng: row.dest_lng },
      weightKg: row.weight_kg,
      hasTerms: row.hasTerms,
      paidLamports: paidToday(row, rhoOf),
      formedSec: row.formedSec,
      agents: row.agents,
    })),
    tasks: tasks.rows.map(({ paid, ...row }) => ({ ...row, paidLamports: toLamports(paid) })),
    bidders: bids.rows,
    registered: agents.rows,
  };
}

const samples = new WeakMap<Db, Kept<Sample>>();

/** The recent settlements, at most a minute old; all who ask at once wait for the same reading. Rule M-91. */
function sampleOf({ db, config }: AppContext): Promise<Sample> {
  const kept = samples.get(db) ?? keep(() => readSample({ db, config }), AGE_MS);
  samples.set(db, kept);
  return kept.recent();
}

const isBound = (choice: TermsChoice | undefined) => choice !== undefined && choice !== 'plain';

/** The payments beside the price, and their payers. Rule M-89. */
function onTopOf(
  { config, ledger }: AppContext,
  { terms }: In<'quote'>,
  { kind, expected }: { kind: 'package' | 'task'; expected: Lamports | null },
) {
  const hasTerms = isBound(terms);
  const bytes = (kind === 'package' ? getPackageSize() : getTaskSize()) + (hasTerms ? getTermsEncoder().fixedSize : 0);
  const rent = toLamports(rentOf(ledger, bytes) + ledger.rentExemptMinimum);
  const none = toLamports(0n);
  const shipper = [
    {
      what: 'rent' as const,
      payer: 'shipper' as const,
      lamports: rent,
      returnedLamports: toLamports(rent - ledger.rentExemptMinimum),
      words: 'of the two accounts of the listing; all but a marker comes back when it is over and closed',
    },
    {
      what: 'fee' as const,
      payer: 'shipper' as const,
      lamports: toLamports(FEE_LAMPORTS),
      returnedLamports: none,
      words: 'of the transaction that lists it, at most; the coordinator pays those that form and settle it',
    },
  ];
  if (!hasTerms) return shipper;
  const stake = stakeOf(config.arbiterPubkey, terms, { kind, expected });
  const words = 'of each agent when it accepts its leg; it comes back when the leg is confirmed';
  return [
    ...shipper,
    { what: 'stake' as const, payer: 'agent' as const, lamports: stake, returnedLamports: stake, words },
  ];
}

/** @throws LegworkError `invalid_input` for terms that this service could not make */
function stakeOf(
  arbiterPubkey: string | undefined,
  choice: TermsChoice | undefined,
  { kind, expected }: { kind: 'package' | 'task'; expected: Lamports | null },
): Lamports | null {
  const context = {
    kind,
    budgetLamports: expected ?? toLamports(0n),
    asset: SOL_ASSET,
    carrySec: 0,
    arbiterPubkey: arbiterPubkey ?? null,
  };
  const made = chosenTerms(choice, context);
  if (made === null) return null;
  if ('code' in made) throw LegworkError.field(made.code, made.field, made.message);
  const isNamed = typeof choice === 'object' && (choice.stakeSol ?? choice.stake) !== undefined;
  return expected === null && !isNamed ? null : made.stake;
}

const placesOf = (input: In<'quote'>): { origin: Coordinate; destination: Coordinate } => ({
  origin: { lat: input.originLat ?? 0, lng: input.originLng ?? 0 },
  destination: { lat: input.destLat ?? 0, lng: input.destLng ?? 0 },
});

function quoteFrom(sample: Sample, input: In<'quote'>): Quote | undefined {
  const hasTerms = isBound(input.terms);
  const { numLegs, capabilities = [] } = input;
  return numLegs === undefined
    ? quotePackage(sample.packages, { ...placesOf(input), weightKg: input.weightKg, hasTerms })
    : quoteTask(sample.tasks, { legs: numLegs, capabilities, hasTerms });
}

/** The agents that offer to serve this, beside those that were paid for the like. */
function whoServes(sample: Sample, input: In<'quote'>): string[] {
  const { numLegs, capabilities = [] } = input;
  if (numLegs !== undefined) {
    const able = sample.registered.filter(({ capabilities: own }) => capabilities.every((one) => own.includes(one)));
    return capabilities.length === 0 ? [] : able.map(({ agent }) => agent);
  }
  const { origin } = placesOf(input);
  return sample.bidders.filter((place) => greatCircleKm(place, origin) <= NEARBY_KM).map(({ agent }) => agent);
}

export async function quote(context: AppContext, input: In<'quote'>): Out<'quote'> {
  const sample = await sampleOf(context);
  const found = quoteFrom(sample, input);
  const kind = input.numLegs === undefined ? 'package' : 'task';
  const { origin, destination } = placesOf(input);
  const expected = found?.expectedLamports ?? null;
  return {
    answer: {
      kind,
      expectedLamports: expected,
      lowLamports: found?.lowLamports ?? null,
      highLamports: found?.highLamports ?? null,
      distanceKm: kind === 'package' ? greatCircleKm(origin, destination) : null,
      agents: new Set([...(found?.agents ?? []), ...whoServes(sample, input)]).size,
      formsInSec: found?.formedSec ?? null,
      onTop: onTopOf(context, input, { kind, expected }),
      basis: { settled: found?.settled ?? 0, days: DAYS, words: wordsOf(kind, found) },
    },
  };
}

function wordsOf(kind: 'package' | 'task', found: Quote | undefined): string {
  if (found === undefined) return `unknown: nothing like it was settled here in the last ${DAYS} days`;
  const what =
    kind === 'package'
      ? `packages ${found.alike} would be paid a kilometre today, by the bids that carried them`
      : `digital tasks ${found.alike} paid a leg`;
  return (
    `the middle of what most of ${found.settled} ${what}, of those settled here in the last ${DAYS} days that are most like it: ` +
    `${found.close} lie within ${CLOSE_PERCENT} % of it, and four fifths between low and high`
  );
}
