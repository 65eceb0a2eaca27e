import { MAX_TASK_LEGS } from '../contract/resources/digitalTask.js';
import { itemStarts, paragraphStarts, turnStarts } from './steps.js';

/** Splits a goal into the instructions of its legs. */
export interface Planner {
  /**
   * Instructions of 1 to 4 legs in order, each for a different agent who gets the result of the one before. The same goal
   * gives the same plan, so that a repeated request lists the same terms.
   */
  plan: (goal: PlannedGoal) => Promise<readonly string[]>;
}

/** The goal to plan. */
export interface PlannedGoal {
  readonly title: string;
  readonly description: string;
}

/**
 * Plans from the structure of the description alone. Each instruction is a stretch of the description, word for word:
 * nothing is lost and nothing made up. Rule M-51.
 */
export const structurePlanner: Planner = {
  async plan({ description }) {
    for (const startsIn of [itemStarts, paragraphStarts, turnStarts]) {
      const starts = startsIn(description);
      if (starts.length > 1) return cutAt(joinShortest(starts, description.length), description);
    }
    return [description];
  },
};

/** Joins the two neighbours that are shortest together, until there are no more steps than a task has legs. */
function joinShortest(starts: readonly number[], end: number): number[] {
  const left = [...starts];
  while (left.length > MAX_TASK_LEGS) {
    const lengths = left.slice(1).map((_second, first) => (left[first + 2] ?? end) - (left[first] ?? 0));
    left.splice(lengths.indexOf(Math.min(...lengths)) + 1, 1);
  }
  return left;
}

function cutAt(starts: readonly number[], text: string): string[] {
  return starts.map((start, step) => text.slice(start, starts[step + 1]).trim());
}
