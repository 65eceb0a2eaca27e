import {
  type AssignmentFacts,
  endSignatureOf,
  refundOf,
  settleSignatureOf,
  type StepFacts,
  type TaskFacts,
} from '@legwork/program-client/facts';
import type { ReleaseReason } from '@legwork/protocol/contract';
import { type DueEvent, wireInstant } from './events.js';
import { dueOf, dueOfMove, untilAfter } from './moveEvents.js';

/** The events that the ledger's transactions about a digital task call for, in their order. */
export function dueOfTask(task: TaskFacts): DueEvent[] {
  const { listSignature, poster: shipperPubkey, address: onChainTask, numLegs, status } = task;
  const maxBudgetLamports = Number(task.budgetLamports);
  const deadline = wireInstant(task.deadline);
  const listed = { shipperPubkey, numLegs, maxBudgetLamports, deadline, onChainTask, listSignature };
  const due: DueEvent[] = [{ type: 'TASK_LISTED', facts: listed, signature: listSignature }];
  due.push(...task.steps.flatMap((step) => dueOfStep(task, step) ?? []));
  const settleSignature = settleSignatureOf(task);
  if (settleSignature !== null) {
    const facts = { settleSignature, refundLamports: Number(refundOf(task)) };
    due.push({ type: 'TASK_COMPLETED', facts, signature: settleSignature });
  }
  const ended = endSignatureOf(task);
  if (ended !== null) due.push({ type: 'TASK_FAILED', facts: { failureReason: status }, signature: ended });
  return due;
}

/** The event of what was done to a leg; undefined: it has none of its own. */
function dueOfStep(task: TaskFacts, step: StepFacts): DueEvent | undefined {
  const { terms, assignments } = task;
  const assignment = assignments.find((one) => one === step.leg);
  if (step.move === 'assign') {
    const { until: dueAt } = terms ? untilAfter(step, terms.handoff) : {};
    return dueOf(step, ['TASK_LEG_ASSIGNED', dueAt === undefined ? {} : { dueAt }]);
  }
  if (step.move === 'release') {
    const reason = assignment && releaseReasonOf(task, assignment);
    return dueOf(step, ['TASK_LEG_RELEASED', reason === undefined ? {} : { reason }]);
  }
  if (step.move !== 'confirm') return dueOfMove(step, terms);
  const paymentLamports = Number(step.leg.paidLamports);
  return dueOf(step, ['TASK_LEG_COMPLETED', { paymentLamports, resultHash: assignment?.resultHash ?? '' }]);
}

/** Why a leg with terms was vacant when it was released; undefined: without terms the ledger does not say. Rule T-96. */
export function releaseReasonOf({ terms, steps }: TaskFacts, assignment: AssignmentFacts): ReleaseReason | undefined {
  if (terms === null) return undefined;
  const last = steps.findLast(({ leg, move }) => leg === assignment && move !== 'release')?.move;
  if (last === 'reject') return 'rejected';
  return last === 'leave' ? 'released' : 'timeout';
}
