import { NOTICE_MS } from '@legwork/protocol/rules';
import { formatSol, toLamports } from '@legwork/sdk';
import type { DigitalLegView, DigitalTaskView, Terms } from '@legwork/sdk';
import { disagreement, isWelcome } from '../engine/agreement.js';
import type { Disagreement, TermsRules } from '../engine/agreement.js';
import type { Tell } from '../engine/reasons.js';
import type { Policy, WorkerPolicy } from '../policy/policy.js';

/** A leg that this worker may claim. */
export interface LegalClaim {
  readonly task: DigitalTaskView;
  readonly leg: DigitalLegView;
}

/** Who may claim it. */
interface Looker {
  readonly pubkey: string;
  readonly policy: Pick<Policy, 'worker' | 'limits'>;
  readonly terms: TermsRules;
}

/** For handing in, beyond what the work may take, seconds. */
const HAND_IN_SEC = 30;
/** A leg with terms that is not handed in is left so long before its clock ends, seconds. */
const NOTICE_SEC = NOTICE_MS / 1000;
/** No leg is claimed so near to the deadline (M-54, T-94), seconds beyond the time for the leg. */
const DEADLINE_GRACE_SEC = 600;

/**
 * The legs of a task that a worker may claim: open ones whose turn has come, that pay enough, leave enough time, and ask for what it
 * can do; one of a task, and none of a task of its own. Rule A-40.
 */
export function legalClaims(
  task: DigitalTaskView,
  { pubkey, policy: { worker, limits }, terms: rules }: Looker,
  nowMs: number,
  tell: Tell = () => undefined,
): LegalClaim[] {
  const { terms } = task;
  if (!worker || task.shipperPubkey === pubkey || task.finality === 'reverted') return [];
  if (task.legs.some(({ agentPubkey }) => agentPubkey === pubkey)) return [];
  const open = task.legs.filter(({ isOpen, isWorkable }) => isOpen && isWorkable);
  if (open.length === 0) return [];
  const able = open.filter(({ instruction }) => canDo(worker.capabilities, `${task.title}\n${instruction}`));
  if (able.length === 0) {
    tell('capability', `no open leg of it names one of worker.capabilities, ${worker.capabilities.join(', ')}`);
    return [];
  }
  if (!isWelcome(task, pubkey)) {
    tell('excluded', 'its poster takes no claim of this key');
    return [];
  }
  if (task.paymentPerLegLamports < limits.minPayment) {
    const pays = `${formatSol(task.paymentPerLegLamports)} SOL`;
    tell('price', `a leg pays ${pays}, but limits.minPayment is ${formatSol(toLamports(limits.minPayment))} SOL`);
    return [];
  }
  const why = terms === null ? tooShort(task, worker) : disagreementToWork(terms, worker, rules);
  if (why !== undefined) {
    tell(why.code, why.words);
    return [];
  }
  const timeSec = terms === null ? task.claimTimeoutSec : terms.handoffSec + terms.carrySec;
  if (nowMs + (timeSec + DEADLINE_GRACE_SEC) * 1000 > task.deadline.getTime()) {
    tell('time', `its deadline, ${task.deadline.toISOString()}, leaves less than the ${timeSec} seconds of a leg`);
    return [];
  }
  return able.map((leg) => ({ task, leg }));
}

function tooShort({ claimTimeoutSec }: DigitalTaskView, { run }: WorkerPolicy): Disagreement | undefined {
  if (claimTimeoutSec >= run.timeoutSec + HAND_IN_SEC) return undefined;
  const words = `a leg has ${claimTimeoutSec} seconds, but worker.run.timeoutSec is ${run.timeoutSec}, and ${HAND_IN_SEC} are for handing in`;
  return { code: 'clocks', words };
}

/** Why a worker takes no leg that is bound by these terms; undefined: it does. Rule A-44. */
export function disagreementToWork(
  terms: Terms,
  { run }: Pick<WorkerPolicy, 'run'>,
  rules: TermsRules,
): Disagreement | undefined {
  if (terms.carrySec >= run.timeoutSec + HAND_IN_SEC + NOTICE_SEC) return disagreement(terms, rules);
  const more = HAND_IN_SEC + NOTICE_SEC;
  const words = `a leg has ${terms.carrySec} seconds, but worker.run.timeoutSec is ${run.timeoutSec}, and ${more} are kept free`;
  return { code: 'clocks', words };
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
