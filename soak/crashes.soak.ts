import { setTimeout as sleep } from 'node:timers/promises';
import { createLegworkClient } from '@legwork/sdk';
import type { Address, KeyPairSigner } from '@solana/kit';
import { expect, test } from 'vitest';
import { readBooks } from '../packages/cli/tests/support/books.js';
import { fundedWallet, type LedgerRpc } from '../packages/cli/tests/support/wallets.js';
import type { Tally, World } from './agent.js';
import { audit, untilQuiet } from './audit/audit.js';
import { haltedListings, healedListings, ofHalted } from './audit/halted.js';
import { lamportsInProgram } from './audit/money.js';
import { findStrays } from './audit/strays.js';
import { tokensOf } from './audit/tokens.js';
import type { Outcome } from './audit/outcome.js';
import { randomOf, seededRandom, Gate, gatedRpc, type Kill, planKills, type Target, Quiet } from './plan.js';
import { Instance } from './instance.js';
import type { Ended } from './journey.js';
import { findLostPosts, Lanes } from './lanes.js';
import { LedgerTime } from './ledgerTime.js';
import { Lies } from './lies.js';
import { Loss, loseDatabase, type Losing } from './loss/loss.js';
import { Listener } from './listener.js';
import { drawSigning, gather, gatherPoor, openAccounts, postersOf, signOn, workersOf } from './people.js';
import { type Purses, Stranger } from './stranger/stranger.js';
import { Thief } from './stranger/thief.js';

const SOL = 1_000_000_000n;
/** For the kills; what is in flight then gets the rest of the quarter of an hour. */
const KILLING_MS = 11 * 60_000;
/** In the place of the number of a story: who signs. */
const PEOPLE = -2;
/** In the place of the number of a story: what the services' node says. */
const LIES = -20;
/** In the place of the number of a story: what the issuer freezes, and what the thief lists. */
const [ISSUER, THIEF] = [-21, -22];
/** When no step begins for so long, the kill falls anyway. */
const PATIENCE_MS = 5_000;

const seed = Number(process.env['SOAK_SEED'] ?? 1);
const kills = Number(process.env['SOAK_KILLS'] ?? 5);
const losesDatabase = process.env['SOAK_LOSES'] === '1';
const isKept = process.env['SOAK_KEEP'] === '1';
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

/** The work that goes on while parts are killed. */
interface Killing {
  readonly steps: Steps;
  readonly quiet: Quiet;
  readonly lies: Lies;
  readonly made: Map<Target, number>;
  readonly progress: () => string;
  /** Done once half of the kills are over. */
  readonly halfway: () => Promise<void>;
}

/** Kills as planned and counts the kills in `made`. @throws Error when something does not come back or time runs out */
async function killAll(
  instance: Instance,
  plan: readonly Kill[],
  { steps, quiet, lies, made, progress, halfway }: Killing,
): Promise<void> {
  const until = Date.now() + KILLING_MS;
  for (const [index, kill] of plan.entries()) {
    if (Date.now() > until) throw new Error(`time ran out after ${index} of ${plan.length} kills`);
    if (index === plan.length >> 1) await halfway();
    await steps.more(kill.steps);
    await sleep(kill.delayMs);
    const ms = await quiet.during(async () => {
      await instance.kill(kill);
      await lies.hush(() => instance.up());
    });
    made.set(kill.target, (made.get(kill.target) ?? 0) + 1);
    const victim = kill.target === 'postgres' && kill.supervisorToo ? 'postgres and its supervisor' : kill.target;
    tell(`kill ${index + 1} of ${plan.length}: ${victim}, ready after ${ms} ms; ${progress()}`);
  }
}

