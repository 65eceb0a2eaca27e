import { LegworkError } from '@legwork/protocol/contract';
import type { AppContext } from '../context.js';
import { type BidWithFate, endBids, findBid } from './bidRows.js';
import { packageSubject } from '../db/listings.js';
import { inTransaction, lineUp } from '../db/transaction.js';
import type { Trx } from '../db/connect.js';
import { noteWithdrawal } from '../packages/evaluationRows.js';
import { lockPackage } from '../packages/packageRows.js';
import { appendEvent } from '../db/events.js';
import type { Caller, In, Out } from '../operations/run.js';
import { viewBid } from './read.js';

export async function withdrawBid(
  context: AppContext,
  { bidId }: In<'withdrawBid'>,
  caller: Caller,
): Out<'withdrawBid'> {
  const { package_id: packageId } = await requireOwnBid(context.db, bidId, caller.pubkey);
  const { bid, parcel } = await inTransaction(context.db, async (trx) => {
    // Against the evaluation, which chooses under the same lock.
    await lineUp(trx, packageId);
    const parcel = await lockPackage(trx, packageId);
    if (parcel === undefined) throw new Error(`bid ${bidId} is of no package`);
    return { parcel, bid: await withdraw(trx, await requireOwnBid(trx, bidId, caller.pubkey)) };
  });
  context.wakers.sequencer.wake();
  return { answer: viewBid({ assets: context.ledger.assets, parcel, sealed: false }, bid) };
}

/** @throws LegworkError `not_found`, `pubkey_mismatch` when it is another agent's */
async function requireOwnBid(
  db: AppContext['db'] | Trx,
  bidId: string,
  pubkey: string | undefined,
): Promise<BidWithFate> {
  const bid = await findBid(db, bidId);
  if (!bid) throw LegworkError.field('not_found', 'bidId', 'no bid has this id');
  if (bid.agent_pubkey === pubkey) return bid;
  throw LegworkError.field(
    'pubkey_mismatch',
    'bidId',
    `is a bid of ${bid.agent_pubkey}; only that key can withdraw it`,
  );
}

/** Leaves a bid that has ended as it is: the caller has what it wanted. */
async function withdraw(trx: Trx, bid: BidWithFate): Promise<BidWithFate> {
  if (bid.chosen_in !== null) {
    throw LegworkError.field(
      'invalid_status',
      'bidId',
      `is chosen: a leg of swarm ${bid.chosen_in} was made of it; a bid can be withdrawn until it is chosen`,
    );
  }
  if (bid.ended_at !== null || bid.is_expired) return bid;
  await endBids(trx, [bid.id], 'withdrawn');
  await noteWithdrawal(trx, bid.package_id);
  const { package_id: packageId, id: bidId, agent_pubkey: agentPubkey } = bid;
  appendEvent(trx, 'BID_WITHDRAWN', packageSubject(packageId), { packageId, bidId, agentPubkey });
  return { ...bid, ended_because: 'withdrawn' };
}
