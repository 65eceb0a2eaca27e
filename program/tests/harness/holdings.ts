import type { Task } from '@legwork/program-client';
import { TaskStatus } from '@legwork/program-client';
import { isSome, type Address } from '@solana/kit';
import type { Delivery } from './delivery.js';
import type { Job } from './job.js';
import { STAKE } from './terms.js';
import { isOpen, isUnderWay, MAX_TASK_LEGS, type Town } from './town.js';

/** Of legs with terms. */
const [RENT_OF_LEG, RENT_OF_TASK_LEG] = [1_566_000n, 2_011_440n];
/** Stakes by the status of a leg. */
const STAKES_HELD = [0n, 0n, 1n, 1n, 1n, 2n, 0n, 0n] as const;
const NOBODY = '11111111111111111111111111111111';

/** A package or task with its vault. */
export interface Holding {
  readonly name: string;
  readonly vault: Address;
  /** Lamports that its vault owes beside its rent; undefined: nothing, it is not listed or over. */
  readonly owed: bigint | undefined;
}

/** @throws Error when the package paid more than its budget, a leg lacks a stake, or it is over and has a swarm still */
export async function holdingOf(town: Town, delivery: Delivery): Promise<Holding> {
  const { package: address, vault } = delivery;
  const state = await town.package(delivery);
  const holding = { name: `package ${address}`, vault };
  await requireStakes(town, delivery);
  if (isOpen(state)) return { ...holding, owed: owedFrom(holding.name, state) };
  if (await town.swarm(delivery)) throw new Error(`${holding.name} has a swarm, but is not open`);
  return { ...holding, owed: undefined };
}

/** Each leg with terms holds the stakes of its status, and what was given to it. */
async function requireStakes(town: Town, delivery: Delivery): Promise<void> {
  const swarm = await town.swarm(delivery);
  for (const { index, status } of swarm ? await town.legs(delivery, swarm) : []) {
    const lamports = await town.relay.lamports(await town.relay.leg(delivery, index));
    const least = RENT_OF_LEG + (STAKES_HELD[status] ?? 0n) * STAKE;
    if (lamports < least) throw new Error(`Leg ${index} of ${delivery.package} has ${lamports}, not ${least}`);
  }
}

/** @throws Error when the task paid more than its budget, or disagrees with its legs */
export async function holdingOfTask(town: Town, job: Job): Promise<Holding> {
  const { task: address, vault } = job;
  const state = await town.task(job);
  const name = `task ${address}`;
  const underWay = isUnderWay(state) ? state : undefined;
  for (let index = 0; index < MAX_TASK_LEGS; index += 1) await requireLeg(town, job, underWay, index);
  if (underWay) requireConsistent(name, underWay);
  return { name, vault, owed: underWay && owedFrom(name, underWay) };
}

function owedFrom(name: string, { maxBudget, paid }: { readonly maxBudget: bigint; readonly paid: bigint }): bigint {
  if (paid > maxBudget) throw new Error(`${name} paid more than its budget`);
  return maxBudget - paid;
}

/** A leg exists exactly while its task is under way and it has an agent, the one that the task names. */
async function requireLeg(town: Town, job: Job, task: Task | undefined, index: number): Promise<void> {
  const leg = await town.taskLeg(job, index);
  const agent = task?.agents[index] ?? NOBODY;
  const isAssigned = task !== undefined && ((task.assignedLegs >> index) & 1) === 1;
  const name = `Leg ${index} of task ${job.task}`;
  if ((leg !== undefined) !== isAssigned) throw new Error(`${name} ${leg ? 'exists' : 'is missing'}`);
  if (isAssigned !== (agent !== NOBODY)) throw new Error(`${name} is for ${agent}`);
  if (leg && (leg.agent !== agent || leg.task !== job.task || leg.index !== index)) throw new Error(`${name} is odd`);
  const isCompleted = task !== undefined && index < task.completedLegs;
  if (leg && (leg.completedAt !== 0n) !== isCompleted) throw new Error(`${name} is completed out of order`);
  if (leg && isSome(leg.turn)) {
    const least = RENT_OF_TASK_LEG + (STAKES_HELD[leg.status] ?? 0n) * STAKE;
    const lamports = await town.relay.lamports(await town.relay.taskLeg(job, index));
    if (lamports < least) throw new Error(`${name} has ${lamports}, not ${least}`);
  }
}

function requireConsistent(name: string, task: Task): void {
  const agreed = (task.maxBudget / BigInt(task.numLegs)) * BigInt(task.completedLegs);
  // A ruling may pay less.
  const isPaid = isSome(task.terms) ? task.paid <= agreed : task.paid === agreed;
  if (!isPaid) throw new Error(`${name} paid ${task.paid}`);
  const isListed = task.status === TaskStatus.Listed;
  if (isListed !== (task.assignedLegs === 0)) throw new Error(`${name} has status ${task.status}`);
  const agents = task.agents.filter((agent) => agent !== NOBODY);
  if (new Set(agents).size !== agents.length) throw new Error(`${name} has one agent twice`);
}
