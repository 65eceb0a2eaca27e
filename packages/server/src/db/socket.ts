import { Socket } from 'node:net';

/**
 * Hands everything that is written in one tick to the system at once: the driver would make a call, which takes longer than most
 * statements do to be made, for each statement of those that go together.
 */
export class TickSocket extends Socket {
  #isHeld = false;

  override cork(): void {
    if (this.#isHeld) return;
    this.#isHeld = true;
    super.cork();
    process.nextTick(() => {
      this.#isHeld = false;
      super.uncork();
    });
  }

  /** Nothing: whatever the driver does next in this tick goes along. */
  override uncork(): void {}
}
