import type { PackageDetail } from '@legwork/sdk';
import { checkAuction, type Decision } from '../../checks/auction.js';
import type { Outcome } from '../../checks/outcome.js';
import type { Answer, Question, Rivals } from './auction.worker.js';
import { locale, t } from '../../language.js';

/** Asks the rules, in a thread of their own. */
async function ask(question: Question): Promise<Answer> {
  const worker = new Worker(new URL('./auction.worker.ts', import.meta.url), { type: 'module' });
  try {
    return await new Promise<Answer>((resolve, reject) => {
      worker.addEventListener('message', ({ data }: MessageEvent<Answer>) => resolve(data));
      worker.addEventListener('error', () => reject(new Error(t('this browser could not start the search'))));
      worker.postMessage(question);
    });
  } finally {
    worker.terminate();
  }
}

/** Above so many bids nobody is made to wait for the rules unasked. */
export const UNASKED_UP_TO = 2_000;

const TO_A_TENTH = { minimumFractionDigits: 1, maximumFractionDigits: 1, useGrouping: false };

/** With terms, what a leg may take follows from their clocks. */
const withClocks = (decision: Decision, { terms }: PackageDetail): Decision => ({
  ...decision,
  clocks: terms ?? undefined,
});

/** Makes a choice again, and compares. */
export async function chooseAndCompare(made: Decision, parcel: PackageDetail): Promise<Outcome> {
  const decision = withClocks(made, parcel);
  const answer = await ask({ ask: 'again', decision });
  if ('fault' in answer)
    return { holds: false, difference: t('The rules refuse these bids: {fault}.', { fault: answer.fault }) };
  if (!('chain' in answer) || !answer.chain.exact) throw new Error(t('the search takes too long here'));
  const outcome = checkAuction(decision, answer.chain, parcel);
  return outcome.holds
    ? { ...outcome, seen: `${outcome.seen}, ${answer.ms.toLocaleString(locale, TO_A_TENTH)} ms` }
    : outcome;
}

/** The runner-up, and how many chains there were. @throws Error what is wrong with the bids */
export async function readRivals(decision: Decision, parcel: PackageDetail): Promise<Rivals> {
  const answer = await ask({ ask: 'rivals', decision: withClocks(decision, parcel) });
  if ('rivals' in answer) return answer.rivals;
  throw new Error('fault' in answer ? answer.fault : t('the search gave no answer'));
}
