import { type AnswerOf, MAX_CHAIN_LEGS, type operations } from '@legwork/protocol/contract';
import {
  allocatePayments,
  bestOpeningBid,
  bidWeight,
  chainFault,
  type Coordinate,
  findBestRoute,
  fitsCarry,
  isBidStanding,
  isWithinHandoff,
  legMinutes,
  minutesUntil,
  type RoutePackage,
} from '@legwork/protocol/rules';
import { type Asset, type Lamports, type Leg, type PackageDetail, toLamports } from '@legwork/sdk';
import { shortened } from '../ui/shortened.js';
import type { Outcome } from './outcome.js';
import { amountIn, figureIn, t } from '../language.js';

/** What a chain was chosen of, and what came out; of a package with terms, by which clocks. */
export type Decision = AnswerOf<typeof operations.getDecision> & Pick<RoutePackage, 'clocks'>;
type ShownBid = NonNullable<Decision['considered']>[number];
/** A bid as the rules weigh it: its cost in base units of whatever the package pays in. */
export type ConsideredBid = ShownBid & { readonly costLamports: Lamports };

const counted = (bids: readonly ShownBid[] = []): ConsideredBid[] =>
  bids.map((bid) => ({ ...bid, costLamports: bid.cost }));

/** A chain of bids as the rules weigh it; without bids, none carries the package. */
export interface Chain {
  readonly bids: readonly ConsideredBid[];
  readonly cost: Lamports;
  readonly weight: bigint;
  /** False: the search ran out of time, a better one may exist. */
  readonly exact: boolean;
}

/** How long a search may take, and its clock, both in milliseconds. */
export interface Patience {
  readonly now: () => number;
  readonly timeBoundMs: number;
}

/** The chain that the rules choose of these bids. @throws RangeError for what is no bid */
export function chooseAgain(decision: Decision, bids: readonly ShownBid[], patience: Patience): Chain {
  const { totalLamports, ...best } = findBestRoute(targetOf(decision), counted(bids), {
    evaluatedAtMs: decision.decidedAt.getTime(),
    ...patience,
  });
  return { ...best, cost: totalLamports };
}

/** The best chain that does without one of the winners; undefined: each of them is needed. */
export function runnerUp(decision: Decision, bids: readonly ShownBid[], patience: Patience): Chain | undefined {
  const others = decision.chosen.flatMap(({ bidId }) => {
    const chain = chooseAgain(
      decision,
      bids.filter(({ id }) => id !== bidId),
      patience,
    );
    return chain.bids.length > 0 ? [chain] : [];
  });
  return others.toSorted((a, b) => (a.weight < b.weight ? -1 : Number(a.weight > b.weight)))[0];
}

/** The chain that was chosen, as the rules weigh it; undefined: one of its bids was not considered. */
export function chosenChain(decision: Decision): Chain | undefined {
  const known = new Map(counted(decision.considered ?? []).map((bid) => [bid.id, bid]));
  const bids = decision.chosen.flatMap(({ bidId }) => known.get(bidId) ?? []);
  if (bids.length < decision.chosen.length) return undefined;
  const weight = bids.reduce((sum, bid) => sum + bidWeight(bid), 0n);
  const cost = toLamports(bids.reduce((sum, bid) => sum + bid.cost, 0n));
  return { bids, cost, weight, exact: decision.exact };
}

/**
 * Compares a choice with what the rules say of its bids, and with the package whose page shows it. Rule D-11.
 *
 * @param again the chain that the rules choose: {@link chooseAgain}
 */
export function checkAuction(
  decision: Decision,
  again: Chain,
  parcel: Pick<PackageDetail, (keyof PackageDetail & PackageFact) | 'swarm'>,
): Outcome {
  const difference =
    factDiffers(decision, parcel) ??
    bidDiffers(decision) ??
    chainDiffers(decision, again) ??
    paymentDiffers(decision) ??
    replacementDiffers(decision) ??
    legDiffers(decision, parcel.swarm);
  return difference === undefined
    ? { holds: true, seen: t('Same chain, same payments') }
    : { holds: false, difference };
}

type PackageFact =
  | 'id'
  | 'originLat'
  | 'originLng'
  | 'destLat'
  | 'destLng'
  | 'maxBudget'
  | 'asset'
  | 'decimals'
  | 'deadline'
  | 'shipperPubkey';

function targetOf(decision: Decision): RoutePackage {
  const { origin, destination, budget: budgetLamports, shipperPubkey, deadline, clocks } = decision;
  return { origin, destination, budgetLamports, shipperPubkey, deadlineMs: deadline.getTime(), clocks };
}

