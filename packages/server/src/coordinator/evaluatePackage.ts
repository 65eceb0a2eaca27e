import { legAddress, swarmAddress } from '@legwork/program-client';
import { createUuid, type Lamports, sumLamports } from '@legwork/protocol/contract';
import { isBidStanding } from '@legwork/protocol/rules';
import { type Address, address } from '@solana/kit';
import type { AppContext } from '../context.js';
import { liveBids, offeredBy, type WeighedBid } from '../bids/bidRows.js';
import { formationKey } from '../db/decisions.js';
import { isNext } from '../db/outbox.js';
import { packageSubject } from '../db/listings.js';
import { insertSwarm } from '../packages/swarmRows.js';
import { atEnd, inOrder, inTransaction, lineUp, lineUpAtAgents } from '../db/transaction.js';
import type { Db, Trx } from '../db/connect.js';
import { chargeNewcomers } from '../agents/newcomerRows.js';
import { clearEvaluation } from '../packages/evaluationRows.js';
import { findPackage, lockPackage, markSwarmForming } from '../packages/packageRows.js';
import type { PackageRow } from '../db/schema.js';
import { lockFunds } from '../money/sponsorshipRows.js';
import { admissible, asksWho } from './admission.js';
import { type ChosenChain, chooseChain } from './chooseChain.js';
import { decideIntent, formation } from './decisions.js';
import { type Allowance, canAdvance, formationCost, mayDecide, spend } from './funds.js';
import { withinBudget } from './newcomers.js';
import { warm } from '../ledger/ledger.js';
import { note, type Start, trace } from '../tracing/spans.js';

/** A chain, and where its swarm and legs will be on the ledger: which takes long enough to work out to begin before any lock. */
interface Found {
  chain: ChosenChain;
  accounts: Promise<{ swarm: Address; legs: (ChosenChain['legs'][number] & { account: Address })[] }>;
}

async function accountsOf({ ledger }: AppContext, parcel: PackageRow, { legs }: ChosenChain): Found['accounts'] {
  const { programAddress } = ledger;
  const swarm = await swarmAddress(programAddress, address(parcel.on_chain_package));
  const placed = legs.map(async (leg, index) => ({ ...leg, account: await legAddress(programAddress, swarm, index) }));
  return { swarm, legs: await Promise.all(placed) };
}

/** @param isNext whether nothing else of the package is under way */
function commitChain(
  context: AppContext,
  trx: Trx,
  parcel: PackageRow,
  { chain, onChain }: { chain: ChosenChain; onChain: Awaited<Found['accounts']> },
  { costLamports, isNext }: { costLamports: Lamports; isNext: boolean },
): void {
  const swarmId = createUuid();
  const swarm = {
    id: swarmId,
    package_id: parcel.id,
    formation: parcel.formation + 1,
    on_chain_swarm: onChain.swarm,
    total_legs: chain.legs.length,
    total_lamports: sumLamports(chain.legs.map((leg) => leg.paymentLamports)),
    exact: chain.exact,
  };
  const legs = onChain.legs.map(({ bid, paymentLamports, account }, index) => ({
    id: createUuid(),
    swarm_id: swarmId,
    leg_index: index,
    ...offeredBy(bid),
    asset: parcel.asset,
    agreed_payment_lamports: paymentLamports,
    formation: swarm.formation,
    on_chain_leg: account,
  }));
  const newcomers = chain.legs.flatMap(({ bid }) => (bid.is_newcomer ? [bid] : []));
  const intent = { kind: 'form_swarm', subject: packageSubject(parcel.id), key: formationKey(swarmId) } as const;
  const { considered, at } = chain;
  const decided = { chosen: formation(parcel, swarm, legs), considered, at };
  void atEnd(trx, () =>
    Promise.all([
      decideIntent(context, trx, { ...intent, swarmId, costLamports }, decided, isNext),
      insertSwarm(trx, swarm, legs),
      markSwarmForming(trx, parcel.id),
      chargeNewcomers(trx, newcomers),
    ]),
  );
}

/** Returns whether every bid of the chain still stands after the search and the wait for the lock. */
function stands(chain: ChosenChain, now: Date): boolean {
  return chain.legs.every(({ bid }) => isBidStanding(bid.expires_at.getTime(), now.getTime()));
}

/** What pays for the chain; undefined when the coordinator cannot take on its newcomers, or cannot pay. Rules M-71, M-72. */
async function allowanceFor(
  context: AppContext,
  line: Trx,
  bids: readonly WeighedBid[],
  cost: Lamports,
): Promise<Allowance | undefined> {
  if (!bids.some((bid) => bid.is_newcomer)) return mayDecide(context, line, cost);
  // Newcomers have a budget of their own, which is a sum too.
  const [, paidFor, canPay] = await Promise.all([
    lockFunds(line),
    withinBudget(context, line, bids),
    canAdvance(context, line, cost),
  ]);
  return canPay && paidFor.length === bids.length ? { share: undefined } : undefined;
}

