/** When something was killed, or the services were lied to, and when it was put right. */
export class Quiet {
  #since = Date.now();
  #disturbances = 0;
  #isLast = false;

  /** When the last disturbance so far had been put right; undefined: there is one just now. */
  readonly since = (): number | undefined => (this.#disturbances === 0 ? this.#since : undefined);

  /** As since, once there is none to come. */
  readonly forGood = (): number | undefined => (this.#isLast ? this.since() : undefined);

  /** Disturbs, and puts it right. @returns how long that took, in milliseconds */
  async during(disturb: () => Promise<void>): Promise<number> {
    const at = Date.now();
    this.#disturbances += 1;
    await disturb();
    this.#disturbances -= 1;
    this.#since = Date.now();
    return this.#since - at;
  }

  /** There is no disturbance to come. */
  end(): void {
    this.#isLast = true;
    this.#since = Date.now();
  }
}
