import { setTimeout as pause } from 'node:timers/promises';
import { serviceConfig } from '@legwork/sdk';
import type { DigitalTaskDetail } from '@legwork/sdk';
import { escrowOfTask } from '../audit.js';
import { register } from '../company.js';
import { DemoError, PATIENCE_MS, sol } from '../stage.js';
import type { Stage } from '../stage.js';
import type { Outcome, Plot } from '../story.js';
import { AGENTS, GOALS, POSTERS } from './cast.js';
import type { Goal } from './cast.js';
import { hearLedger } from './evidence.js';
import { playInUsdc } from './inUsdc.js';
import { post } from './posting.js';
import { withoutQuotes } from './skills.js';
import { Tools } from './tools.js';
import { Worker } from './worker.js';

const LOOK_EVERY_MS = 250;

/** Three digital tasks, done by four agents that know the service by its MCP tools alone. */
export const tasksPlot: Plot = {
  name: 'tasks',
  people: [
    // An agent signs no transaction and pays no fee; a poster pays the budget and the rent of its task.
    ...Object.keys(AGENTS).map((name) => ({ name, role: 'agent', neededLamports: 0n })),
    ...POSTERS.map((name) => ({ name, role: 'poster', neededLamports: 150_000_000n })),
  ],
  play: async (stage) => {
    const { mcpUrl } = await serviceConfig(stage.client);
    const announced = new Set<string>();
    const workers = await hire(stage, mcpUrl, (taskId) => announced.has(taskId));
    const done = await together(workers, (signal) => playActs(stage, { mcpUrl, announced, signal }));
    return closeActs(stage, done);
  },
  encore: playInUsdc,
};

/** Registers everybody, the agents by their tools. */
async function hire({ company, ledger, folder, say }: Stage, mcpUrl: string, isOurs: (taskId: string) => boolean) {
  say('\nAgents, each an MCP client of its own');
  const workers = await Promise.all(
    Object.entries(AGENTS).map(async ([name, skills]) => {
      const member = company.named(name);
      const tools = await Tools.connect(mcpUrl, name);
      const capabilities = skills.map(({ title }) => title);
      await tools.call('svc_register_agent', { agentPubkey: member.signer.address, displayName: name, capabilities });
      return new Worker({ member, skills, tools, ledger, isOurs, say });
    }),
  );
  for (const [name, skills] of Object.entries(AGENTS)) {
    say(`    ${name.padEnd(6)} ${skills.map(({ title }) => title).join(', ')}`);
  }
  await Promise.all(POSTERS.map((name) => register(company.named(name), ledger)));
  say(`    They and ${POSTERS.length} posters are registered, each with a key of its own (in ${folder.path})`);
  return workers;
}

/** Has the agents work while the acts are played; the first that fails ends it all. */
async function together<T>(workers: readonly Worker[], play: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ended = new AbortController();
  const endingAll = (work: Promise<unknown>) => work.finally(() => ended.abort());
  const played = play(ended.signal);
  await Promise.all([endingAll(played), ...workers.map((worker) => endingAll(worker.work(ended.signal)))]);
  return played;
}

interface Acts {
  readonly mcpUrl: string;
  /** The tasks that the agents may take. */
  readonly announced: Set<string>;
  readonly signal: AbortSignal;
}

async function playActs(stage: Stage, { mcpUrl, announced, signal }: Acts): Promise<Map<Goal, DigitalTaskDetail>> {
  const { say, client } = stage;
  const done = new Map<Goal, DigitalTaskDetail>();
  for (const goal of GOALS) {
    const { poster, title, plot, funder } = goal;
    say(`\n${poster}'s task: ${title}\n  (${plot})`);
    const taskId = await post(stage, goal, mcpUrl);
    const task = await client.getDigitalTask({ taskId });
    for (const { legIndex, instruction } of task.legs) say(`    ${legIndex + 1}. ${asked(instruction)}`);
    say(`    ${sol(task.maxBudget)} SOL are in escrow, ${sol(task.paymentPerLeg)} for each leg`);
    announced.add(taskId);
    const completed = await completion(stage, taskId, signal);
    done.set(goal, completed);
    const payer = funder === 'coordinator' ? 'the coordinator' : poster;
    const rest = completed.refund ?? 0n;
    say(`    Settled: ${rest === 0n ? 'nothing of the budget is left' : `${rest} lamports return to ${payer}`}`);
  }
  return done;
}

/** An instruction for the screen: what it quotes is left out, and the number that a plan keeps. */
function asked(instruction: string): string {
  return withoutQuotes(instruction).replace(/^\d+\. /, '');
}

async function completion({ client }: Stage, taskId: string, signal: AbortSignal): Promise<DigitalTaskDetail> {
  for (const until = Date.now() + PATIENCE_MS; ; ) {
    const task = await client.getDigitalTask({ taskId });
    if (task.status === 'completed') return task;
    if (task.status === 'failed') throw new DemoError(`task ${taskId} was ${task.failureReason ?? 'given up'}`);
    if (Date.now() > until) throw new DemoError(`task ${taskId} is not completed; it is ${task.status}`);
    await pause(LOOK_EVERY_MS, undefined, { signal });
  }
}

async function closeActs(stage: Stage, done: ReadonlyMap<Goal, DigitalTaskDetail>): Promise<Outcome> {
  const { lines, faults } = await hearLedger(stage, done);
  for (const line of lines) stage.say(line);
  for (const fault of faults) stage.say(`    WRONG: ${fault}`);
  return { escrows: [...done.values()].map(escrowOfTask), faults };
}