/** The best chain of the bids that count now; undefined when there is none. */
async function search(
  context: AppContext,
  from: Db | Trx,
  parcel: PackageRow,
  live: WeighedBid[],
): Promise<Found | undefined> {
  const bids = await withinBudget(context, from, await admissible(context, from, parcel, live));
  if (bids.length === 0) return undefined;
  const measured = context.metrics.evaluations.startTimer();
  const chain = chooseChain(context.config, parcel, bids, context.clock());
  measured({ outcome: chain === undefined ? 'no_chain' : chain.exact ? 'exact' : 'inexact' });
  return chain && { chain, accounts: accountsOf(context, parcel, chain) };
}

/** `none`: no chain carries the package; `waits`: one does, and the coordinator cannot take it on now. */
export type Evaluation = 'formed' | 'none' | 'waits';

/**
 * Chooses among the package's live bids and, when a chain wins, commits swarm, legs, status and the intent to form it
 * on the ledger in one SERIALIZABLE transaction. The search runs before, without a lock; it counts only if the bids have
 * not changed since. Rules M-40, M-41.
 *
 * A serializable transaction that has to wait for a row fails when the row was changed meanwhile, and on a package with many bids
 * it always would be. So another one, read committed, waits at the package and for the funds before it begins, and ends after it.
 *
 * @param db its own connections, two a call: a pool that others can exhaust would end in a deadlock
 */
export async function evaluatePackage(context: AppContext, db: Db, packageId: string): Promise<Evaluation> {
  // In this order: a bid that is not among those read makes the package another one than was seen.
  const [seen, live] = await inOrder(context.db, (on) =>
    Promise.all([findPackage(on, packageId), liveBids(on, packageId, context.config.unsignedCalls)]),
  );
  if (seen?.status !== 'listed') return 'none';
  return trace(context.tracing, startOf(seen), async () => {
    const evaluation = await evaluate(context, db, seen, live);
    note({ 'legwork.evaluation': evaluation });
    return evaluation;
  });
}

/** An evaluation goes on the trace of the call that made it due. */
const startOf = ({ id, evaluate_trace: traceparent }: PackageRow): Start => ({
  name: 'evaluation',
  kind: 'consumer',
  from: { traceparent: traceparent ?? undefined },
  attributes: { 'legwork.subject': packageSubject(id) },
});

async function evaluate(context: AppContext, db: Db, seen: PackageRow, live: WeighedBid[]): Promise<Evaluation> {
  const packageId = seen.id;
  const bidsIn = (from: Db | Trx) => liveBids(from, packageId, context.config.unsignedCalls);
  const found = await search(context, context.db, seen, live);
  if (found === undefined) {
    // Without waiting in line or a lock: bids that came meanwhile keep the package due.
    await clearEvaluation(context.db, packageId, seen.bids_version);
    return 'none';
  }
  // Its formation is signed in a moment.
  warm(context.ledger);
  await context.funds.balance();
  const evaluation = await inTransaction(db, async (line) => {
    const [, parcel] = await Promise.all([lineUp(line, packageId), findPackage(line, packageId)]);
    if (parcel?.status !== 'listed') return 'none';
    const isCurrent = parcel.bids_version === seen.bids_version && stands(found.chain, context.clock());
    // Nobody bids meanwhile, and the funds are not held yet, for which other packages wait.
    const best = isCurrent ? found : await search(context, line, parcel, await bidsIn(line));
    if (best !== undefined) return commitIfAffordable(context, db, line, parcel, best);
    await clearEvaluation(line, packageId, parcel.bids_version);
    return 'none';
  });
  return evaluation === 'outdated' ? evaluatePackage(context, db, packageId) : evaluation;
}

/**
 * Decides, if the coordinator can take it on.
 *
 * @param line stands in line at the package
 * @returns `outdated` when a bid of the chain, or its agent's room for another leg, has ended meanwhile: it is to be chosen again
 */
async function commitIfAffordable(
  context: AppContext,
  db: Db,
  line: Trx,
  seen: PackageRow,
  best: Found,
): Promise<Evaluation | 'outdated'> {
  const { id, bids_version: version, terms } = seen;
  const bids = best.chain.legs.map(({ bid }) => bid);
  const cost = formationCost(context.ledger, bids.length, terms);
  // What its agents have won in other packages is from after their turn, and the sums are from after the lock.
  const [, admitted, allowance] = await Promise.all([
    asksWho(seen) &&
      lineUpAtAgents(
        line,
        bids.map(({ agent_pubkey: agent }) => agent),
      ),
    admissible(context, line, seen, bids),
    allowanceFor(context, line, bids, cost),
  ]);
  if (admitted.length < bids.length) return 'outdated';
  if (allowance === undefined) return 'waits';
  const decide = async (trx: Trx): Promise<Evaluation | 'outdated'> => {
    const parcel = await lockPackage(trx, id);
    if (parcel?.status !== 'listed') return 'none';
    if (parcel.bids_version !== version || !stands(best.chain, context.clock())) return 'outdated';
    const { chain, accounts } = best;
    const [onChain, isFirst] = await Promise.all([accounts, isNext(line, packageSubject(id))]);
    commitChain(context, trx, parcel, { chain, onChain }, { costLamports: cost, isNext: isFirst });
    void atEnd(trx, () => spend(trx, allowance, cost));
    return 'formed';
  };
  return inTransaction(db, decide, 'serializable');
}
