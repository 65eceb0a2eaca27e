import { join } from 'node:path';
import { createLegworkClient } from '@legwork/sdk';
import type { Address, KeyPairSigner } from '@solana/kit';
import { expect, test } from 'vitest';
import { readBooks } from '../packages/cli/tests/support/books.js';
import { fundedWallet, type LedgerRpc } from '../packages/cli/tests/support/wallets.js';
import type { Tally, World } from './agent.js';
import { audit, untilQuiet } from './audit/audit.js';
import { haltedListings, healedListings, ofHalted, refusedLegs } from './audit/halted.js';
import { lamportsInProgram } from './audit/money.js';
import { findStrays } from './audit/strays.js';
import { tokensOf } from './audit/tokens.js';
import type { Outcome } from './audit/outcome.js';
import { Histories } from './history/histories.js';
import { recorded } from './history/record.js';
import { staleReads } from './history/plant.js';
import { randomOf, seededRandom, Gate, gatedRpc, Quiet } from './plan.js';
import { Instance } from './instance.js';
import { CLOCK_MS, type Ended } from './journey.js';
import { findLostPosts, Lanes } from './lanes.js';
import { LedgerTime } from './ledgerTime.js';
import { Lies } from './lies.js';
import { Loss, loseDatabase, type Losing } from './loss/loss.js';
import { Listener } from './listener.js';
import { drawSigning, gather, gatherPoor, openAccounts, postersOf, signOn, workersOf } from './people.js';
import { makeTrouble, Steps } from './makeTrouble.js';
import { refusedWrites } from './postmaster.js';
import { type Purses, Stranger } from './stranger/stranger.js';
import { Thief } from './stranger/thief.js';
import { planTroubles, type Target, TARGETS, type Trouble } from './troubles.js';

const SOL = 1_000_000_000n;
/** In the place of the number of a story: who signs. */
const PEOPLE = -2;
/** In the place of the number of a story: what the services' node says. */
const LIES = -20;
/** In the place of the number of a story: what the issuer freezes, and what the thief lists. */
const [ISSUER, THIEF] = [-21, -22];
/** In the place of the number of a story: which reads are stale, if that bug is planted, and what clocks and nodes the services have. */
const [PLANT, SERVICES] = [-23, -24];

const seed = Number(process.env['SOAK_SEED'] ?? 1);
const kills = Number(process.env['SOAK_KILLS'] ?? 5);
const losesDatabase = process.env['SOAK_LOSES'] === '1';
const isKept = process.env['SOAK_KEEP'] === '1';
const services = Number(process.env['SOAK_SERVICES'] ?? 3);
const isPromoted = process.env['SOAK_PROMOTE'] === '1';
const isPooled = process.env['SOAK_POOLER'] === '1';
const isPlanted = process.env['SOAK_PLANT'] === '1';
const former = process.env['SOAK_FORMER'] || undefined;
/** How long trouble is made; undefined: until all that is planned is over. */
const minutes = process.env['SOAK_MINUTES'] ? Number(process.env['SOAK_MINUTES']) : undefined;
const targets = (process.env['SOAK_PARTS'] ?? TARGETS.join(',')).split(',') as Target[];

const began = Date.now();
const tell = (line: string) => {
  process.stdout.write(`[${((Date.now() - began) / 1000).toFixed(1).padStart(6)} s] ${line}\n`);
};

