import { NOTICE_MS } from '@legwork/protocol/rules';
import { formatAmount } from '@legwork/sdk';
import type { Terms } from '@legwork/sdk';
import { disagreement, isWelcome } from '../engine/agreement.js';
import type { Disagreement, TermsRules } from '../engine/agreement.js';
import type { ReasonCode, Tell } from '../engine/reasons.js';
import type { TaskLeg } from '../engine/search.js';
import type { Policy, WorkerPolicy } from '../policy/policy.js';
import { limitWords, noLimitsFor, noPaymentIn, rulesFor } from '../wallet/assetRules.js';
import type { AssetRules } from '../wallet/assetRules.js';

/** The worker that may claim it. */
interface Looker {
  readonly pubkey: string;
  readonly policy: Pick<Policy, 'worker'>;
  /** The assets that it is paid and stakes in, SOL first. */
  readonly assets: readonly AssetRules[];
  /** The terms that it takes, in one of these. */
  readonly termsIn: (of: AssetRules) => TermsRules;
  /** Reports whether it has, or had, a leg of the task. */
  readonly hasHad: (taskId: string) => boolean;
}

/** For handing in, beyond what the work may take, seconds. */
const HAND_IN_SEC = 30;
/** A leg with terms that is not handed in is left so long before its clock ends, seconds. */
const NOTICE_SEC = NOTICE_MS / 1000;
/** No leg is claimed so near to the deadline (M-54, T-94), seconds beyond the time for the leg. */
const DEADLINE_GRACE_SEC = 600;

/**
 * Reports whether a worker may claim an open leg: its turn has come, it pays enough, leaves enough time,
 * and asks for the worker's capabilities; one of a task, and none of a task of its own. Rule A-40.
 */
export function mayClaim(leg: TaskLeg, looker: Looker, nowMs: number, tell: Tell = () => undefined): boolean {
  const { pubkey, policy, hasHad } = looker;
  const { worker } = policy;
  if (!worker || !leg.isWorkable || leg.shipperPubkey === pubkey || hasHad(leg.taskId)) return false;
  const required = leg.requirements?.capabilities ?? [];
  // What is reserved for it it was chosen for by name.
  if (!required.includes(pubkey) && !canDo(worker.capabilities, `${leg.title ?? ''}\n${leg.text}`)) {
    tell('capability', `no open leg of it names one of worker.capabilities, ${worker.capabilities.join(', ')}`);
    return false;
  }
  // It would be refused the newest work that asks for other capabilities; for the older the service says so.
  const missing = required.find((one) => one !== pubkey && !worker.capabilities.includes(one));
  if (missing !== undefined) {
    tell('capability', `it requires ${missing}, which worker.capabilities does not name`);
    return false;
  }
  if (!isWelcome(leg, pubkey)) {
    tell('excluded', 'its poster takes no claim of this key');
    return false;
  }
  const why = whyNot(leg, worker, looker, nowMs);
  if (why !== undefined) tell(why.code, why.words);
  return why === undefined;
}

interface Reason {
  readonly code: ReasonCode;
  readonly words: string;
}

/** The obstacle in pay, terms or time, or undefined. */
function whyNot(leg: TaskLeg, worker: WorkerPolicy, looker: Looker, nowMs: number): Reason | undefined {
  const { terms, maxPay, claimTimeoutSec, deadline } = leg;
  const of = rulesFor(looker.assets, leg);
  if (of?.minPayment === undefined) return { code: 'asset', words: of ? noPaymentIn(of) : noLimitsFor(leg) };
  if (maxPay < of.minPayment) {
    const words = `a leg pays ${formatAmount(maxPay, of)}, but ${limitWords(of, 'minPayment', of.minPayment)}`;
    return { code: 'price', words };
  }
  const why = terms === null ? tooShort(leg, worker) : disagreementToWork(terms, worker, looker.termsIn(of));
  if (why !== undefined) return why;
  const timeSec = terms === null ? claimTimeoutSec : terms.handoffSec + terms.carrySec;
  if (nowMs + (timeSec + DEADLINE_GRACE_SEC) * 1000 <= deadline.getTime()) return undefined;
  const words = `its deadline, ${deadline.toISOString()}, leaves less than the ${timeSec} seconds of a leg`;
  return { code: 'time', words };
}

function tooShort({ claimTimeoutSec }: TaskLeg, { run }: WorkerPolicy): Disagreement | undefined {
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

/** Reports whether the text names one of the capabilities as a word of its own; a worker without capabilities can do everything. */
function canDo(capabilities: readonly string[], text: string): boolean {
  if (capabilities.length === 0) return true;
  const words = wordsOf(text);
  return capabilities.some((capability) => words.includes(wordsOf(capability)));
}

/** The words of a text in lower case, a space around each. */
function wordsOf(text: string): string {
  return ` ${(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')} `;
}
