import type { DigitalLegView, DigitalTaskView } from '@legwork/sdk';
import type { Policy } from '../policy/policy.js';

/** A leg that this worker may claim. */
export interface LegalClaim {
  readonly task: DigitalTaskView;
  readonly leg: DigitalLegView;
}

/** For handing in, beyond what the work may take, milliseconds. */
const HAND_IN_MS = 30_000;
/** No leg is claimed so near to the deadline (M-54), milliseconds beyond the time for the leg. */
const DEADLINE_GRACE_MS = 600_000;

/**
 * The legs of a task that a worker may claim: open ones whose turn has come, that pay enough, leave enough time, and ask for what it
 * can do; one of a task, and none of a task of its own. Rule A-40.
 */
export function legalClaims(
  task: DigitalTaskView,
  pubkey: string,
  { worker, limits }: Pick<Policy, 'worker' | 'limits'>,
  nowMs: number,
): LegalClaim[] {
  if (!worker || task.shipperPubkey === pubkey || task.finality === 'reverted') return [];
  if (task.paymentPerLegLamports < limits.minPayment) return [];
  if (task.legs.some(({ agentPubkey }) => agentPubkey === pubkey)) return [];
  const timeMs = task.claimTimeoutSec * 1000;
  if (timeMs < worker.run.timeoutSec * 1000 + HAND_IN_MS) return [];
  if (nowMs + timeMs + DEADLINE_GRACE_MS > task.deadline.getTime()) return [];
  return task.legs
    .filter(({ isOpen, isWorkable }) => isOpen && isWorkable)
    .filter(({ instruction }) => canDo(worker.capabilities, `${task.title}\n${instruction}`))
    .map((leg) => ({ task, leg }));
}

/** Whether the text names one of the capabilities as a word of its own; without capabilities everything can be done. */
function canDo(capabilities: readonly string[], text: string): boolean {
  if (capabilities.length === 0) return true;
  const words = wordsOf(text);
  return capabilities.some((capability) => words.includes(wordsOf(capability)));
}

/** The words of a text in lower case, a space around each. */
function wordsOf(text: string): string {
  return ` ${(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')} `;
}
