/** The begin of a run of slots of the same length. */
export type ClockSegment = { readonly slot: number; readonly ms: number; readonly slotMs: number };

export type ClockState = {
  /** In order; the last one is current. */
  readonly segments: readonly ClockSegment[];
  /** How far the ledger's time is ahead of the wall clock, in milliseconds. */
  readonly offsetMs: number;
  /** A time that has passed, in milliseconds since 1970: the clock never goes back before it. */
  readonly latestMs: number;
};

/** Wall time in milliseconds since 1970. */
export type WallClock = () => number;

/**
 * Slots as a function of wall time (L-5): nothing needs storing while time passes, a ledger that was down is like one
 * that was idle, and the time of any slot is known. When the wall clock steps back, time continues from a steady
 * counter within a process; between two processes the offset grows so that no slot comes twice.
 */
export class SlotClock {
  #segments: readonly ClockSegment[];
  #offsetMs: number;
  readonly #wall: WallClock;
  #latestMs: number;

  constructor(state: ClockState, wall: WallClock) {
    this.#segments = state.segments;
    this.#wall = wall;
    this.#latestMs = Math.max(state.latestMs, state.segments.at(-1)?.ms ?? 0);
    this.#offsetMs = Math.max(state.offsetMs, this.#latestMs - wall());
  }

  /** The ledger's time in milliseconds since 1970; never goes back. */
  nowMs(): number {
    this.#latestMs = Math.max(this.#latestMs, this.#wall() + this.#offsetMs);
    return this.#latestMs;
  }

  slot(): number {
    const now = this.nowMs();
    const { slot, ms, slotMs } = this.#segmentAt((segment) => segment.ms <= now);
    return slot + Math.floor((now - ms) / slotMs);
  }

  /** When a slot began, in milliseconds since 1970. */
  slotStartMs(wanted: number): number {
    const { slot, ms, slotMs } = this.#segmentAt((segment) => segment.slot <= wanted);
    return ms + (wanted - slot) * slotMs;
  }

  get slotMs(): number {
    return this.#segmentAt(() => true).slotMs;
  }

  /** Moves time forward. */
  advance(ms: number): void {
    this.#offsetMs += ms;
  }

  /** How far the ledger's time is behind the wall clock. Only during a genesis, so that it is final when it ends. */
  get behindMs(): number {
    return Math.max(0, -this.#offsetMs);
  }

  /** Changes the length of slots from the next one on. */
  changeSlotMs(slotMs: number): void {
    if (slotMs === this.slotMs) return;
    const slot = this.slot() + 1;
    this.#segments = [...this.#segments, { slot, ms: this.slotStartMs(slot), slotMs }];
    this.#offsetMs += this.slotStartMs(slot) - this.nowMs();
  }

  state(): ClockState {
    return { segments: this.#segments, offsetMs: this.#offsetMs, latestMs: this.nowMs() };
  }

  #segmentAt(matches: (segment: ClockSegment) => boolean): ClockSegment {
    const found = this.#segments.findLast(matches) ?? this.#segments[0];
    if (found === undefined) throw new Error('a slot clock needs at least one segment');
    return found;
  }
}

/** The wall clock; continued by a steady counter when it is set back. */
export function steadyWallClock(): WallClock {
  let base = Date.now() - performance.now();
  return () => {
    base = Math.max(base, Date.now() - performance.now());
    return Math.floor(base + performance.now());
  };
}
