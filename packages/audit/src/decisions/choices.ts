import { allocatePayments, chainFault, findBestRoute, type RouteBid, type RoutePackage } from '@legwork/protocol/rules';
import type { DecisionRow, LegRow, PackageRow, SwarmRow } from '@legwork/server/schema';
import { sql } from 'kysely';
import { rebuiltBefore, rowBatches, ROWS_AT_ONCE, type Trx } from '../database.js';
import type { Findings } from '../findings.js';
import { parsed, readConsidered } from './considered.js';

/** The most time of a search here, milliseconds: the service found the best chain within its own, shorter bound. */
const SEARCH_MS = 60_000;

/** A swarm with the package and the legs it was chosen for, and the decision as it is kept. */
type Choice = SwarmRow & Decision & { is_rebuilt: boolean } & { parcel: PackageRow; legs: LegRow[] };
type Decision = Pick<DecisionRow, 'considered' | 'chosen'> & { decided_at: Date | null };

/**
 * Makes every choice again whose decision is kept: the same bids, counted as they were then, at the same instant, give the same
 * chain and the same payments. Where the time had run out, any chain that the rules allow may have been chosen.
 *
 * @returns how many were made again
 */
export async function compareChoices(trx: Trx, findings: Findings): Promise<number> {
  const since = await decisionsSince(trx);
  let choices = 0;
  for await (const choice of readChoices(trx)) {
    const subject = `package ${choice.parcel.id}`;
    const { considered, decided_at: at } = choice;
    if (considered !== null && at !== null) {
      choices += 1;
      const { fault, note } = judge(choice, await readRouteBids(trx, considered), at);
      if (fault !== undefined) findings.differ(subject, `the choice of swarm ${choice.id} does not hold: ${fault}`);
      if (note !== undefined) findings.note(subject, note);
    } else if (since !== undefined && choice.created_at >= since && !choice.is_rebuilt) {
      findings.differ(subject, `no decision of swarm ${choice.id} is kept`);
    }
  }
  return choices;
}

/** Since when decisions are kept; undefined: no service that keeps them has run yet. */
async function decisionsSince(trx: Trx): Promise<Date | undefined> {
  const rows = await trx.selectFrom('meta').select('value').where('key', 'like', 'decisions_since:%').execute();
  const instants = rows.map(({ value }) => value.split(' ')[0] ?? '').sort();
  return instants[0] === undefined ? undefined : new Date(instants[0]);
}

/** The swarms that are to be formed or were formed, by id. */
async function* readChoices(trx: Trx): AsyncGenerator<Choice, void> {
  const batches = rowBatches<SwarmRow & Decision & { is_rebuilt: boolean }>((after) => {
    const rows = trx
      .selectFrom('swarms')
      .leftJoin('decisions', (join) => join.on('decisions.unique_key', '=', sql<string>`'form_swarm:' || swarms.id`))
      .selectAll('swarms')
      .innerJoin('packages', 'packages.id', 'swarms.package_id')
      .select(['decisions.considered', 'decisions.chosen', 'decisions.decided_at'])
      .select(rebuiltBefore(sql`swarms.form_signature`).as('is_rebuilt'))
      .where((eb) => eb.or([eb('swarms.form_signature', 'is not', null), eb('swarms.status', '=', 'forming')]))
      .orderBy('swarms.id')
      .limit(ROWS_AT_ONCE);
    return (after ? rows.where('swarms.id', '>', after.id) : rows).execute();
  });
  for await (const swarms of batches) {
    const ids = swarms.map(({ id }) => id);
    // As they were formed: who took another courier's place was chosen later.
    const legs = await trx
      .selectFrom('legs')
      .selectAll()
      .where('swarm_id', 'in', ids)
      .where('assign_signature', 'is', null)
      .orderBy('leg_index')
      .execute();
    const packageIds = swarms.map((swarm) => swarm.package_id);
    const packages = await trx.selectFrom('packages').selectAll().where('id', 'in', packageIds).execute();
    const packageOf = new Map(packages.map((row) => [row.id, row]));
    for (const swarm of swarms) {
      const parcel = packageOf.get(swarm.package_id);
      if (parcel) yield { ...swarm, parcel, legs: legs.filter((leg) => leg.swarm_id === swarm.id) };
    }
  }
}

async function readRouteBids(trx: Trx, considered: string): Promise<RouteBid[] | undefined> {
  const rows = await readConsidered(trx, considered);
  return rows?.map((row) => ({
    id: row.id,
    agentPubkey: row.agent_pubkey,
    pickup: { lat: row.pickup_lat, lng: row.pickup_lng },
    dropoff: { lat: row.dropoff_lat, lng: row.dropoff_lng },
    distanceKm: row.distance_km,
    costLamports: row.cost_lamports,
    rho: row.rho,
  }));
}

/** The verdict on a choice. */
interface Judgement {
  /** Why the rules do not make it. */
  fault?: string;
  /** The part that could not be made out. */
  note?: string;
}

function judge(choice: Choice, bids: RouteBid[] | undefined, at: Date): Judgement {
  if (bids === undefined) return { fault: 'bids that it was made of are gone' };
  const isErased = choice.parcel.erased_at !== null;
  const target = targetOf(choice.parcel);
  if (clocksIn(choice.chosen) !== clocksIn(JSON.stringify({ clocks: target.clocks }))) {
    return { fault: 'its clocks are not those of its package' };
  }
  const byId = new Map(bids.map((bid) => [bid.id, bid]));
  const chain = choice.legs.flatMap((leg) => byId.get(leg.bid_id) ?? []);
  if (chain.length < choice.legs.length) return { fault: 'a bid of it was not considered' };
  // Without its places nobody can make the choice again.
  const fault = isErased ? undefined : chainFault(target, chain, at.getTime());
  if (fault !== undefined) return { fault };
  const payments = allocatePayments({ budgetLamports: target.budgetLamports, bids: chain });
  const isPaid = choice.legs.every((leg, index) => leg.agreed_payment_lamports === payments[index]?.paymentLamports);
  if (!isPaid) return { fault: 'its payments are not those of its bids' };
  return choice.exact && !isErased ? compareWithBest(target, bids, chain, at) : {};
}

function compareWithBest(target: RoutePackage, bids: RouteBid[], chain: readonly RouteBid[], at: Date): Judgement {
  const options = { evaluatedAtMs: at.getTime(), now: () => performance.now(), timeBoundMs: SEARCH_MS };
  const best = findBestRoute(target, bids, options);
  if (!best.exact) return { note: 'its best chain takes too long to find again' };
  const isSame = best.bids.map(({ id }) => id).join() === chain.map(({ id }) => id).join();
  return isSame ? {} : { fault: 'another chain is the best' };
}

/** The clocks that a choice goes by, as text. */
function clocksIn(chosen: string | null): string | undefined {
  const { clocks } = parsed(chosen ?? '{}') as { clocks?: { carrySec?: unknown; handoffSec?: unknown } };
  return clocks && `${String(clocks.carrySec)} ${String(clocks.handoffSec)}`;
}

function targetOf(parcel: PackageRow): RoutePackage {
  return {
    origin: { lat: parcel.origin_lat, lng: parcel.origin_lng },
    destination: { lat: parcel.dest_lat, lng: parcel.dest_lng },
    budgetLamports: parcel.max_budget_lamports,
    shipperPubkey: parcel.shipper_pubkey,
    deadlineMs: parcel.deadline.getTime(),
    clocks: parcel.terms === null ? undefined : parcel.terms,
  };
}
