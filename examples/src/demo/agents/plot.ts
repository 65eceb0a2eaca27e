import { setTimeout as pause } from 'node:timers/promises';
import { everyItem } from '@legwork/sdk';
import { escrowOfPackage, escrowOfTask } from '../audit.js';
import type { Escrow } from '../audit.js';
import { register } from '../company.js';
import { DemoError, sol } from '../stage.js';
import type { Stage } from '../stage.js';
import type { Outcome, Plot } from '../story.js';
import { rule } from './arbiter.js';
import { ARBITER, SABOTEUR } from './cast.js';
import type { Agent } from './cast.js';
import { Daemon } from './daemons.js';
import { ask, ship } from './market.js';
import type { Times } from './market.js';
import { sabotage } from './saboteur.js';
import type { Sabotage } from './saboteur.js';
import { Tally } from './tally.js';

const TELL_EVERY_MS = 15_000;
const LOOK_EVERY_MS = 1_000;
/**
 * The ledger's clock makes such steps: a day of work in a few minutes, with time to act between two of them. At the end nothing new
 * comes, and they follow each other faster.
 */
const STEP_SEC = 900;
const STEP_EVERY_MS = 10_000;
const LAST_STEPS_EVERY_MS = 5_000;

/** The agents that take part, and what happens to them. */
export interface Market<Group extends string> {
  /** Agents that run in one process, couriers or workers, by the name of the process. */
  readonly groups: Readonly<Record<Group, readonly Agent[]>>;
  readonly shippers: readonly string[];
  readonly posters: readonly string[];
  /** True if a courier takes part that fails in every way. */
  readonly hasSaboteur: boolean;
  /** Each of them posts so often. */
  readonly postEveryMs: number;
  /** So long after the last posting what is under way may still arrive. */
  readonly drainMs: number;
  /** Does harm to the processes; posting ends when it does. */
  readonly disturb: (daemons: Readonly<Record<Group, Daemon>>, stage: Stage) => Promise<void>;
}

/** A city of agents that work by their policies alone. */
export function agentsPlot<Group extends string>(market: Market<Group>): Plot {
  const person = (role: string, neededLamports: bigint) => (name: string) => ({ name, role, neededLamports });
  return {
    name: 'agents',
    people: [
      ...agentsOf(market).map(({ name, role }) => person(role, role === 'courier' ? 500_000_000n : 3_000_000n)(name)),
      ...market.shippers.map(person('shipper', 500_000_000n)),
      ...market.posters.map(person('poster', 500_000_000n)),
      person('courier', 500_000_000n)(SABOTEUR),
      person('arbiter', 10_000_000n)(ARBITER),
    ],
    // Everybody here comes from one address.
    settings: { LIMIT_READS: '0', LIMIT_WRITES: '0', LIMIT_BIDS_PER_ADDRESS: '0' },
    movesTime: true,
    play: (stage) => play(stage, market),
  };
}

const agentsOf = <Group extends string>({ groups }: Market<Group>): Agent[] =>
  Object.values<readonly Agent[]>(groups).flat();

async function play<Group extends string>(stage: Stage, market: Market<Group>): Promise<Outcome> {
  const { say, company, ledger, folder } = stage;
  const { shippers, posters, postEveryMs } = market;
  const agents = agentsOf(market);
  await Promise.all(company.members.map((member) => register(member, ledger)));
  say(`\n${agents.length} agents, each with a key and a policy (in ${folder.path}); not all of them do well:`);
  for (const { name, role, failing } of agents) if (failing) say(`    ${name} (${role}) ${failing}`);
  if (market.hasSaboteur) say(`    ${SABOTEUR} (courier) fails in every way`);
  say('');
  const daemons = await startDaemons(stage, market);
  const [posting, done] = [new AbortController(), new AbortController()];
  const times = { posting: posting.signal, done: done.signal, postEveryMs };
  const lead = async () => {
    await market.disturb(daemons, stage);
    posting.abort();
    await untilQuiet(stage, Date.now() + market.drainMs);
    done.abort();
  };
  const tally = new Tally();
  const [saboteur, arbiter] = [company.named(SABOTEUR), company.named(ARBITER)];
  try {
    const [failures] = await Promise.all([
      market.hasSaboteur ? sabotage(stage, saboteur, done.signal) : new Map<string, number>(),
      lead(),
      rule(stage, arbiter, done.signal),
      passTime(stage, times),
      tally.follow(stage.url, done.signal),
      ...shippers.map((name, index) => ship(stage, company.named(name), index, times)),
      ...posters.map((name, index) => ask(stage, company.named(name), index, times)),
      tell(stage, done.signal),
    ]);
    conclusion(stage, tally, failures);
  } finally {
    await Promise.all(Object.values<Daemon>(daemons).map((daemon) => daemon.stop()));
  }
  return conclude(stage, market);
}

