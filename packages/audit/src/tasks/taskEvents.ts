import { type DueEvent, wireInstant } from '../compareEvents.js';
import { endSignatureOf, refundOf, settleSignatureOf } from '../facts.js';
import type { MirroredEvent } from '../mirroredEvents.js';
import type { TaskFacts, TaskStep } from './taskFacts.js';

const TYPE = {
  assigned: 'TASK_LEG_ASSIGNED',
  released: 'TASK_LEG_RELEASED',
  confirmed: 'TASK_LEG_COMPLETED',
} as const satisfies Record<TaskStep['kind'], MirroredEvent['type']>;

function dueOfStep({ kind, assignment, signature }: TaskStep): DueEvent {
  const { index: legIndex, agent: agentPubkey, confirmed } = assignment;
  const paid = kind === 'confirmed' &&
    confirmed !== null && {
      paymentLamports: Number(assignment.paymentLamports),
      resultHash: confirmed.resultHash,
    };
  return { type: TYPE[kind], facts: { legIndex, agentPubkey, ...paid, signature }, signature };
}

/** The events that the ledger's transactions about a digital task call for, in their order. */
export function dueEvents(task: TaskFacts): DueEvent[] {
  const { listSignature, shipper: shipperPubkey, address: onChainTask, numLegs, status } = task;
  const maxBudgetLamports = Number(task.budgetLamports);
  const deadline = wireInstant(task.deadline);
  const listed = { shipperPubkey, numLegs, maxBudgetLamports, deadline, onChainTask, listSignature };
  const due: DueEvent[] = [{ type: 'TASK_LISTED', facts: listed, signature: listSignature }];
  due.push(...task.steps.map(dueOfStep));
  const settleSignature = settleSignatureOf(task);
  if (settleSignature !== null) {
    const facts = { settleSignature, refundLamports: Number(refundOf(task)) };
    due.push({ type: 'TASK_COMPLETED', facts, signature: settleSignature });
  }
  const ended = endSignatureOf(task);
  if (ended !== null) due.push({ type: 'TASK_FAILED', facts: { failureReason: status }, signature: ended });
  return due;
}

/** A claim that ended before the ledger assigned it leaves a release without a signature, of which the ledger says nothing. */
export function isOnLedger({ type, payload }: MirroredEvent): boolean {
  if (type !== 'TASK_LEG_RELEASED' || payload['signature'] !== undefined) return true;
  return payload['reason'] === 'released' || payload['reason'] === 'timeout';
}
