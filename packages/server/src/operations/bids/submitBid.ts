import { lamportsToSolNumber, operations } from '@legwork/protocol/contract';
import { expectedPaymentLamports } from '@legwork/protocol/rules';
import { clientKey } from '../../api/limits.js';
import { standingOf } from '../../coordinator/chooseChain.js';
import { overBudget } from '../../coordinator/newcomers.js';
import { requirePlainAccount, requireWallet } from '../guards.js';
import type { Run } from '../run.js';
import { callToKeep } from '../signedCalls.js';
import type { Bidding } from './bidding.js';
import { placeForLeg } from './openingBid.js';
import { stakeWarning } from './stakeWarning.js';

export const submitBid: Run<typeof operations.submitBid> = async (context, input, caller) => {
  const { agentPubkey, packageId, legId } = input;
  requireWallet(context, 'agentPubkey', agentPubkey);
  await requirePlainAccount(context, agentPubkey);
  const call = callToKeep(caller, operations.submitBid, input);
  const bidding: Bidding = { input, call, client: clientKey(caller.ip) };
  // What anybody bids in an agent's name does not take the turns of what its key signs.
  const turn = { line: packageId, name: `${call ? 'signed' : 'unsigned'} ${agentPubkey}` };
  const { bid, parcel, standing, isConsidered } =
    legId === undefined ? await context.bids.run(bidding, turn) : await placeForLeg(context, bidding, legId);
  if (legId !== undefined) context.wakers.keeper.wake();
  // Without a bidding window it is due now.
  else context.wakers.evaluator.wake(parcel.bidding_closes_at === null ? packageId : undefined);
  context.wakers.sequencer.wake();

  const costLamports = bid.cost_lamports;
  const rho = standingOf(context.config, standing);
  return {
    answer: {
      id: bid.id,
      packageId,
      agentPubkey,
      costSol: lamportsToSolNumber(costLamports),
      costLamports,
      // Who takes a vacant leg is paid what it asks.
      expectedPaymentLamports:
        legId === undefined ? expectedPaymentLamports(parcel.max_budget_lamports, { costLamports, rho }) : costLamports,
      expiresAt: bid.expires_at,
      createdAt: bid.created_at,
      warning: isConsidered ? await stakeWarning(context, parcel.terms, agentPubkey) : overBudget(agentPubkey),
    },
  };
};