function factDiffers(decision: Decision, parcel: Pick<PackageDetail, PackageFact>): string | undefined {
  const { origin, destination } = decision;
  const isSamePlaces =
    origin.lat === parcel.originLat &&
    origin.lng === parcel.originLng &&
    destination.lat === parcel.destLat &&
    destination.lng === parcel.destLng;
  if (decision.packageId !== parcel.id) return t('The choice is about another package.');
  if (!isSamePlaces) return t('The choice was made for different places from those of the package.');
  if (decision.asset !== parcel.asset || decision.decimals !== parcel.decimals) {
    return t('The choice was made in {chosen}, the package pays in {paid}.', {
      chosen: decision.asset,
      paid: parcel.asset,
    });
  }
  if (decision.budget !== parcel.maxBudget) {
    const [chosen, budget] = [amountIn(decision.budget, decision), figureIn(parcel.maxBudget, parcel.decimals)];
    return t('The choice was made for a budget of {chosen}, the package has {budget}.', { chosen, budget });
  }
  if (decision.deadline.getTime() !== parcel.deadline.getTime()) return t('The choice was made for another deadline.');
  return decision.shipperPubkey === parcel.shipperPubkey ? undefined : t('The choice was made for another shipper.');
}

function bidDiffers({ considered, chosen, decidedAt }: Decision): string | undefined {
  const known = new Set(considered?.map(({ id }) => id));
  const missing = chosen.findIndex(({ bidId }) => !known.has(bidId));
  if (missing >= 0) return t('The bid of leg {number} is not among those considered.', { number: missing + 1 });
  const expired = considered?.find(({ expiresAt }) => !isBidStanding(expiresAt.getTime(), decidedAt.getTime()));
  return (
    expired &&
    t('The bid of {bidder} had expired when the chain was chosen.', { bidder: shortened(expired.agentPubkey) })
  );
}

function chainDiffers(decision: Decision, again: Chain): string | undefined {
  const chosen = chosenChain(decision);
  if (chosen === undefined) return undefined;
  const fault = chainFault(targetOf(decision), chosen.bids, decision.decidedAt.getTime());
  if (fault !== undefined) return t('The chosen chain does not carry the package: {fault}.', { fault: t(fault) });
  const at = Array.from({ length: Math.max(chosen.bids.length, again.bids.length) }).findIndex(
    (_, leg) => chosen.bids[leg]?.id !== again.bids[leg]?.id,
  );
  if (at < 0) return undefined;
  const [ours, theirs] = [wordsOf(again.bids[at], decision), wordsOf(chosen.bids[at], decision)];
  const differs = t('Leg {number}: the rules choose {ours}, the service chose {theirs}.', {
    number: at + 1,
    ours,
    theirs,
  });
  return decision.exact ? differs : `${differs} ${t('The service says that its search ran out of time.')}`;
}

function wordsOf(bid: Pick<ShownBid, 'agentPubkey' | 'cost'> | undefined, of: Asset): string {
  if (bid === undefined) return t('nobody');
  return t('{bidder} for {amount}', { bidder: shortened(bid.agentPubkey), amount: amountIn(bid.cost, of) });
}

function paymentDiffers(decision: Decision): string | undefined {
  const bids = chosenChain(decision)?.bids ?? [];
  const payments = allocatePayments({ budgetLamports: decision.budget, bids });
  const at = payments.findIndex(({ paymentLamports }, leg) => paymentLamports !== decision.chosen[leg]?.payment);
  const [ours, theirs] = [payments[at]?.paymentLamports, decision.chosen[at]?.payment];
  if (ours === undefined || theirs === undefined) return undefined;
  return t('Leg {number} pays {theirs}, but the rules give {ours}.', {
    number: at + 1,
    theirs: amountIn(theirs, decision),
    ours: figureIn(ours, decision.decimals),
  });
}

type Replacement = Decision['replacements'][number];

/** Whom the rules give a vacant leg, and for what: the best bid that asks no more than may be asked. */
function replacementDiffers({ replacements, ...of }: Decision): string | undefined {
  for (const { legIndex, bidId, considered, maxCost, payment } of replacements) {
    const best = bestOpeningBid(counted(considered).filter(({ cost }) => cost <= maxCost));
    const chosen = considered.find(({ id }) => id === bidId);
    if (best === undefined || best.id !== bidId) {
      return t('Leg {number} again: the rules choose {ours}, the service chose {theirs}.', {
        number: legIndex + 1,
        ours: wordsOf(best, of),
        theirs: wordsOf(chosen, of),
      });
    }
    if (best.cost !== payment) {
      return t('Leg {number} again: it pays {payment}, but the bid asks {asked}.', {
        number: legIndex + 1,
        payment: amountIn(payment, of),
        asked: figureIn(best.cost, of.decimals),
      });
    }
  }
  return undefined;
}

