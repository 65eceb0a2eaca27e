import { LegworkError } from '@legwork/protocol/contract';

/** Bounds how many requests are under way at once. */
export interface Slots {
  /**
   * Runs the work unless there are too many of one of these already.
   *
   * @throws LegworkError `uploads_busy` (503), which says to come again
   */
  within: <T>(whose: readonly string[], work: () => Promise<T>) => Promise<T>;
  /** As {@link Slots.within} for work that goes on after the answer began. @returns what ends it */
  take: (whose: readonly string[]) => () => void;
}

export function createSlots({ ofOne, all }: { ofOne: number; all: number }): Slots {
  const taken = new Map<string, number>();
  let inAll = 0;
  const take = (whose: readonly string[]) => {
    if (inAll >= all || whose.some((one) => (taken.get(one) ?? 0) >= ofOne)) {
      throw new LegworkError(
        'uploads_busy',
        `At most ${ofOne} requests at once carry files for one agent or address, ${all} in all; try again.`,
      );
    }
    inAll += 1;
    for (const one of whose) taken.set(one, (taken.get(one) ?? 0) + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      inAll -= 1;
      for (const one of whose) {
        const left = (taken.get(one) ?? 1) - 1;
        if (left === 0) taken.delete(one);
        else taken.set(one, left);
      }
    };
  };
  return {
    take,
    within: async (whose, work) => {
      const end = take(whose);
      try {
        return await work();
      } finally {
        end();
      }
    },
  };
}