/** Everybody, with what they had before the first package. */
async function openBooks({ urls: [url = ''], issuer }: Instance, rpc: LedgerRpc) {
  const [people, poor] = [await gather(rpc), await gatherPoor(rpc, issuer)];
  const random = randomOf(seed, PEOPLE);
  const signing = new Set([people, poor].flatMap((all) => drawSigning(all, random)));
  const purses: Purses = { purse: await fundedWallet(rpc, 500n * SOL), accomplice: await fundedWallet(rpc, SOL) };
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

const tellMade = (made: ReadonlyMap<Target, number>) =>
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

  /** Loses the database, or its machine, or replaces the services, if this soak does. */
  async next(progress: () => string): Promise<void> {
    if (isPromoted) await this.#promote();
    if (former !== undefined) await this.#upgrade();
    if (!losesDatabase) return;
    const { over, told } = await loseDatabase(this.#losing);
    this.over = over;
    tell(`the database is lost: ${told}; ${progress()}`);
    this.#listener.forget();
    this.#listener = await Listener.start(this.#url);
  }

  async #upgrade(): Promise<void> {
    const { instance, lies, quiet } = this.#losing;
    const ms = await quiet.during(() => lies.hush(() => instance.upgrade()));
    tell(`each service is of this version now, after ${ms} ms`);
  }

  async #promote(): Promise<void> {
    const { instance, lies, quiet } = this.#losing;
    const ms = await quiet.during(async () => {
      await instance.promote();
      await lies.hush(() => instance.up());
    });
    tell(`the standby took PostgreSQL's place, ready after ${ms} ms`);
  }
}

/**
 * Checks what everybody was answered, but for listings that the services wrote again, or had to rebuild, and legs whose claims the ledger
 * refused.
 */
async function judge(
  { connectionString }: Instance,
  histories: Histories,
  { loss }: World,
  note: (finding: string) => void,
): Promise<void> {
  const healed = new Set((await healedListings(connectionString)).map((subject) => subject.split(':')[1]));
  const refused = new Set(await refusedLegs(connectionString));
  const { findings, checked } = histories.judge((id) => healed.has(id) || loss.has(id) || refused.has(id));
  for (const finding of findings) note(`no history of one service: ${finding}`);
  tell(`histories: ${checked}; ${findings.length} are impossible`);
}

const unwritten = ({ folder }: Instance) => refusedWrites([folder, join(folder, 'standby')]);

/** Posts and works while parts are killed, lets everything come to rest, and audits it. */
async function soak(instance: Instance, plan: readonly Trouble[], note: (finding: string) => void) {
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
  const histories = new Histories();
  const send = recorded(isPlanted ? staleReads(fetch, randomOf(seed, PLANT)) : fetch, histories.note);
  const world: World = {
    send,
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
  const making = { steps, quiet, lies, made, tell, progress, minutes, halfway: () => lives.next(progress) };
  await makeTrouble(instance, plan, making).catch((error: unknown) => note(message(error)));
  await lies.stop();
  quiet.end();
  await Promise.all([filled, lives.over]);
  await Promise.all([stranger.stop(), thief.stop()]);
  tell(`the issuer froze ${await issuer.stop()} token accounts for a while`);
  tell(`troubles: ${tellMade(made)}; ${progress()}; ${tally.lostPosts} unnamed posts without an answer`);
  tell(`the node lied: ${countWords(lies.told)}; PostgreSQL had no room for ${await unwritten(instance)} writes`);
  for (const line of stranger.told) tell(`the stranger: ${line}`);
  await judge(instance, histories, world, note);
  const [agents, carriers] = [people.agents.concat(poor.agents), people.carriers.concat(poor.carriers)];
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

test('whatever fails at whatever moment, everything finishes, is paid once, and the books agree', async () => {
  const howOften = minutes === undefined ? `${kills} times each` : `for ${minutes} minutes each`;
  tell(`seed ${seed}, ${services} services, ${howOften} of ${targets.join(', ')}`);
  const findings: string[] = [];
  const note = (finding: string) => {
    findings.push(finding);
    tell(`FINDING: ${finding}`);
  };
  const plan = planTroubles(targets, kills, services, seededRandom(seed));
  const random = randomOf(seed, SERVICES);
  const clocksMs = Array.from({ length: services }, () => Math.round((2 * random() - 1) * CLOCK_MS));
  const hasHonestNode = services > 1 && random() < 0.5;
  tell(
    `the clocks of the services are ahead by ${clocksMs.join(', ')} ms; ${hasHonestNode ? 'the first' : 'none'} has a node that never lies`,
  );
  const instance = await Instance.start({ clocksMs, hasHonestNode, isReplicated: isPromoted, isPooled, former }, note);
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
