import { setTimeout as sleep } from 'node:timers/promises';
import type { KeyPairSigner } from '@solana/kit';
import type { World } from '../agent.js';
import { randomOf } from '../plan.js';
import { Bidder } from './bidder.js';
import { Calls } from './calls.js';
import { Impostor } from './impostor.js';
import { Poster, Reserver } from './poster.js';
import { Sights } from './sights.js';

/** In the place of the number of a story, and downwards: one for each of those it is made of. */
const STRANGER = -3;

/** The wallets of the stranger that ever hold money. */
export interface Purses {
  /** Pays for what it posts. */
  readonly purse: KeyPairSigner;
  /** Works for it and is paid. */
  readonly accomplice: KeyPairSigner;
}

/** An act that it repeats: on average once in so many milliseconds, and one after the other. */
type Habit = readonly [everyMs: number, act: () => Promise<void>];

/** Somebody at one address who is up to no good, from the beginning until it is stopped. Nobody waits for it. */
export class Stranger {
  readonly #calls: Calls;
  readonly #over = new AbortController();
  readonly #lives: Promise<unknown>;

  constructor(world: World, seed: number, { purse, accomplice }: Purses, note: (finding: string) => void) {
    this.#calls = new Calls(world, note);
    const sights = new Sights(this.#calls);
    const agents = new Set(world.agents.map(({ address }) => address));
    const signing = [...world.signing];
    const victims = signing.filter((address) => agents.has(address));
    const posters = signing.filter((address) => !agents.has(address));
    const poster = new Poster(this.#calls, world.time, purse, posters, randomOf(seed, STRANGER));
    const impostor = new Impostor(this.#calls, sights, victims, accomplice, randomOf(seed, STRANGER - 1));
    const bidder = new Bidder(this.#calls, sights, poster, randomOf(seed, STRANGER - 2));
    const reserver = new Reserver(this.#calls, poster, accomplice, randomOf(seed, STRANGER - 3));
    const habits: Habit[] = [
      [1_000, () => sights.look()],
      [80, () => impostor.act()],
      [400, () => bidder.pester()],
      [20_000, () => bidder.crowd()],
      [3_000, () => bidder.burn()],
      [1_500, () => bidder.burnSponsored()],
      [5_000, () => reserver.act()],
    ];
    this.#lives = Promise.all(
      habits.map((habit, index) => this.#live(habit, randomOf(seed, STRANGER - 4 - index))),
    ).catch((error: unknown) => note(`the stranger gave up: ${error instanceof Error ? error.stack : String(error)}`));
  }

  /** Its calls and their answers, for people. */
  get told(): readonly string[] {
    return this.#calls.told;
  }

  /** Resolves when the last of its calls has been answered or given up, which takes some seconds at most. */
  async stop(): Promise<void> {
    this.#over.abort();
    await this.#lives;
  }

  async #live([everyMs, act]: Habit, random: () => number): Promise<void> {
    const { signal } = this.#over;
    while (!signal.aborted) {
      await sleep(2 * everyMs * random(), undefined, { signal }).catch(() => undefined);
      if (!signal.aborted) await act();
    }
  }
}
