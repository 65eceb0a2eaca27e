import {
  createLegworkClient,
  LegworkApiError,
  type LegworkClient,
  type DigitalTaskDraft,
  type PackageDraft,
} from '@legwork/sdk';
import type { KeyPairSigner } from '@solana/kit';
import { fetchFrom } from '../people.js';
import type { Said, World } from '../agent.js';
import { isTransient } from '../refusals.js';
import { callTool } from '../tools.js';
import { NEAR_DEADLINE_SEC } from '../journey.js';

/** Where all of it comes from. */
const ADDRESS = '203.0.113.7';
const CALL_MS = 10_000;
const TAKEN = 'taken';
/** After something was killed and is ready again, what was under way then may still fail for so long. */
const SETTLING_MS = 5_000;

/** The calls of somebody without friends: once, whatever is answered. */
export class Calls {
  readonly note: (finding: string) => void;
  readonly #world: World;
  readonly #counts = new Map<string, Map<string, number>>();
  #turn = 0;

  constructor(world: World, note: (finding: string) => void) {
    this.#world = world;
    this.note = note;
  }

  /** The number of each answer, for people. */
  get told(): readonly string[] {
    return [...this.#counts].map(([what, answers]) => {
      const counted = [...answers].sort(([, a], [, b]) => b - a).map(([answer, times]) => `${times} ${answer}`);
      return `${what}: ${counted.join(', ')}`;
    });
  }

  clientOf(signer?: KeyPairSigner): LegworkClient {
    const reach = { url: this.#url, fetch: fetchFrom(ADDRESS), timeoutMs: CALL_MS, patienceMs: 0 };
    return createLegworkClient(signer === undefined ? reach : { ...reach, signer });
  }

  tool(tool: string, args: Readonly<Record<string, unknown>>, signer?: KeyPairSigner) {
    return callTool({ url: this.#url, address: ADDRESS }, tool, args, { signer });
  }

  /**
   * Does it once. A refusal is no error; that a service fails while nothing is killed is a finding.
   *
   * @returns undefined when no answer came
   */
  async ask<T>(what: string, action: () => Promise<T>): Promise<Said<T> | undefined> {
    const began = Date.now();
    try {
      const answer = await this.#world.yard.pass(action);
      this.#count(what, TAKEN);
      return { answer };
    } catch (error) {
      if (error instanceof LegworkApiError) {
        const isFault = error.status >= 500 && this.#wasQuiet(began);
        const answer = isFault ? `${error.code} while nothing was killed` : error.code;
        this.#count(what, answer);
        if (isFault && this.#timesOf(what, answer) === 1) {
          this.note(`a stranger's call (${what}) was answered with ${error.status} ${error.code}: ${error.message}`);
        }
        return { refused: error.code };
      }
      if (!isTransient(error)) throw error;
      this.#count(what, 'without an answer');
      return undefined;
    }
  }

  /** Does what has to be refused; that it is taken is a finding, the first time. */
  async expectRefusal(what: string, about: string, action: () => Promise<unknown>): Promise<void> {
    const said = await this.ask(what, action);
    if (said === undefined || said.refused !== undefined || this.#timesOf(what, TAKEN) > 1) return;
    this.note(`a stranger's call was taken: ${what}, ${about}`);
  }

  get #url(): string {
    const { urls } = this.#world;
    this.#turn += 1;
    return urls[this.#turn % urls.length] ?? '';
  }

  #count(what: string, answer: string): void {
    const answers = this.#counts.get(what) ?? new Map<string, number>();
    this.#counts.set(what, answers.set(answer, this.#timesOf(what, answer) + 1));
  }

  #timesOf(what: string, answer: string): number {
    return this.#counts.get(what)?.get(answer) ?? 0;
  }

  #wasQuiet(from: number): boolean {
    const since = this.#world.quietSince();
    return since !== undefined && since + SETTLING_MS <= from;
  }
}

/** The text of everything that the stranger posts, by which the soak knows it again. */
export const STRANGE = 'Nobody asked for this.';

/** Hardly more than an agent can receive. */
const SMALL_SOL = 0.02;
/** Longer than the soak: nobody's time runs out while the books are compared. */
const PATIENT_SEC = 1_800;

/** So much of the ledger's time may pass while the listing is under way: several deadlines of the honest. */
export const STRANGE_DEADLINE_SEC = 3 * NEAR_DEADLINE_SEC;

const deadlineAt = (now: number) => new Date((now + STRANGE_DEADLINE_SEC) * 1000).toISOString();

/** From the Reichstag to the Oberbaum bridge. */
export const JOURNEY = {
  from: { lat: 52.5186, lng: 13.3763 },
  to: { lat: 52.5019, lng: 13.4458 },
};

/** @param now - by the ledger's clock, in Unix seconds */
export function strangePackage(now: number, maxBudgetSol = SMALL_SOL): PackageDraft {
  return {
    originLat: JOURNEY.from.lat,
    originLng: JOURNEY.from.lng,
    destLat: JOURNEY.to.lat,
    destLng: JOURNEY.to.lng,
    description: STRANGE,
    weightKg: 1,
    volumeLitres: 1,
    maxBudgetSol,
    deadline: deadlineAt(now),
  };
}

/** @param now - by the ledger's clock, in Unix seconds */
export function strangeTask(now: number, legs: number, maxBudgetSol = SMALL_SOL): DigitalTaskDraft {
  return {
    title: STRANGE,
    description: STRANGE,
    legs: Array.from({ length: legs }, (_, index) => ({ instruction: `Do part ${index + 1}.` })),
    maxBudgetSol,
    claimTimeoutSec: PATIENT_SEC,
    deadline: deadlineAt(now),
  };
}
