/** The time that a search may take. Once it is up, it stays so. */
export class TimeBound {
  readonly #now: () => number;
  readonly #endMs: number;
  #calls = 0;
  #expired = false;

  constructor(now: () => number, boundMs: number) {
    this.#now = now;
    this.#endMs = now() + boundMs;
  }

  /** Reports whether the time is up. Reads the clock once in 64 calls, so that inner loops may ask freely. */
  isExpired(): boolean {
    if (!this.#expired && this.#calls % 64 === 0) {
      this.#expired = this.#now() >= this.#endMs;
    }
    this.#calls += 1;
    return this.#expired;
  }
}
