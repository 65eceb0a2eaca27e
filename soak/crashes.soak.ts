import { setTimeout as sleep } from 'node:timers/promises';
import { createRelayClient, everyItem } from '@agent-relay/sdk';
import { type Address, createSolanaRpc, type KeyPairSigner } from '@solana/kit';
import { expect, test } from 'vitest';
import { readBooks } from '../packages/cli/tests/support/books.js';
import { fundedWallet, type LedgerRpc } from '../packages/cli/tests/support/wallets.js';
import type { Tally, World } from './agent.js';
import { audit, untilQuiet } from './audit.js';
import { Instance } from './instance.js';
import { type Carried, carryPackage, NEAR_DEADLINE_SEC } from './journey.js';
import { LedgerTime } from './ledgerTime.js';
import { type Kill, planKills, seededRandom, type Target } from './plan.js';
import { tellStory } from './stories.js';

const SOL = 1_000_000_000n;
/** Packages in flight at a time. */
const LANES = 6;
const COURIERS = 8;
/** For the kills; what is in flight then gets the rest of the quarter of an hour. */
const KILLING_MS = 11 * 60_000;
/** When no step begins for so long, the kill falls anyway. */
const PATIENCE_MS = 5_000;
/** For the coordinator to take back what nobody carried. */
const EXIT_MS = 60_000;

const seed = Number(process.env['SOAK_SEED'] ?? 1);
const kills = Number(process.env['SOAK_KILLS'] ?? 5);
const targets = (process.env['SOAK_PARTS'] ?? 'service,ledger,postgres,all').split(',') as Target[];

const began = Date.now();
const tell = (line: string) => {
  process.stdout.write(`[${((Date.now() - began) / 1000).toFixed(1).padStart(6)} s] ${line}\n`);
};

/** Counts the steps of all agents, for kills that fall into one. */
class Steps {
  #count = 0;
  #waiting: { at: number; resolve: () => void } | undefined;

