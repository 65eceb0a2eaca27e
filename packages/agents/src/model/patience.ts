/** An answer that comes within this time delays nothing, milliseconds. */
const QUICK_MS = 1_000;
/** After a slower one the rules decide alone for so many times as long. */
const REST_FACTOR = 3;
const FAILURES_BEFORE_PAUSE = 3;
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 3_600_000;

/**
 * How often a model is waited for: one that is slow at most a quarter of the time, and one that failed three times in a row not
 * for a minute, then two, four, up to an hour. Rule A-54.
 */
export class Patience {
  #restUntilMs = 0;
  #failures = 0;

  mayAsk(nowMs: number): boolean {
    return nowMs >= this.#restUntilMs;
  }

  /** @param tookMs how long the answer, or the lack of one, was waited for */
  answered(isUsable: boolean, tookMs: number, nowMs: number): void {
    this.#failures = isUsable ? 0 : this.#failures + 1;
    const rest = tookMs > QUICK_MS ? REST_FACTOR * tookMs : 0;
    this.#restUntilMs = nowMs + Math.max(rest, this.#pause());
  }

  #pause(): number {
    const further = this.#failures - FAILURES_BEFORE_PAUSE;
    return further < 0 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** further, LONGEST_PAUSE_MS);
  }
}
