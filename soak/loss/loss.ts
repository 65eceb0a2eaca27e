import { setTimeout as sleep } from 'node:timers/promises';
import { createLegworkClient, everyItem, type Papers, papersOf } from '@legwork/sdk';
import { address, type Address } from '@solana/kit';
import { askDatabase } from '../audit/outcome.js';
import type { Instance } from '../instance.js';
import type { Lanes } from '../lanes.js';
import type { Lies } from '../lies.js';
import type { Unit } from '../money/units.js';
import { postersOf, signOn } from '../people.js';
import type { Quiet } from '../plan.js';
import { STRANGE } from '../stranger/calls.js';
import { AfterLoss, type Survivors } from './afterLoss.js';

const REBUILT_MS = 120_000;
const AT_ONCE = 8;

/** That the database was lost, and what the ledger had of listings then. */
export class Loss {
  times = 0;
  readonly #ids = new Set<string>();

  /** Reports whether it was listed before. */
  has(id: string): boolean {
    return this.#ids.has(id);
  }

  get ids(): readonly string[] {
    return [...this.#ids];
  }

  add(id: string): void {
    this.#ids.add(id);
  }
}

/** The parts that the loss takes the database from. */
export interface Losing {
  readonly instance: Instance;
  readonly lanes: Lanes;
  readonly lies: Lies;
  readonly quiet: Quiet;
  /** By what they are paid in. */
  readonly worlds: Readonly<Record<Unit, Survivors>>;
  readonly note: (finding: string) => void;
}

/**
 * Kills the services and removes their database, whatever is under way, but for listings with terms and those that wait for a deadline.
 * The services begin anew on an empty one. People give back the papers that they kept, and those who sign do so again.
 *
 * @returns `over`, which resolves when all that was under way has ended
 */
export async function loseDatabase(losing: Losing): Promise<{ over: Promise<unknown>; told: string }> {
  const { lanes, quiet, worlds } = losing;
  const { world } = worlds.sol;
  const { time, door, yard } = world;
  let told = '';
  const lose = () => quiet.during(async () => void (told = await loseAll(losing)));
  await lanes.bound.closed(() => time.alone(() => door.closed(() => yard.closed(lose))));
  return { over: carryOn(losing), told };
}

async function loseAll({ instance, lies, worlds }: Losing): Promise<string> {
  const { world } = worlds.sol;
  const [url = ''] = world.urls;
  const papers = await keptPapers(url);
  const began = Date.now();
  await instance.loseDatabase();
  await lies.hush(() => instance.up());
  await untilRebuilt(instance.connectionString);
  const rebuiltMs = Date.now() - began;
  world.loss.times += 1;
  const client = createLegworkClient({ url });
  for (const paper of papers) await client.givePapers({ ...paper });
  for await (const { id } of everyListing(url)) world.loss.add(id);
  // A rebuilt leg takes signed calls alone: who works on one signs from now on.
  for (const agent of await atWork(url)) world.signing.add(agent);
  for (const { people } of Object.values(worlds)) {
    await signOn(url, people, world.signing);
    const posters = postersOf(people).filter(({ address }) => world.signing.has(address));
    await signOn(url, { ...people, agents: posters }, world.signing);
  }
  return `${world.loss.ids.length} listings are rebuilt after ${rebuiltMs} ms, with papers of ${papers.length}`;
}

/** Everything that a service shows. */
async function* everyListing(url: string) {
  const client = createLegworkClient({ url });
  yield* everyItem(client.listPackages, {});
  yield* everyItem(client.listDigitalTasks, {});
}

/** The agents that have claimed a leg of a digital task and have not handed in. */
async function atWork(url: string): Promise<Address[]> {
  const client = createLegworkClient({ url });
  const found: Address[] = [];
  for await (const { id: taskId } of everyItem(client.listDigitalTasks, {})) {
    const { legs } = await client.getDigitalTask({ taskId });
    found.push(
      ...legs
        .flatMap((leg) => (leg.status === 'in_progress' && leg.agentPubkey !== null ? [leg.agentPubkey] : []))
        .map(address),
    );
  }
  return found;
}

/** The papers that the parties of all listings have kept. */
async function keptPapers(url: string): Promise<Papers[]> {
  const client = createLegworkClient({ url });
  const ids = { packages: [] as string[], tasks: [] as string[] };
  for await (const { id } of everyItem(client.listPackages, {})) ids.packages.push(id);
  for await (const { id } of everyItem(client.listDigitalTasks, {})) ids.tasks.push(id);
  const reads = [
    ...ids.packages.map((packageId) => async () => papersOf(await client.getPackage({ packageId }))),
    ...ids.tasks.map((taskId) => async () => papersOf(await client.getDigitalTask({ taskId }))),
  ];
  const papers: Papers[] = [];
  for (let from = 0; from < reads.length; from += AT_ONCE) {
    papers.push(...(await Promise.all(reads.slice(from, from + AT_ONCE).map((read) => read()))));
  }
  return papers;
}

async function untilRebuilt(connectionString: string): Promise<void> {
  for (const until = Date.now() + REBUILT_MS; ; await sleep(100)) {
    const isRebuilt = await askDatabase(connectionString, async (database) => {
      const { rows } = await database.query(`select from meta where key = 'rebuilt'`);
      return rows.length > 0;
    });
    if (isRebuilt) return;
    if (Date.now() > until) throw new Error(`the services have not rebuilt their listings after ${REBUILT_MS} ms`);
  }
}

/** Ends what was under way, by people who are paid in the same. */
async function carryOn({ worlds, note }: Losing): Promise<void> {
  const { world } = worlds.sol;
  const client = createLegworkClient({ url: world.urls[0] ?? '' });
  const open: [asset: string, act: (after: AfterLoss) => Promise<void>][] = [];
  const isHonest = (shipper: string) =>
    Object.values(worlds).some(({ people }) => postersOf(people).some(({ address }) => address === shipper));
  for await (const { id, asset, shipperPubkey, description } of everyItem(client.listPackages, {})) {
    if (description !== STRANGE && world.loss.has(id) && isHonest(shipperPubkey))
      open.push([asset, (after) => after.carryOn(id)]);
  }
  for await (const { id, asset, shipperPubkey, title } of everyItem(client.listDigitalTasks, {})) {
    if (title !== STRANGE && world.loss.has(id) && isHonest(shipperPubkey))
      open.push([asset, (after) => after.workOn(id)]);
  }
  const after = new Map(Object.entries(worlds).map(([asset, one]) => [asset, new AfterLoss(one)]));
  await Promise.all(
    open.map(async ([asset, act]) => {
      const people = after.get(asset);
      if (people) await act(people).catch((error: unknown) => note(`after the loss: ${String(error)}`));
    }),
  );
}
