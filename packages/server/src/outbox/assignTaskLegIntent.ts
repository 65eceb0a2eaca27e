import type { AppContext } from '../context.js';
import { bar, findDigitalLeg } from '../db/digitalLegs.js';
import { lockTask } from '../db/digitalTasks.js';
import { finishIntent, type LeasedIntent } from '../db/outbox.js';
import type { DigitalTaskRow } from '../db/schema.js';
import { inTransaction } from '../db/transaction.js';
import { readTaskLegAccount } from '../ledger/accounts.js';
import type { Ledger } from '../ledger/ledger.js';
import { endClaim, isInTime } from '../coordinator/taskWork.js';
import { findTransactionOf } from '@legwork/program-client/history';
import { readLedgerTime } from '../ledger/ledgerClock.js';
import { assigns, recordTaskLegAssigned } from '../mirror/taskLegAssigned.js';
import { assignTaskLegInstruction, type HeldLeg } from '../ledger/taskInstructions.js';
import type { TransactionFailure } from '../ledger/transactionFailure.js';
import { type HeldClaim, legIntent } from './legIntent.js';
import { tryAgain } from './tryAgain.js';

/** Refusals that are about the agent: the ledger would never take it for a leg of this task. */
const ABOUT_THE_AGENT: ReadonlySet<string | undefined> = new Set(['InvalidAgent', 'SelfDealing', 'DuplicateAgent']);

/** @throws Error while the node does not show what it must have: to give up then would void a claim that the ledger took */
async function findAssignment(
  ledger: Ledger,
  { leg }: HeldClaim,
  failure: TransactionFailure,
): Promise<string | undefined> {
  const account = await readTaskLegAccount(ledger, leg.on_chain_leg);
  if (account === undefined && failure.relayError !== 'LegAlreadyAssigned') return undefined;
  if (account !== undefined && account.agent !== leg.agent_pubkey) return undefined;
  const signature = await findTransactionOf(ledger, leg.on_chain_leg, (instruction) => assigns(instruction, leg));
  if (signature === undefined) throw new Error(`the ledger does not show how leg ${leg.id} was assigned`);
  return signature;
}

/**
 * Ends a claim whose assignment was held up until too little time is left. Answers false when it goes on: there is work that
 * was handed in meanwhile, or an earlier try has landed after all. Rule M-56.
 */
async function lapse({ ledger, db }: AppContext, intent: LeasedIntent, claimed: HeldLeg): Promise<boolean> {
  if ((await readTaskLegAccount(ledger, claimed.on_chain_leg)) !== undefined) return false;
  return inTransaction(db, async (trx) => {
    await lockTask(trx, claimed.task_id);
    const leg = await findDigitalLeg(trx, claimed.id);
    if (leg?.claim === claimed.claim && leg.result_hash !== null) return false;
    await endClaim(trx, claimed, 'lapsed');
    await finishIntent(trx, intent, 'too little time is left before the deadline');
    return true;
  });
}

/** A pause of the program says nothing about the claim, which waits; past the deadline it would hold up the way out of the escrow. */
async function isOnlyPaused({ ledger }: AppContext, task: DigitalTaskRow, { relayError }: TransactionFailure) {
  return relayError === 'Paused' && (await readLedgerTime(ledger)) < task.deadline;
}

async function refused(
  context: AppContext,
  intent: LeasedIntent,
  { task, leg }: HeldClaim,
  failure: TransactionFailure,
): Promise<void> {
  if (await isOnlyPaused(context, task, failure)) return tryAgain(context, intent, failure);
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

/** Gives an agent its leg on the ledger; a claim that it refuses for good is void. Rules M-56, M-61. */
export const assignTaskLegIntent = legIntent({
  due: 'pending',
  async instruction(context, { task, leg }, intent) {
    const { ledger, clock } = context;
    if (!isInTime(task, clock()) && (await lapse(context, intent, leg))) return undefined;
    return assignTaskLegInstruction(ledger, task, leg);
  },
  find: findAssignment,
  record: (trx, leg, { signature }) => recordTaskLegAssigned(trx, leg, signature),
  refused,
});
