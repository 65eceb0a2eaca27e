import { setTimeout as sleep } from 'node:timers/promises';
import { createLegworkClient } from '@legwork/sdk';
import type { Address, KeyPairSigner } from '@solana/kit';
import { isOfLoss, type World } from './agent.js';
import type { Outcome } from './audit/outcome.js';
import { Gate } from './plan.js';
import type { Ended } from './journey.js';
import type { Listing, Kind } from './kind.js';
import { type CarriedPackage, carryPackage } from './packages/couriers.js';
import { PACKAGES, tellPackageStory } from './packages/story.js';
import { type FinishedTask, finishTask } from './tasks/agents.js';
import { STRANGE, STRANGE_DEADLINE_SEC } from './stranger/calls.js';
import { TASKS } from './tasks/kind.js';
import { finishBound } from './terms/agents.js';
import { carryBound } from './terms/couriers.js';
import { tellTaskTermsStory, tellTermsStory } from './terms/story.js';
import { inTokens, type Story } from './stories.js';
import { tellSlowTaskStory, tellTaskStory } from './tasks/story.js';

/** For the coordinator to take back what nobody worked on. */
const EXIT_MS = 60_000;

/** The posters: in a lane of its own each, one thing after the other. */
export interface Shippers {
  /** They post packages and digital tasks by turns. */
  readonly mixed: readonly KeyPairSigner[];
  /** They post digital tasks of which an agent's time runs out. */
  readonly slow: readonly KeyPairSigner[];
  /** They post packages and digital tasks with terms by turns. */
  readonly bound: readonly KeyPairSigner[];
}

/** Brings one package or digital task to its end. */
type PostOne = (number: number, shipper: KeyPairSigner, world: World) => Promise<void>;

/** So far ahead of the true time the ledger's clock may be for the coordinator to fund something: a deadline is of both. */
const MOST_AHEAD_SEC = 5 * 86_400;

async function isFunded({ asset, time }: World): Promise<boolean> {
  return asset === 'sol' && (await time.aheadSec()) < MOST_AHEAD_SEC;
}

async function toldIn<Told extends Story>(world: World, story: Told): Promise<Told> {
  return (await isFunded(world)) ? story : inTokens(story);
}

/** Everything that is posted until it is calm, and what becomes of it. */
export class Lanes {
  readonly #world: World;
  readonly #seed: number;
  readonly #note: (finding: string) => void;
  readonly #packages: CarriedPackage[] = [];
  readonly #tasks: FinishedTask[] = [];
  #number = 0;
  /** Where what has terms passes. */
  readonly bound = new Gate();
  /** Packages and tasks with terms so far. */
  readonly #bound = { sol: 0, usdc: 0 };

  constructor(world: World, seed: number, note: (finding: string) => void) {
    this.#world = world;
    this.#seed = seed;
    this.#note = note;
  }

  get outcome(): Outcome {
    return { packages: this.#packages, tasks: this.#tasks };
  }

  /** Resolves when the last one of them has ended. */
  async fill({ mixed, slow, bound }: Shippers, world = this.#world): Promise<void> {
    const byTurns: PostOne = (number, ...post) => (number % 2 === 0 ? this.#carry : this.#finish)(number, ...post);
    await Promise.all([
      ...mixed.map((shipper) => this.#lane(shipper, byTurns, world)),
      ...slow.map((shipper) => this.#lane(shipper, this.#finishSlowly, world)),
      ...bound.map((shipper) => this.#lane(shipper, this.#bind, world)),
    ]);
  }

  /** The last one of a shipper with SOL is sponsored, if it still can be: a stranger has used up by then what it could. */
  async #lane(shipper: KeyPairSigner, post: PostOne, world: World): Promise<void> {
    while (this.#world.calmSince() === undefined) if (!(await this.#isDone(shipper, post, world))) return;
    await this.#isDone(shipper, (await isFunded(world)) ? this.#finishSponsored : post, world);
  }

  async #isDone(shipper: KeyPairSigner, post: PostOne, world: World): Promise<boolean> {
    const number = this.#number++;
    try {
      await post(number, shipper, world);
      return true;
    } catch (error) {
      if (isOfLoss(error)) return true;
      this.#note(`an agent gave up: ${error instanceof Error ? error.message : String(error)}, in story ${number}`);
      return false;
    }
  }

  readonly #carry: PostOne = async (number, shipper, world) => {
    const story = tellPackageStory(this.#seed, number, world.agents.length);
    this.#packages.push(await carryPackage(world, await toldIn(world, story), shipper));
  };

  readonly #bind: PostOne = (number, shipper, world) => this.bound.pass(() => this.#bindOne(number, shipper, world));

  async #bindOne(number: number, shipper: KeyPairSigner, world: World): Promise<void> {
    const { length } = world.carriers;
    const nth = this.#bound[world.asset]++;
    if (nth % 2 === 0) {
      const story = tellTermsStory(this.#seed, number, nth / 2, length);
      this.#packages.push(await carryBound(world, await toldIn(world, story), shipper));
    } else {
      const story = tellTaskTermsStory(this.#seed, number, (nth - 1) / 2, length);
      this.#tasks.push(await finishBound(world, await toldIn(world, story), shipper));
    }
  }

  readonly #finish: PostOne = async (number, shipper, world) => {
    const story = tellTaskStory(this.#seed, number, world.agents.length);
    this.#tasks.push(await finishTask(world, await toldIn(world, story), shipper));
  };

  readonly #finishSponsored: PostOne = async (number, shipper) => {
    const story = tellTaskStory(this.#seed, number, this.#world.agents.length);
    const sponsored = { ...story, fate: 'completed', posting: 'sponsored' } as const;
    this.#tasks.push(await finishTask(this.#world, sponsored, shipper));
  };

  readonly #finishSlowly: PostOne = async (number, shipper, world) => {
    const story = tellSlowTaskStory(this.#seed, number, world.agents.length);
    this.#tasks.push(await finishTask(world, await toldIn(world, story), shipper));
  };
}

/**
 * The listings that nobody has worked on: posts without a name whose answers were lost, and which were posted
 * again. Their deadline passes, and that of whatever a stranger had sponsored, so the coordinator takes them back.
 */
export async function findLostPosts(world: World, { packages, tasks }: Outcome): Promise<Outcome> {
  await world.time.pass(STRANGE_DEADLINE_SEC);
  const lost = await findLost(world, PACKAGES, packages);
  const lostTasks = await findLost(world, TASKS, tasks);
  return { packages: lost, tasks: lostTasks.map((ended) => ({ ...ended, paymentLamports: 0n, legs: [] })) };
}

async function findLost<Known extends Listing>(
  { urls: [url = ''], coordinator, loss }: World,
  kind: Kind<Known, never>,
  known: readonly Ended<Known>[],
): Promise<Ended<Known>[]> {
  const client = createLegworkClient({ url });
  const ids = new Set(known.map(({ listing }) => listing.id));
  const lost: string[] = [];
  for await (const { id, text } of kind.list(client)) {
    if (!ids.has(id) && text !== STRANGE && !loss.has(id)) lost.push(id);
  }
  return Promise.all(
    lost.map(async (id): Promise<Ended<Known>> => {
      for (const until = Date.now() + EXIT_MS; Date.now() < until; await sleep(200)) {
        if ((await kind.get(client, id)).status === 'failed') break;
      }
      const listing = await kind.get(client, id);
      const account = kind.accountOf(listing) as Address;
      return { listing, account, posting: 'unnamed', endedBy: coordinator, settlers: [], closed: true, raced: false };
    }),
  );
}
