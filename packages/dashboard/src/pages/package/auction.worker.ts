import { type Chain, chooseAgain, countChains, type Decision, runnerUp } from '../../checks/auction.js';

/** What else there was to choose than the chain that won. */
export interface Rivals {
  readonly runnerUp: Chain | undefined;
  readonly chains: ReturnType<typeof countChains>;
}

export type Question =
  | { readonly ask: 'again'; readonly decision: Decision }
  | { readonly ask: 'rivals'; readonly decision: Decision };

/** An answer, or why there is none. */
export type Answer =
  | { readonly chain: Chain; readonly ms: number }
  | { readonly rivals: Rivals }
  | { readonly fault: string };

/** Milliseconds that a search may take: the page says that it is under way. */
const PATIENCE = { again: 30_000, rivals: 2_000 };

function answer({ ask, decision }: Question): Answer {
  const bids = decision.considered ?? [];
  const patience = { now: () => performance.now(), timeBoundMs: PATIENCE[ask] };
  if (ask === 'rivals')
    return { rivals: { runnerUp: runnerUp(decision, bids, patience), chains: countChains(decision, bids) } };
  const began = performance.now();
  const chain = chooseAgain(decision, bids, patience);
  return { chain, ms: performance.now() - began };
}

addEventListener('message', ({ data }: MessageEvent<Question>) => {
  let answered: Answer;
  try {
    answered = answer(data);
  } catch (error) {
    answered = { fault: error instanceof Error ? error.message : 'unknown' };
  }
  postMessage(answered);
});
