/** A reading that is kept for a moment. Nothing is read while nobody asks. */
export interface Kept<T> {
  /** Says that one will be needed soon. Waits for nothing; if it cannot be read, who needs it will hear. */
  warm: () => void;
  /** One that is young enough. @throws what reading throws */
  recent: () => Promise<T>;
  /** The latest. @throws what reading throws */
  latest: () => Promise<T>;
}

/** Both clocks, because either may stand still: one while the machine sleeps, the other when it is set. */
const instant = () => ({ monotonic: performance.now(), wall: Date.now() });

/**
 * Keeps what `read` gives.
 *
 * @param keptMs so long a reading serves; from half of that on it is read again beside its use, so that steady work never waits
 */
export function keep<T>(read: () => Promise<T>, keptMs: number): Kept<T> {
  let kept: { reading: T; since: ReturnType<typeof instant> } | undefined;
  let underWay: Promise<T> | undefined;

  function age(): number {
    if (kept === undefined) return Infinity;
    const { monotonic, wall } = instant();
    return Math.max(monotonic - kept.since.monotonic, wall - kept.since.wall);
  }

  async function latest(): Promise<T> {
    const since = instant();
    const reading = await read();
    if (kept === undefined || since.monotonic >= kept.since.monotonic) kept = { reading, since };
    return reading;
  }

  function shared(): Promise<T> {
    underWay ??= latest().finally(() => {
      underWay = undefined;
    });
    return underWay;
  }

  function warm(): void {
    if (age() > keptMs / 2) shared().catch(() => undefined);
  }

  return {
    warm,
    latest,
    async recent() {
      if (kept === undefined || age() > keptMs) return shared();
      warm();
      return kept.reading;
    },
  };
}
