import type { Instruction } from '@solana/kit';
import type { AppContext } from '../context.js';
import { endClaim, isInTime } from '../coordinator/taskWork.js';
import { bar, findDigitalLeg } from '../tasks/taskLegRows.js';
import { lockTask } from '../tasks/taskRows.js';
import { claimOf, finishIntent, type LeasedIntent } from '../db/outbox.js';
import type { DigitalLegRow, DigitalTaskRow } from '../db/schema.js';
import { inTransaction } from '../db/transaction.js';
import { readTaskLegAccount } from '../ledger/accounts.js';
import { type Ledger, readLedgerTime } from '../ledger/ledger.js';
import {
  assignTaskLegInstruction,
  confirmTaskLegInstruction,
  type HeldLeg,
  releaseTaskLegInstruction,
} from '../ledger/taskInstructions.js';
import type { TransactionFailure } from '../ledger/submitTransaction.js';
import { UNTIL_DONE, type IntentHandler, nothingLeft, type RetryPolicy, taskOf, tryAgain } from './intentHandler.js';
import { verifyDecision } from './verifyDecision.js';

/** A claim that an agent has, with its task. */
interface HeldClaim {
  task: DigitalTaskRow;
  leg: HeldLeg;
}

/** An action on the ledger about a claim. */
interface LegAction {
  policy: RetryPolicy;
  /** The status of a leg for which it is still to be done. */
  due: DigitalLegRow['status'];
  /**
   * Returns undefined when it is not to be done any more.
   *
   * @throws Error when the ledger does not show what it takes: the worker tries again
   */
  instruction: (context: AppContext, claim: HeldClaim) => Promise<Instruction | undefined>;
  /** The ledger said no, and does not show it done. */
  refused: (context: AppContext, intent: LeasedIntent, claim: HeldClaim, failure: TransactionFailure) => Promise<void>;
}

/** Returns what the intent was decided about; undefined when the claim is void, its task is over, or it was done already. */
async function heldClaim(
  context: AppContext,
  intent: LeasedIntent,
  due: DigitalLegRow['status'],
): Promise<HeldClaim | undefined> {
  const { legId, claim } = claimOf(intent);
  const [leg, task] = await Promise.all([findDigitalLeg(context.db, legId), taskOf(context, intent)]);
  if (leg?.task_id !== task.id) throw new Error(`intent ${intent.id} names a digital leg that does not exist`);
  const { agent_pubkey: agent } = leg;
  if (agent === null || leg.claim !== claim || leg.status !== due) return undefined;
  return { task, leg: { ...leg, agent_pubkey: agent } };
}

/** Does something about a claim as long as it stands; the intent of a void claim ends quietly. */
function legIntent({ policy, due, instruction, refused }: LegAction): IntentHandler {
  return {
    policy,

    async instructions(context, intent) {
      const claim = await heldClaim(context, intent, due);
      const next = claim && (await instruction(context, claim));
      if (claim === undefined || next === undefined) return undefined;
      await verifyDecision(context, intent, claim);
      return { about: claim.task, instructions: [next] };
    },

    async refused(context, intent, failure) {
      const claim = await heldClaim(context, intent, due);
      return claim ? refused(context, intent, claim, failure) : nothingLeft(context, intent);
    },
  };
}

/** Refusals that are about the agent: the ledger would never take it for a leg of this task. */
const ABOUT_THE_AGENT: ReadonlySet<string | undefined> = new Set(['InvalidAgent', 'SelfDealing', 'DuplicateAgent']);

/** @throws Error while the node may not show an assignment that landed: to give up then would void a claim that the ledger took */
async function requireUnassigned(ledger: Ledger, { leg }: HeldClaim, failure: TransactionFailure): Promise<void> {
  const account = await readTaskLegAccount(ledger, leg.on_chain_leg);
  const mayBeOurs =
    account === undefined ? failure.relayError === 'LegAlreadyAssigned' : account.agent === leg.agent_pubkey;
  if (mayBeOurs) throw new Error(`the ledger does not show how leg ${leg.id} was assigned`);
}

/**
 * Ends a claim whose assignment was held up until too little time is left. Returns false when it goes on: work was handed in
 * meanwhile, or an earlier try has landed after all.
 */
