/** When something was killed, and when it was put right. */
export class Quiet {
  #since: number | undefined = Date.now();
  #isLast = false;

  /** When the last kill so far had been put right; undefined: something is killed just now. */
  readonly since = (): number | undefined => this.#since;

  /** As since, once there is no kill to come. */
  readonly forGood = (): number | undefined => (this.#isLast ? this.#since : undefined);

  /** Kills, and puts it right. @returns how long that took, in milliseconds */
  async during(kill: () => Promise<void>): Promise<number> {
    const at = Date.now();
    this.#since = undefined;
    await kill();
    this.#since = Date.now();
    return this.#since - at;
  }

  /** There is no kill to come. */
  end(): void {
    this.#isLast = true;
    this.#since = Date.now();
  }
}
