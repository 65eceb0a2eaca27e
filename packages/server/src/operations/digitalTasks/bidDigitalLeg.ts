import { type AnswerOf, lamportsToSolNumber, operations, parseSol } from '@legwork/protocol/contract';
import { legShare } from '@legwork/protocol/rules';
import { clientKey } from '../../api/limits.js';
import type { AppContext } from '../../context.js';
import { type LegWithoutResult, readResult } from '../../db/digitalLegs.js';
import { requirePlainAccount, requireWallet } from '../guards.js';
import type { Run } from '../run.js';
import { callToKeep } from '../signedCalls.js';
import { assigningPaused, awaitClaim, type Claiming, claimLeg, requireClaimable } from './claim.js';
import { isLegWorkable, type LegInTask, requireHolder, requireLegOf } from './guards.js';
import { isAtWork, resourceUriOf } from './view.js';

export const bidDigitalLeg: Run<typeof operations.bidDigitalLeg> = async (context, input, caller) => {
  const { agentPubkey, taskId, legId } = input;
  requireWallet(context, 'agentPubkey', agentPubkey);
  const bidLamports = parseSol(input.bidSol);
  const call = callToKeep(caller, operations.bidDigitalLeg, input);
  const signed = call !== undefined;
  const claiming = { taskId, legId, agentPubkey, bidLamports, signed, call, client: clientKey(caller.ip) };
  const seen = await requireLegOf(context.db, claiming);
  await lookFirst(context, seen, claiming);
  const claimed = await claimLeg(context, claiming);
  const isReserved = !isLegWorkable(seen.task, seen.legs, seen.leg.leg_index);
  await awaitClaim(context, claimed, ({ status }) => isReserved || status !== 'pending');
  const found = await requireLegOf(context.db, claiming);
  requireHolder(found, claiming);
  return { answer: await answerTo(context, found, claimed, claiming) };
};

/** Checks without a lock first, so that a refused claim waits for no other call. @throws RelayError */
async function lookFirst(context: AppContext, found: LegInTask, claiming: Claiming): Promise<void> {
  if (found.leg.agent_pubkey === claiming.agentPubkey) return;
  await requireClaimable(context, context.db, found, claiming);
  await requirePlainAccount(context, claiming.agentPubkey);
  const isWorkable = isLegWorkable(found.task, found.legs, found.leg.leg_index);
  if (isWorkable && !(await context.funds.isAboveReserve())) throw assigningPaused();
}

/** The result of the leg before; null for the first leg, and until it is confirmed. */
async function previousResult({ db }: AppContext, { legs, leg }: LegInTask): Promise<string | null> {
  const before = legs.find((other) => other.leg_index === leg.leg_index - 1);
  if (before?.status !== 'completed') return null;
  return readResult(db, before.id);
}

async function answerTo(
  context: AppContext,
  found: LegInTask,
  { bid_lamports: bidLamports }: LegWithoutResult,
  { agentPubkey }: Claiming,
): Promise<AnswerOf<typeof operations.bidDigitalLeg>> {
  const { task, legs, leg } = found;
  if (bidLamports === null) throw new Error(`leg ${leg.id} was claimed without a bid`);
  const share = legShare(task.max_budget_lamports, task.num_legs);
  return {
    taskId: task.id,
    legId: leg.id,
    legIndex: leg.leg_index,
    agentPubkey,
    status: leg.status,
    isWorkable: isLegWorkable(task, legs, leg.leg_index),
    instruction: leg.instruction,
    bidSol: lamportsToSolNumber(bidLamports),
    bidLamports,
    paymentPerLegSol: lamportsToSolNumber(share),
    paymentPerLegLamports: share,
    claimTimeoutSec: task.claim_timeout_sec,
    dueAt: isAtWork(leg) ? leg.due_at : null,
    assignSignature: leg.assign_signature,
    previousResult: await previousResult(context, found),
    resourceUri: resourceUriOf(task.id),
  };
}
