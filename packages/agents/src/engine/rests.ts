import { LimitError } from '../wallet/spending.js';
import { LaterError } from './move.js';

const FIRST_REST_MS = 1_000;
const LONGEST_REST_MS = 60_000;
/** A limit passes with the time of day, or with a change of the policy. */
const LIMIT_REST_MS = 600_000;
/** A failure not tried again for so long is forgotten. */
const FORGOTTEN_MS = 3_600_000;

interface Rest {
  readonly failures: number;
  readonly untilMs: number;
  readonly why: string;
}

/** Failed moves that are left alone for a while, each by its key, so that one in trouble does not stop the others. Rule A-25. */
export class Rests {
  readonly #rests = new Map<string, Rest>();

  /** @returns true if it is news: another trouble than the last time */
  failed(key: string, error: unknown, nowMs: number): boolean {
    const before = this.#rests.get(key);
    const failures = (before?.failures ?? 0) + 1;
    const why = error instanceof Error ? error.message : String(error);
    this.#rests.set(key, { failures, untilMs: nowMs + restMs(error, failures), why });
    return before?.why !== why;
  }

  ended(key: string): void {
    this.#rests.delete(key);
  }

  /** Everything may be tried again. */
  endAll(): void {
    this.#rests.clear();
  }

  isResting(key: string, nowMs: number): boolean {
    return (this.#rests.get(key)?.untilMs ?? 0) > nowMs;
  }

  /** When the first of them may be tried again that could not be tried then; both milliseconds since 1970. */
  soonest(thenMs: number): number {
    const ends = [...this.#rests.values()].map(({ untilMs }) => untilMs).filter((untilMs) => untilMs > thenMs);
    return Math.min(Infinity, ...ends);
  }

  forget(nowMs: number): void {
    for (const [key, { untilMs }] of this.#rests) if (untilMs + FORGOTTEN_MS < nowMs) this.#rests.delete(key);
  }
}

function restMs(error: unknown, failures: number): number {
  if (error instanceof LaterError) return error.waitMs;
  if (error instanceof LimitError) return LIMIT_REST_MS;
  const longest = Math.min(FIRST_REST_MS * 2 ** (failures - 1), LONGEST_REST_MS);
  return longest * (0.5 + Math.random() / 2);
}