/** Everybody, with what they had before the first package. */
async function openBooks({ urls: [url = ''], issuer }: Instance, rpc: LedgerRpc) {
  const [people, poor] = [await gather(rpc), await gatherPoor(rpc, issuer)];
  const random = randomOf(seed, PEOPLE);
  const signing = new Set([people, poor].flatMap((all) => drawSigning(all, random)));
  const purses: Purses = { purse: await fundedWallet(rpc, 50n * SOL), accomplice: await fundedWallet(rpc, SOL) };
  const config = await createLegworkClient({ url }).getConfig();
  const [programId, coordinator] = [config.programId as Address, config.coordinatorPubkey as Address];
  const thief = await Thief.create(rpc, programId, issuer);
  for (const all of [people, poor]) {
    await signOn(url, all, signing);
    await openAccounts(url, rpc, all, { payer: purses.purse, programAddress: programId });
  }
  const everybody = [people, poor].flatMap((all) => [...postersOf(all), ...workersOf(all)]);
  const wallets = [...everybody, ...Object.values<KeyPairSigner>({ ...purses }), ...thief.wallets].map(
    ({ address }) => address,
  );
  const books = await readBooks(rpc, programId, [coordinator, ...wallets]);
  const before = { ...books, inProgram: await lamportsInProgram({ rpc, programId }) };
  const inTokens = { issuer, thief, before: await tokensOf(rpc, issuer) };
  return { people, poor, signing, purses, programId, coordinator, books: { before, inTokens, wallets } };
}

const message = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** How often each word occurs. */
function countWords(words: readonly string[]): string {
  return [...new Set(words)].map((word) => `${words.filter((one) => one === word).length} ${word}`).join(', ');
}

const fateOf = ({ listing, raced }: Ended) => `${listing.failureReason ?? listing.status}${raced ? ' (raced)' : ''}`;

/** The posts and their outcomes, for people. */
function tellOutcome({ packages, tasks }: Outcome): void {
  for (const [noun, all] of [
    ['packages', packages],
    ['digital tasks', tasks],
  ] as const) {
    tell(`${all.length} ${noun} posted: ${countWords(all.map(({ posting }) => posting))}`);
    tell(`${noun} ended: ${countWords(all.map(fateOf))}`);
  }
  tell(`paid in: ${countWords([...packages, ...tasks].map(({ listing }) => listing.asset))}`);
  tell(`with terms: ${countWords([...packages, ...tasks].flatMap(({ bound }) => bound?.plot ?? []))}`);
  const legs = tasks.flatMap((task) => task.legs);
  const released = legs.flatMap(({ givenUp }) => givenUp).length;
  tell(`digital legs: ${legs.filter(({ taken }) => taken).length} completed, ${released} times one was released`);
}

const tellKills = (made: ReadonlyMap<Target, number>) =>
  [...made].map(([target, count]) => `${target} ${count}`).join(', ');

/** The databases that the services have, one after the other, each with a webhook of its own. */
class Lives {
  over: Promise<unknown> = Promise.resolve();
  readonly #losing: Losing;
  readonly #url: string;
  #listener: Listener;

  static async begin(losing: Losing, url: string): Promise<Lives> {
    return new Lives(losing, url, await Listener.start(url));
  }

  private constructor(losing: Losing, url: string, listener: Listener) {
    this.#losing = losing;
    this.#url = url;
    this.#listener = listener;
  }

  get listener(): Listener {
    return this.#listener;
  }

