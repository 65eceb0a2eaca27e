import { legAddress, swarmAddress } from '@legwork/program-client';
import { createUuid, type Lamports, sumLamports } from '@legwork/protocol/contract';
import { isBidStanding, missedRequirement } from '@legwork/protocol/rules';
import { address } from '@solana/kit';
import type { AppContext } from '../context.js';
import { liveBids, offeredBy, type WeighedBid } from '../db/bids.js';
import { formationKey } from '../db/decisions.js';
import { packageSubject } from '../db/subjects.js';
import { insertSwarm } from '../db/swarms.js';
import { inTransaction, atHeadOfLine } from '../db/transaction.js';
import type { Db, Trx } from '../db/connect.js';
import { chargeNewcomers } from '../db/newcomers.js';
import { qualifiedAmong } from '../db/reputations.js';
import { clearEvaluation, findPackage, lockPackage, markSwarmForming } from '../db/packages.js';
import type { PackageRow } from '../db/schema.js';
import { type ChosenChain, chooseChain } from './chooseChain.js';
import { decideIntent, formation } from './decisions.js';
import { canAdvance, formationCost, holdFunds } from './funds.js';
import { withinBudget } from './newcomers.js';

async function commitChain(
  context: AppContext,
  trx: Trx,
  parcel: PackageRow,
  chain: ChosenChain,
  costLamports: Lamports,
): Promise<void> {
  const swarmId = createUuid();
  const { programAddress } = context.ledger;
  const onChainSwarm = await swarmAddress(programAddress, address(parcel.on_chain_package));
  const chosen = chain.legs.map(async ({ bid, paymentLamports }, index) => ({
    id: createUuid(),
    swarm_id: swarmId,
    leg_index: index,
    ...offeredBy(bid),
    agreed_payment_lamports: paymentLamports,
    formation: parcel.formation + 1,
    on_chain_leg: await legAddress(programAddress, onChainSwarm, index),
  }));
  const swarm = {
    id: swarmId,
    package_id: parcel.id,
    formation: parcel.formation + 1,
    on_chain_swarm: onChainSwarm,
    total_legs: chain.legs.length,
    total_lamports: sumLamports(chain.legs.map((leg) => leg.paymentLamports)),
    exact: chain.exact,
  };
  const legs = await Promise.all(chosen);
  await insertSwarm(trx, swarm, legs);
  await markSwarmForming(trx, parcel.id);
  const newcomers = chain.legs.flatMap(({ bid }) => (bid.is_newcomer ? [bid] : []));
  await chargeNewcomers(trx, newcomers);
  const intent = { kind: 'form_swarm', subject: packageSubject(parcel.id), key: formationKey(swarmId) } as const;
  const { considered, at } = chain;
  const decided = { chosen: formation(parcel, swarm, legs), considered, at };
  await decideIntent(context.ledger, trx, { ...intent, swarmId, costLamports }, decided);
}

/** Returns whether every bid of the chain still stands after the search and the wait for the lock. */
function stands(chain: ChosenChain, now: Date): boolean {
  return chain.legs.every(({ bid }) => isBidStanding(bid.expires_at.getTime(), now.getTime()));
}

/**
 * Returns whether the coordinator may take on the chain's newcomers and can pay for the formation. From here on `line` holds
 * the funds: it sees what others decided before, which a serializable transaction would not.
 */
async function isAffordable(context: AppContext, line: Trx, chain: ChosenChain, cost: Lamports): Promise<boolean> {
  await holdFunds(context, line);
  const bids = chain.legs.map(({ bid }) => bid);
  return (await withinBudget(context, line, bids)).length === bids.length && (await canAdvance(context, line, cost));
}

/** The bids whose agents still meet what the package requires. */
async function thoseQualified(from: Db | Trx, { requirements }: PackageRow, bids: WeighedBid[]): Promise<WeighedBid[]> {
  if (requirements === null) return bids;
  const agents = await qualifiedAmong(
    from,
    bids.map((bid) => bid.agent_pubkey),
  );
  const none = { reliabilityScore: 0, legsCompleted: 0, capabilities: [] };
  return bids.filter(({ agent_pubkey: agentPubkey }) => {
    const agent = agents.get(agentPubkey) ?? { ...none, agentPubkey };
    return missedRequirement(requirements, agent) === undefined;
  });
}

/** The best chain of the bids that count now; undefined when there is none. */
async function search(context: AppContext, from: Db | Trx, parcel: PackageRow): Promise<ChosenChain | undefined> {
  const live = await liveBids(from, parcel.id, context.config.unsignedCalls);
  const bids = await withinBudget(context, from, await thoseQualified(from, parcel, live));
  if (bids.length === 0) return undefined;
  const measured = context.metrics.evaluations.startTimer();
  const chain = chooseChain(context.config, parcel, bids, context.clock());
  measured({ outcome: chain === undefined ? 'no_chain' : chain.exact ? 'exact' : 'inexact' });
  return chain;
}

/** `none`: no chain carries the package; `waits`: one does, and the coordinator cannot take it on now. */
export type Evaluation = 'formed' | 'none' | 'waits';

/**
 * Chooses among the package's live bids and, when a chain wins, commits swarm, legs, status and the intent to form it
 * on the ledger in one SERIALIZABLE transaction. The search runs before, without a lock; it counts only if the bids have
 * not changed since. Rules M-40, M-41.
 *
 * @param db its own connections, two a call: see {@link atHeadOfLine}
 */
export async function evaluatePackage(context: AppContext, db: Db, packageId: string): Promise<Evaluation> {
  const seen = await findPackage(context.db, packageId);
  if (seen?.status !== 'listed') return 'none';
  const found = await search(context, context.db, seen);
  if (found === undefined) {
    // Without waiting in line or a lock: bids that came meanwhile keep the package due.
    await clearEvaluation(context.db, packageId, seen.bids_version);
    return 'none';
  }
  // Its formation is signed in a moment.
  context.ledger.blockhashes.warm();

  const decide = async (trx: Trx, line: Trx): Promise<Evaluation> => {
    const parcel = await lockPackage(trx, packageId);
    if (parcel?.status !== 'listed') return 'none';
    const isCurrent = parcel.bids_version === seen.bids_version && stands(found, context.clock());
    const chain = isCurrent ? found : await search(context, trx, parcel);
    if (chain !== undefined) {
      const cost = formationCost(context.ledger, chain.legs.length, parcel.terms);
      if (!(await isAffordable(context, line, chain, cost))) return 'waits';
      await commitChain(context, trx, parcel, chain, cost);
    }
    await clearEvaluation(trx, packageId, parcel.bids_version);
    return chain === undefined ? 'none' : 'formed';
  };
  return atHeadOfLine(db, packageId, (line) => inTransaction(db, (trx) => decide(trx, line), 'serializable'));
}