/** What each leg was made of: the bid of the chain, or of the courier who got it last. */
function madeOf(decision: Decision): { bid: ShownBid; payment: Lamports | undefined }[] {
  const bids = chosenChain(decision)?.bids ?? [];
  return bids.map((bid, at) => {
    const last: Replacement | undefined = decision.replacements.findLast(({ legIndex }) => legIndex === at);
    const other = last?.considered.find(({ id }) => id === last.bidId);
    if (last === undefined || other === undefined) return { bid, payment: decision.chosen[at]?.payment };
    return { bid: other, payment: last.payment };
  });
}

/** The legs of the package as they are shown, held against the bids that they were made of. */
function legDiffers(decision: Decision, swarm: PackageDetail['swarm']): string | undefined {
  if (swarm?.id !== decision.swarmId) return t('The choice is of a different chain from the one shown.');
  const made = madeOf(decision);
  if (swarm.legs.length !== made.length)
    return t('The chain has {legs} legs, but {chosen} were chosen.', { legs: swarm.legs.length, chosen: made.length });
  for (const [at, leg] of swarm.legs.entries()) {
    const difference = oneLegDiffers(leg, at + 1, { ...made[at], of: decision });
    if (difference !== undefined) return difference;
  }
  return undefined;
}

interface Made {
  readonly bid?: ShownBid;
  readonly payment?: Lamports | undefined;
  readonly of: Asset;
}

function oneLegDiffers(leg: Leg, number: number, { bid, payment, of }: Made): string | undefined {
  if (bid === undefined || payment === undefined) return t('Leg {number} was not chosen.', { number });
  const isThere =
    leg.pickupLat === bid.pickup.lat &&
    leg.pickupLng === bid.pickup.lng &&
    leg.dropoffLat === bid.dropoff.lat &&
    leg.dropoffLng === bid.dropoff.lng;
  const values = { number, whose: shortened(leg.agentPubkey), chosen: wordsOf(bid, of), shown: amountIn(leg.cost, of) };
  if (leg.agentPubkey !== bid.agentPubkey)
    return t("Leg {number} is shown as {whose}'s, but the choice was {chosen}.", values);
  if (leg.cost !== bid.cost) return t('Leg {number} shows a bid of {shown}, but the choice was {chosen}.', values);
  if (leg.agreedPayment !== payment) {
    const shown = amountIn(leg.agreedPayment, of);
    const decided = figureIn(payment, of.decimals);
    return t('Leg {number} shows a payment of {shown}, but the decision was {decided}.', { number, shown, decided });
  }
  return isThere ? undefined : t('Leg {number} has different places from the chosen bid.', { number });
}

/** Counting chains ends after so many steps: there may be more chains than anybody can count. */
const MOST_STEPS = 200_000;

/** How many chains of these bids carry the package; `isAll`: none was left uncounted. */
export function countChains(
  decision: Decision,
  considered: readonly ShownBid[],
): { readonly count: number; readonly isAll: boolean } {
  const { destination } = decision;
  const bids = considered.filter((bid) => fitsCarry(decision, bid));
  let count = 0;
  let steps = 0;
  const walk = (from: Coordinate, legs: number, left: Left): void => {
    for (const bid of bids) {
      if (steps++ > MOST_STEPS) return;
      const minutes = left.minutes - legMinutes(decision, bid);
      const units = left.units - bid.cost;
      if (minutes < 0 || units < 0n || left.agents.has(bid.agentPubkey) || !isWithinHandoff(from, bid.pickup)) continue;
      if (isWithinHandoff(bid.dropoff, destination)) count += 1;
      if (legs === MAX_CHAIN_LEGS) continue;
      walk(bid.dropoff, legs + 1, { minutes, units, agents: new Set([...left.agents, bid.agentPubkey]) });
    }
  };
  const minutes = minutesUntil(decision.deadline.getTime(), decision.decidedAt.getTime());
  // The shipper carries no leg, as nobody carries two.
  walk(decision.origin, 1, { minutes, units: decision.budget, agents: new Set([decision.shipperPubkey]) });
  return { count, isAll: steps <= MOST_STEPS };
}

/** What is left for the rest of a chain. */
interface Left {
  readonly minutes: number;
  readonly units: bigint;
  readonly agents: ReadonlySet<string>;
}