/** Lets hours pass, so that silence has its consequences. */
async function passTime({ ledger, say }: Stage, { posting, done }: Times): Promise<void> {
  while (!done.aborted) {
    const pauseMs = posting.aborted ? LAST_STEPS_EVERY_MS : STEP_EVERY_MS;
    await pause(pauseMs, undefined, { signal: done }).catch(() => undefined);
    try {
      if (!done.aborted) await ledger.pass(STEP_SEC);
    } catch (error) {
      if (!(error instanceof DemoError)) throw error;
      say('The time of this ledger cannot be moved: what silence decides takes hours here.');
      return;
    }
  }
}

/** The outcome of the packages, and of the legs of the saboteur. */
function conclusion({ say }: Stage, tally: Tally, failures: Sabotage): void {
  say('\nWhat became of the packages, all on standard terms');
  for (const line of tally.lines) say(`    ${line}`);
  if (failures.size > 0) say(`\nWhat ${SABOTEUR} did`);
  for (const [way, legs] of failures) say(`    ${way}: ${legs}`);
}

async function startDaemons<Group extends string>(stage: Stage, { groups }: Market<Group>) {
  const started = Object.entries<readonly Agent[]>(groups).map(
    async ([name, agents]) => [name, await Daemon.start(stage, agents, name)] as const,
  );
  return Object.fromEntries(await Promise.all(started)) as Record<Group, Daemon>;
}

/** Waits until nothing is under way any more, or until the time is up. */
async function untilQuiet({ client }: Stage, untilMs: number): Promise<void> {
  while (Date.now() < untilMs) {
    const { packagesByStatus: packages, digitalTasksByStatus: tasks } = await client.getStats();
    // A package that nobody wants is not under way.
    const underWay = packages.swarm_forming + packages.in_transit + tasks.listed + tasks.in_progress;
    if (underWay === 0) return;
    await pause(LOOK_EVERY_MS);
  }
}

async function tell({ client, say }: Stage, done: AbortSignal): Promise<void> {
  const began = Date.now();
  while (!done.aborted) {
    await pause(TELL_EVERY_MS, undefined, { signal: done }).catch(() => undefined);
    const { packagesByStatus, digitalTasksByStatus, volumeLamports } = await client.getStats();
    const { listed, in_transit: onTheWay, delivered } = packagesByStatus;
    const seconds = String(Math.round((Date.now() - began) / 1000)).padStart(5);
    say(
      `${seconds} s   packages: ${listed} listed, ${onTheWay} on the way, ${delivered} delivered;   ` +
        `tasks completed: ${digitalTasksByStatus.completed};   paid to agents: ${sol(volumeLamports)} SOL`,
    );
  }
}

/** Tells what each agent did, and finds where the money is. */
async function conclude<Group extends string>(
  { client, company, say }: Stage,
  market: Market<Group>,
): Promise<Outcome> {
  say('\nWhat the agents did');
  for (const { name, failing } of agentsOf(market)) {
    const { history, reputation } = await client.getAgent({ agentPubkey: company.named(name).signer.address });
    const legs = `${history.legsCompleted} legs, ${history.legsPending} not ended`;
    const score = `reliability ${reputation.reliabilityScore}`;
    say(`    ${name.padEnd(7)} ${legs.padEnd(24)} ${sol(history.earnedLamports)} SOL   ${score}   ${failing ?? ''}`);
  }
  const escrows: Escrow[] = [];
  let delivered = 0;
  for (const name of [...market.shippers, ...market.posters]) {
    const shipper = company.named(name).signer.address;
    for await (const { id } of everyItem(client.listPackages, { shipper })) {
      const parcel = await client.getPackage({ packageId: id });
      if (parcel.status === 'delivered') delivered += 1;
      escrows.push(escrowOfPackage(parcel));
    }
    for await (const { id } of everyItem(client.listDigitalTasks, { shipper })) {
      const task = await client.getDigitalTask({ taskId: id });
      if (task.status === 'completed') delivered += 1;
      escrows.push(escrowOfTask(task));
    }
  }
  const faults = delivered > 0 ? [] : ['nothing was delivered'];
  for (const fault of faults) say(`    ${fault}`);
  return { escrows, faults };
}
