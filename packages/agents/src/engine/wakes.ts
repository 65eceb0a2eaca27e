/** Lets one loop wait until somebody has news for it. News that comes while it works is not lost. */
export class Wakes {
  #isAwake = false;
  #rouse: (() => void) | undefined;

  wake(): void {
    this.#isAwake = true;
    this.#rouse?.();
  }

  /**
   * Waits for news, at most so many milliseconds, or until the signal is aborted.
   *
   * @returns true if there was news
   */
  async wait(ms: number, signal: AbortSignal): Promise<boolean> {
    if (!this.#isAwake && !signal.aborted && ms > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(done, ms);
        function done() {
          clearTimeout(timer);
          signal.removeEventListener('abort', done);
          resolve();
        }
        signal.addEventListener('abort', done);
        this.#rouse = done;
      });
      this.#rouse = undefined;
    }
    const wasAwake = this.#isAwake;
    this.#isAwake = false;
    return wasAwake;
  }
}

/** Waits; ends early, without an error, when the signal is aborted. */
export async function idle(ms: number, signal: AbortSignal): Promise<void> {
  await new Wakes().wait(ms, signal);
}
