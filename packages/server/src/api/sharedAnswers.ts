import { performance } from 'node:perf_hooks';

/** An answer that was made once is given to all who ask within this time, unless an event came meanwhile, milliseconds. */
const SHARED_MS = 1_000;
/** However often events come, an answer is made no more often, milliseconds. Who asks too soon waits for the next. */
const BETWEEN_MS = 250;
/** Answers kept at a time; some are megabytes. */
const AT_ONCE = 16;

interface Shared {
  /** Number of the newest event before it was made: the answer knows of all up to it. */
  readonly seq: bigint;
  readonly since: number;
  readonly answer: Promise<string>;
}

/** Gives the answer to a question, made now or shared. @param question what tells it from others: its path and query */
export type ShareAnswer = (question: string, make: () => Promise<string>) => Promise<string>;

/**
 * Shares answers that cost much and that many ask for at the same moment, as open pages do after an event. Nobody gets an
 * answer that lacks an event numbered before the question. Rule S-124.
 *
 * @param newestSeq the number of the newest event
 * @param now a monotonic clock, milliseconds
 */
export function shareAnswers(newestSeq: () => Promise<bigint>, now = () => performance.now()): ShareAnswer {
  const kept = new Map<string, Shared>();
  return async function share(question, make): Promise<string> {
    const asked = now();
    const seq = await newestSeq();
    for (;;) {
      const found = kept.get(question);
      const age = found === undefined ? SHARED_MS : now() - found.since;
      // One that was begun after the question knows of all that the question has to.
      const isNew = found !== undefined && (found.seq >= seq || found.since > asked);
      if (isNew && age < SHARED_MS) return found.answer;
      if (age >= BETWEEN_MS) break;
      await new Promise((resolve) => setTimeout(resolve, BETWEEN_MS - age));
    }
    const made: Shared = { seq, since: now(), answer: make() };
    kept.delete(question);
    kept.set(question, made);
    for (const [oldest] of kept) if (kept.size > AT_ONCE) kept.delete(oldest);
    // A refusal is nobody else's.
    made.answer.catch(() => kept.get(question) === made && kept.delete(question));
    return made.answer;
  };
}