  /** Loses the database, if this soak does. */
  async next(progress: () => string): Promise<void> {
    if (!losesDatabase) return;
    const { over, told } = await loseDatabase(this.#losing);
    this.over = over;
    tell(`the database is lost: ${told}; ${progress()}`);
    this.#listener.forget();
    this.#listener = await Listener.start(this.#url);
  }
}

/** Posts and works while parts are killed, lets everything come to rest, and audits it. */
async function soak(instance: Instance, plan: readonly Kill[], note: (finding: string) => void) {
  const { urls, rpcUrl } = instance;
  const [gate, door] = [new Gate(), new Gate()];
  const rpc = gatedRpc(rpcUrl, gate);
  const { people, poor, purses, books, ...known } = await openBooks(instance, rpc);
  const { issuer, thief } = books.inTokens;
  tell('ready, the first packages and digital tasks are on their way');
  const steps = new Steps();
  const tally: Tally = { calls: 0, repeats: 0, lostPosts: 0 };
  const quiet = new Quiet();
  const time = new LedgerTime(rpc, rpcUrl, gate);
  const world: World = {
    ...known,
    ...people,
    urls,
    rpc,
    time,
    door,
    yard: new Gate(),
    loss: new Loss(),
    tally,
    step: steps.begin,
    calmSince: quiet.forGood,
    quietSince: quiet.since,
  };
  const lanes = new Lanes(world, seed, note);
  const inTokens = { ...world, ...poor };
  const filled = Promise.all([lanes.fill(people.shippers), lanes.fill(poor.shippers, inTokens)]);
  const spared = new Set([...postersOf(poor), ...poor.carriers].map(({ address }) => address));
  issuer.begin(rpc, spared, randomOf(seed, ISSUER), note);
  thief.begin(world, randomOf(seed, THIEF), note);
  const lies = new Lies(
    { instance, rpc, gate, door, time, quiet, note, coordinator: known.coordinator },
    randomOf(seed, LIES),
  );
  const stranger = new Stranger(world, seed, purses, note);
  const progress = () =>
    `${lanes.outcome.packages.length} packages and ${lanes.outcome.tasks.length} digital tasks ended, ` +
    `${tally.calls} calls, ${tally.repeats} of them repeats`;
  const made = new Map<Target, number>();
  const worlds = { sol: { world, people }, usdc: { world: inTokens, people: poor } };
  const lives = await Lives.begin({ instance, lanes, lies, quiet, worlds, note }, urls[0] ?? '');
  const killing = { steps, quiet, lies, made, progress, halfway: () => lives.next(progress) };
  await killAll(instance, plan, killing).catch((error: unknown) => note(message(error)));
  await lies.stop();
  quiet.end();
  await Promise.all([filled, lives.over]);
  await Promise.all([stranger.stop(), thief.stop()]);
  tell(`the issuer froze ${await issuer.stop()} token accounts for a while`);
  tell(`killed: ${tellKills(made)}; ${progress()}; ${tally.lostPosts} unnamed posts without an answer`);
  tell(`the node lied: ${countWords(lies.told)}`);
  for (const line of stranger.told) tell(`the stranger: ${line}`);
  const [agents, carriers] = [
    [...people.agents, ...poor.agents],
    [...people.carriers, ...poor.carriers],
  ];
  await settleUp(instance, { ...world, agents, carriers }, lanes, books, note);
  tell(`the webhook: ${await lives.listener.end(instance.connectionString, note)}`);
}

/** Lets the coordinator take back what was lost, and compares everything. */
async function settleUp(
  { connectionString, rpcUrl }: Instance,
  world: World,
  { outcome: known }: Lanes,
  books: Awaited<ReturnType<typeof openBooks>>['books'],
  note: (finding: string) => void,
) {
  const lost = await findLostPosts(world, known);
  await untilQuiet(connectionString);
  const outcome = { packages: [...known.packages, ...lost.packages], tasks: [...known.tasks, ...lost.tasks] };
  const { findings, compared } = await audit({
    world,
    rpcUrl,
    connectionString,
    ...books,
    outcome,
    strays: await findStrays(world, outcome),
    unknown: lost.packages.length + lost.tasks.length,
  });
  const halted = await haltedListings(connectionString);
  for (const finding of findings) note(ofHalted(finding, halted));
  if (halted.length > 0) note(`a fork still halts ${halted.length} listings: ${halted.join(', ')}`);
  tell(`healed after a fork: ${(await healedListings(connectionString)).length} listings`);
  tellOutcome(outcome);
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
    for (const code of await instance.stop({ keeps: isKept })) {
      if (code !== 0) note(`a service ended with exit code ${code} when asked to stop`);
    }
  }
  if (isKept) tell(`database and ledger are kept in ${instance.folder}`);
  tell(`${findings.length} findings with seed ${seed}`);
  expect(findings).toEqual([]);
});