async function lapse({ ledger, db }: AppContext, claimed: HeldLeg): Promise<boolean> {
  if ((await readTaskLegAccount(ledger, claimed.on_chain_leg)) !== undefined) return false;
  return inTransaction(db, async (trx) => {
    await lockTask(trx, claimed.task_id);
    const leg = await findDigitalLeg(trx, claimed.id);
    if (leg?.claim === claimed.claim && leg.result_hash !== null) return false;
    await endClaim(trx, claimed, 'lapsed');
    return true;
  });
}

/** A pause of the program says nothing about the claim, which waits; past the deadline it would block the way out of escrow. */
async function isOnlyPaused({ ledger }: AppContext, task: DigitalTaskRow, { relayError }: TransactionFailure) {
  return relayError === 'Paused' && (await readLedgerTime(ledger)) < task.deadline;
}

async function assignmentRefused(
  context: AppContext,
  intent: LeasedIntent,
  { task, leg }: HeldClaim,
  failure: TransactionFailure,
): Promise<void> {
  if (await isOnlyPaused(context, task, failure)) return tryAgain(context, intent, failure);
  await requireUnassigned(context.ledger, { task, leg }, failure);
  const { reason, relayError } = failure;
  await inTransaction(context.db, async (trx) => {
    await lockTask(trx, leg.task_id);
    const isVoid = await endClaim(trx, leg, 'refused');
    if (isVoid && ABOUT_THE_AGENT.has(relayError)) {
      await bar(trx, { task_id: leg.task_id, agent_pubkey: leg.agent_pubkey, leg_id: leg.id, reason: 'refused' });
    }
    await finishIntent(trx, intent, reason);
  });
  context.log.warn(
    { taskId: leg.task_id, legId: leg.id, agent: leg.agent_pubkey, reason },
    'the ledger refused an assignment',
  );
}

/** Gives an agent its leg on the ledger. A claim that the ledger refuses for good is void, and others may have the leg. Rules M-56, M-61. */
export const assignTaskLegIntent = legIntent({
  policy: { tries: 10, surprises: Infinity },
  due: 'pending',
  async instruction(context, { task, leg }) {
    const { ledger, clock } = context;
    if (!isInTime(task, clock()) && (await lapse(context, leg))) return undefined;
    return assignTaskLegInstruction(ledger, task, leg);
  },
  refused: assignmentRefused,
});

/** Takes a leg from the agent that gave it back, or let its time run out. Rule M-57. */
export const releaseTaskLegIntent = legIntent({
  policy: UNTIL_DONE,
  due: 'in_progress',
  async instruction({ ledger }, { task, leg }) {
    const account = await readTaskLegAccount(ledger, leg.on_chain_leg);
    if (account?.agent !== leg.agent_pubkey) {
      throw new Error(`the ledger does not show leg ${leg.id} with ${leg.agent_pubkey}`);
    }
    return releaseTaskLegInstruction(ledger, task, leg, account.rentPayer);
  },
  refused: (context, intent, _claim, failure) => tryAgain(context, intent, failure),
});

function hashOf({ id, result_hash: resultHash }: HeldLeg): string {
  if (resultHash === null) throw new Error(`leg ${id} has no result`);
  return resultHash;
}

/**
 * An agent is owed what it has earned. If it made its own account unable to take it, that does not hold up what others have in
 * escrow: past the deadline the payment is given up.
 */
async function confirmationRefused(
  context: AppContext,
  intent: LeasedIntent,
  { task, leg }: HeldClaim,
  failure: TransactionFailure,
): Promise<void> {
  const isPayable = failure.relayError !== 'PayeeCannotReceive';
  if (isPayable || (await readLedgerTime(context.ledger)) < task.deadline) return tryAgain(context, intent, failure);
  await inTransaction(context.db, (trx) => finishIntent(trx, intent, failure.reason));
  context.log.warn({ taskId: task.id, legId: leg.id, agent: leg.agent_pubkey }, 'an agent cannot receive its payment');
}

/** Pays an agent for its result. Rule M-59. */
export const confirmTaskLegIntent = legIntent({
  policy: UNTIL_DONE,
  due: 'in_progress',
  async instruction({ ledger }, { task, leg }) {
    return confirmTaskLegInstruction(ledger, task, { ...leg, result_hash: hashOf(leg) });
  },
  refused: confirmationRefused,
});
