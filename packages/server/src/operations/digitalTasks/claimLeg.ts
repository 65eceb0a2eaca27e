import { type Lamports, RelayError } from '@legwork/protocol/contract';
import { checkClaim, legShare } from '@legwork/protocol/rules';
import { newcomerBudget } from '../../coordinator/newcomers.js';
import { giveWork } from '../../coordinator/taskWork.js';
import { taskSubject } from '../../db/outbox.js';
import type { AppContext } from '../../context.js';
import type { Db, Trx } from '../../db/connect.js';
import { markSigned, takeLeg } from '../../db/digitalClaims.js';
import { barredAgents, type LegWithoutResult } from '../../db/digitalLegs.js';
import { noteSigningKey } from '../../db/signingKeys.js';
import { inTransaction } from '../../db/transaction.js';
import { appendEvent } from '../../db/events.js';
import { type LegInTask, lockLegOf } from './legInTask.js';
import { type Holder, requireKept } from './ownLeg.js';
import { isLegWorkable } from './viewDigitalTask.js';

/** A claim as it arrives. */
export interface Claiming extends Holder {
  taskId: string;
  legId: string;
  bidLamports: Lamports;
  /** The address it comes from, as limits count it. */
  client: string;
}

/** @returns RelayError `assigning_paused` */
export function assigningPaused(): RelayError {
  return new RelayError(
    'assigning_paused',
    'The funds of the coordinator are low, and it assigns no workable leg for now. Legs can still be reserved, and what is under way goes on.',
  );
}

/**
 * Decides the assignment of the leg that can be worked on, if an agent has it. The caller holds the task's lock. Rule M-61.
 *
 * @throws RelayError `assigning_paused`, `newcomer_budget`, `not_your_leg` when it is a reservation that lapses now
 */
export async function requireGiven(
  context: AppContext,
  trx: Trx,
  task: LegInTask['task'],
  legs: readonly LegWithoutResult[],
): Promise<void> {
  const { given, leg } = await giveWork(context, trx, task, legs);
  if (given === 'no_means') throw assigningPaused();
  if (given === 'lapsed')
    throw RelayError.field('not_your_leg', 'legId', 'was reserved, and the reservation has lapsed');
  if (given === 'over_budget') throw newcomerBudget(leg?.agent_pubkey ?? '');
}

/** @throws RelayError when a rule of claims refuses it. Rules M-52, M-54 */
export async function requireClaimable(
  db: Db | Trx,
  { task, legs, leg }: LegInTask,
  claim: Pick<Claiming, 'agentPubkey' | 'bidLamports'>,
  now: Date,
): Promise<void> {
  const fault = checkClaim(
    claim,
    {
      taskStatus: task.status,
      legStatus: leg.status,
      shipperPubkey: task.shipper_pubkey,
      holderPubkey: leg.agent_pubkey ?? leg.held_elsewhere,
      otherAgents: legs.flatMap((other) => (other.id === leg.id ? [] : (other.agent_pubkey ?? []))),
      barredAgents: await barredAgents(db, task.id),
      shareLamports: legShare(task.max_budget_lamports, task.num_legs),
      claimTimeoutSec: task.claim_timeout_sec,
      deadlineMs: task.deadline.getTime(),
    },
    now.getTime(),
  );
  if (fault) throw RelayError.field(fault.code, fault.field, fault.message);
}

async function takeUnderLock(
  context: AppContext,
  trx: Trx,
  { task, legs, leg }: LegInTask,
  claiming: Claiming,
): Promise<LegWithoutResult> {
  const taken = await takeLeg(trx, leg.id, claiming);
  if (!taken) throw new Error(`leg ${leg.id} is open and was not to be had`);
  await appendEvent(trx, 'TASK_LEG_CLAIMED', taskSubject(task.id), {
    taskId: task.id,
    legId: leg.id,
    legIndex: leg.leg_index,
    agentPubkey: claiming.agentPubkey,
    isWorkable: isLegWorkable(task, legs, leg.leg_index),
  });
  await requireGiven(
    context,
    trx,
    task,
    legs.map((other) => (other.id === taken.id ? taken : other)),
  );
  return taken;
}

/**
 * Gives the leg to the agent and decides its assignment if it is workable, in one transaction. For an agent that has the leg
 * already nothing happens, but that a signed call makes the claim a signed one. Rules M-54 to M-56, S-57, S-60.
 *
 * @returns the leg with the claim
 * @throws RelayError when a rule of claims refuses it
 */
export async function claimLeg(context: AppContext, claiming: Claiming): Promise<LegWithoutResult> {
  const now = context.clock();
  const { leg, isNew } = await inTransaction(context.db, async (trx) => {
    const found = await lockLegOf(trx, claiming);
    if (claiming.signed) await noteSigningKey(trx, claiming.agentPubkey);
    if (found.leg.agent_pubkey !== claiming.agentPubkey) {
      await requireClaimable(trx, found, claiming, now);
      return { leg: await takeUnderLock(context, trx, found, claiming), isNew: true };
    }
    requireKept(found);
    if (claiming.signed) await markSigned(trx, found.leg);
    return { leg: found.leg, isNew: false };
  });
  if (isNew) {
    context.wakers.outbox.wake();
    context.wakers.sequencer.wake();
  }
  return leg;
}
