import { bestOpeningBid, maxOpeningCost } from '@legwork/protocol/rules';
import type { DecisionRow, LegRow } from '@legwork/server/schema';
import { sql } from 'kysely';
import { rebuiltBefore, rowBatches, ROWS_AT_ONCE, type Trx } from '../database.js';
import { by, type Findings } from '../findings.js';
import { type ConsideredBid, parsed, readConsidered } from './considered.js';

/** A courier who took the place of another, with the decision as it is kept; nulls: none is. */
type Replaced = LegRow & Pick<DecisionRow, 'chosen' | 'considered'> & Where;

interface Where {
  former_id: string | null;
  is_rebuilt: boolean;
  package_id: string;
  on_chain_package: string;
  on_chain_swarm: string;
}

/**
 * Makes every choice of another courier for a vacant leg again: the same bids, counted as they were then, give the same courier, who
 * is paid what the bid asks, within what the leg may cost. Rules T-58, T-59.
 *
 * @returns how many were made again
 */
export async function compareOpenings(trx: Trx, findings: Findings): Promise<number> {
  let choices = 0;
  for await (const leg of readReplaced(trx)) {
    const subject = `package ${leg.package_id}`;
    if (leg.considered === null || leg.chosen === null) {
      if (leg.is_rebuilt) continue;
      findings.differ(subject, `no decision of leg ${leg.id} is kept${by(leg.assign_signature)}`);
      continue;
    }
    choices += 1;
    const bids = await readConsidered(trx, leg.considered);
    const fault = faultOf(leg, bids, maxOpeningCost(await priceOf(trx, leg)));
    if (fault !== undefined) findings.differ(subject, `the choice of leg ${leg.id} does not hold: ${fault}`);
  }
  return choices;
}

/** The legs whose couriers took the place of others, by id. */
async function* readReplaced(trx: Trx): AsyncGenerator<Replaced, void> {
  const former = sql<string | null>`(select former.id::text from legs as former
    where former.swarm_id = legs.swarm_id and former.leg_index = legs.leg_index and former.formation < legs.formation
    order by former.formation desc limit 1)`;
  const batches = rowBatches<Replaced>((after) => {
    const rows = trx
      .selectFrom('legs')
      .innerJoin('swarms', 'swarms.id', 'legs.swarm_id')
      .innerJoin('packages', 'packages.id', 'swarms.package_id')
      .leftJoin('decisions', (join) =>
        join.on('decisions.unique_key', '=', sql<string>`'assign_leg:' || ${former} || ':' || legs.bid_id`),
      )
      .selectAll('legs')
      .select([
        'decisions.chosen',
        'decisions.considered',
        'swarms.package_id',
        'swarms.on_chain_swarm',
        'packages.on_chain_package',
        former.as('former_id'),
        rebuiltBefore(sql`legs.assign_signature`).as('is_rebuilt'),
      ])
      .where('legs.assign_signature', 'is not', null)
      .orderBy('legs.id')
      .limit(ROWS_AT_ONCE);
    return (after ? rows.where('legs.id', '>', after.id) : rows).execute();
  });
  for await (const rows of batches) yield* rows;
}

/** The first courier's payment for the leg, and the stakes that those before this one lost by silence. */
async function priceOf(trx: Trx, leg: Replaced) {
  const before = await trx
    .selectFrom('legs')
    .select(['agreed_payment_lamports', 'forfeited_lamports'])
    .where('swarm_id', '=', leg.swarm_id)
    .where('leg_index', '=', leg.leg_index)
    .where('formation', '<', leg.formation)
    .orderBy('formation')
    .execute();
  const firstPaymentLamports = before[0]?.agreed_payment_lamports ?? leg.agreed_payment_lamports;
  return { firstPaymentLamports, forfeitedLamports: before.map((row) => row.forfeited_lamports) };
}

/** Why the rules do not give the leg to this courier; undefined: they do. */
function faultOf(leg: Replaced, bids: ConsideredBid[] | undefined, maxCost: bigint): string | undefined {
  if (bids === undefined) return 'bids that it was made of are gone';
  if (bids.some((bid) => bid.leg_id !== leg.former_id)) return 'bids that it was made of are for another leg';
  const best = bestOpeningBid(bids.map((bid) => ({ id: bid.id, costLamports: bid.cost_lamports, rho: bid.rho, bid })));
  if (best?.id !== leg.bid_id) return 'another bid is the best';
  if (leg.agreed_payment_lamports !== best.costLamports) return 'its payment is not what its bid asks';
  if (best.costLamports > maxCost) return 'its bid asks more than the leg may cost';
  return saidOtherwise(leg, Number(maxCost));
}

/** The difference between the decision and the rows. */
function saidOtherwise(leg: Replaced, maxCostLamports: number): string | undefined {
  const wanted = {
    package: leg.on_chain_package,
    swarm: leg.on_chain_swarm,
    leg: leg.on_chain_leg,
    index: leg.leg_index,
    formation: leg.formation,
    bid: leg.bid_id,
    agent: leg.agent_pubkey,
    paymentLamports: Number(leg.agreed_payment_lamports),
    maxCostLamports,
  };
  const said = parsed(leg.chosen ?? '') as Record<string, unknown>;
  const [name] = Object.entries(wanted).find(([key, value]) => said[key] !== value) ?? [];
  return name && `its ${name} is ${String(said[name])} in the decision`;
}