  readonly begin = (): void => {
    this.#count += 1;
    if (this.#waiting && this.#count >= this.#waiting.at) this.#waiting.resolve();
  };

  /** Resolves when so many more have begun. */
  async more(steps: number): Promise<void> {
    const reached = new Promise<void>((resolve) => {
      this.#waiting = { at: this.#count + steps, resolve };
    });
    await Promise.race([reached, sleep(PATIENCE_MS)]);
    this.#waiting = undefined;
  }
}

/** Kills as planned and counts the kills in `made`. @throws Error when something does not come back or time runs out */
async function killAll(
  instance: Instance,
  plan: readonly Kill[],
  steps: Steps,
  made: Map<Target, number>,
  progress: () => string,
): Promise<void> {
  const until = Date.now() + KILLING_MS;
  for (const [index, kill] of plan.entries()) {
    if (Date.now() > until) throw new Error(`time ran out after ${index} of ${plan.length} kills`);
    await steps.more(kill.steps);
    await sleep(kill.delayMs);
    const at = Date.now();
    await instance.kill(kill);
    await instance.up();
    made.set(kill.target, (made.get(kill.target) ?? 0) + 1);
    const victim = kill.target === 'postgres' && kill.supervisorToo ? 'postgres and its supervisor' : kill.target;
    tell(`kill ${index + 1} of ${plan.length}: ${victim}, ready after ${Date.now() - at} ms; ${progress()}`);
  }
}

async function wallets(rpc: LedgerRpc, count: number, sol: bigint): Promise<KeyPairSigner[]> {
  return Promise.all(Array.from({ length: count }, () => fundedWallet(rpc, sol * SOL)));
}

/** Everybody, with what they had before the first package. */
async function openBooks({ urls: [url = ''] }: Instance, rpc: LedgerRpc) {
  const [shippers, couriers] = await Promise.all([wallets(rpc, LANES, 200n), wallets(rpc, COURIERS, 1n)]);
  const config = await createRelayClient({ url }).getConfig();
  const [programId, coordinator] = [config.programId as Address, config.coordinatorPubkey as Address];
  const parties = [coordinator, ...[...shippers, ...couriers].map(({ address }) => address)];
  return { shippers, couriers, programId, coordinator, before: await readBooks(rpc, programId, parties) };
}

const message = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Carries packages in lanes until it is calm, each lane with a shipper of its own. */
function fillLanes(
  world: World,
  shippers: readonly KeyPairSigner[],
  coordinator: Address,
  note: (finding: string) => void,
): { carried: Carried[]; done: Promise<unknown> } {
  const carried: Carried[] = [];
  let number = 0;
  const lanes = shippers.map(async (shipper) => {
    while (world.calmSince() === undefined) {
      const story = tellStory(seed, number++, COURIERS);
      try {
        carried.push(await carryPackage(world, story, shipper, coordinator));
      } catch (error) {
        note(`an agent gave up: ${message(error)}, in ${JSON.stringify(story)}`);
        return;
      }
    }
  });
  return { carried, done: Promise.all(lanes) };
}

/**
 * Packages that nobody has carried: posts without a name whose answers were lost, and which were posted again. Their
 * deadline passes, so the coordinator takes them back.
 */
async function findLostPosts(world: World, known: readonly Carried[], coordinator: Address): Promise<Carried[]> {
  await world.time.pass(NEAR_DEADLINE_SEC);
  const client = createRelayClient({ url: world.urls[0] ?? '' });
  const ids = new Set(known.map(({ item }) => item.id));
  const lost: string[] = [];
  for await (const { id } of everyItem(client.listPackages, {})) if (!ids.has(id)) lost.push(id);
  return Promise.all(
    lost.map(async (packageId): Promise<Carried> => {
      for (const until = Date.now() + EXIT_MS; Date.now() < until; await sleep(200)) {
        if ((await client.getPackage({ packageId })).status === 'failed') break;
      }
      const item = await client.getPackage({ packageId });
      return { item, posting: 'unnamed', endedBy: coordinator, closed: true, raced: false };
    }),
  );
}

/** How often each word occurs. */
function countWords(words: readonly string[]): string {
  return [...new Set(words)].map((word) => `${words.filter((one) => one === word).length} ${word}`).join(', ');
}

/** Carries packages while parts are killed, lets everything come to rest, and audits it. */
async function soak(instance: Instance, plan: readonly Kill[], note: (finding: string) => void) {
  const rpc = createSolanaRpc(instance.rpcUrl);
  const { shippers, couriers, ...books } = await openBooks(instance, rpc);
  const { programId, coordinator } = books;
  tell('ready, the first packages are on their way');
  const steps = new Steps();
  const tally: Tally = { calls: 0, repeats: 0, lostPosts: 0 };
  let calmSince: number | undefined;
  const world: World = {
    urls: instance.urls,
    rpc,
    time: new LedgerTime(rpc, instance.rpcUrl),
    programId,
    couriers,
    tally,
    step: steps.begin,
    calmSince: () => calmSince,
  };
  const { carried, done } = fillLanes(world, shippers, coordinator, note);
  const progress = () => `${carried.length} packages ended, ${tally.calls} calls, ${tally.repeats} of them repeats`;
  const made = new Map<Target, number>();
  await killAll(instance, plan, steps, made, progress).catch((error: unknown) => note(message(error)));
  calmSince = Date.now();
  await done;
  const lost = await findLostPosts(world, carried, coordinator);
  await untilQuiet(instance.connectionString);
  const all = [...carried, ...lost];
  const { connectionString, rpcUrl } = instance;
  const circumstances = { rpc, rpcUrl, connectionString, unknown: lost.length, lostPosts: tally.lostPosts };
  const { findings, compared } = await audit({ ...books, ...circumstances, carried: all });
  for (const finding of findings) note(finding);
  const byTarget = [...made].map(([target, count]) => `${target} ${count}`).join(', ');
  tell(`killed: ${byTarget}; ${progress()}; ${tally.lostPosts} unnamed posts without an answer`);
  tell(`posted: ${countWords(all.map(({ posting }) => posting))}`);
  tell(
    `ended: ${countWords(all.map(({ item, raced }) => `${item.failureReason ?? item.status}${raced ? ' (raced)' : ''}`))}`,
  );
  tell(`audited: ${compared}`);
}

test('whatever is killed at whatever moment, everything finishes, is paid once, and the books agree', async () => {
  tell(`seed ${seed}, ${kills} kills each of ${targets.join(', ')}`);
  const findings: string[] = [];
  const note = (finding: string) => {
    findings.push(finding);
    tell(`FINDING: ${finding}`);
  };
  const plan = planKills(targets, kills, seededRandom(seed));
  const instance = await Instance.start(note);
  try {
    await soak(instance, plan, note);
    if (findings.length > 0) tell(instance.lastWords());
  } finally {
    for (const code of await instance.stop()) {
      if (code !== 0) note(`a service ended with exit code ${code} when asked to stop`);
    }
  }
  tell(`${findings.length} findings with seed ${seed}`);
  expect(findings).toEqual([]);
});
