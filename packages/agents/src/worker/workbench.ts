import { operations } from '@legwork/protocol/contract';
import type { DigitalTaskDetail, QueuedLeg } from '@legwork/sdk';
import { WorkError } from './runner.js';
import type { Runner } from './runner.js';

export type DigitalLeg = Extract<QueuedLeg, { kind: 'digital' }>;

/** A leg is given back when its work has failed so often. */
const MOST_TRIES = 3;
/** After that nothing is claimed for so long, twice as long each time until something succeeds, milliseconds. */
const FIRST_PAUSE_MS = 600_000;
const LONGEST_PAUSE_MS = 3_600_000;
const resultText = operations.completeDigitalLeg.body.shape.result;

/** Where legs are worked on, and how often that failed. Rule A-42. */
export class Workbench {
  readonly #run: Runner;
  /** How often the work of a leg failed, by leg. */
  readonly #failures = new Map<string, number>();
  /** Legs that were given back since work last succeeded: what fails is likely to be here, and each costs reputation. */
  #givenBack = 0;
  #claimsAgainMs = 0;

  constructor(run: Runner) {
    this.#run = run;
  }

  /** Whether nothing is claimed for now. */
  isPausing(nowMs: number): boolean {
    return nowMs < this.#claimsAgainMs;
  }

  /** Whether the leg is to be given back. */
  hasFailed(legId: string): boolean {
    return (this.#failures.get(legId) ?? 0) >= MOST_TRIES;
  }

  /** Notes that a leg whose work failed was given back. @returns why, in words */
  gaveBack(): string {
    this.#claimsAgainMs = Date.now() + Math.min(FIRST_PAUSE_MS * 2 ** this.#givenBack, LONGEST_PAUSE_MS);
    this.#givenBack += 1;
    return `its work failed ${MOST_TRIES} times`;
  }

  /** Forgets all other legs. */
  keep(legIds: ReadonlySet<string>): void {
    for (const id of this.#failures.keys()) if (!legIds.has(id)) this.#failures.delete(id);
  }

  /** Does the work of a leg. @throws {WorkError} when there is no result that the service would take */
  async result(leg: DigitalLeg, task: DigitalTaskDetail, signal: AbortSignal): Promise<string> {
    const { title, description, legs } = task;
    const previousResult = legs[leg.legIndex - 1]?.result ?? null;
    try {
      const made = await this.#run({ instruction: leg.instruction, previousResult, title, description }, signal);
      const { error } = resultText.safeParse(made);
      if (error || made.trim() === '')
        throw new WorkError(`that is no result: it ${error?.issues[0]?.message ?? 'is blank'}`);
      this.#givenBack = 0;
      return made;
    } catch (error) {
      if (!signal.aborted) this.#failures.set(leg.id, (this.#failures.get(leg.id) ?? 0) + 1);
      throw error;
    }
  }
}
