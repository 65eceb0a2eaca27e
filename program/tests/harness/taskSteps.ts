import { LegStatus, TaskStatus, type Config, type Task } from '@legwork/program-client';
import type { Instruction, KeyPairSigner } from '@solana/kit';
import { SOL } from './delivery.js';
import type { ClosedLeg, Job, TaskListing } from './job.js';
import type { Step } from './steps.js';
import { signedBy } from './tamper.js';
import { finishedTask, hasTerms, legWithTurn, moveOfTask } from './taskTermsSteps.js';
import { terms } from './terms.js';
import { COURIERS, isUnderWay, MAX_TASK_LEGS, type Town } from './town.js';

export const TASK_OPERATIONS = [
  'listTask',
  'assignTaskLeg',
  'releaseTaskLeg',
  'confirmTaskLeg',
  'settleTask',
  'cancelTask',
  'reclaimTask',
  'closeTask',
  'moveTask',
] as const;
export type OnTask = 'sensibleTask' | (typeof TASK_OPERATIONS)[number];

interface Scene {
  readonly town: Town;
  readonly step: Step;
  readonly job: Job;
  readonly coordinator: KeyPairSigner;
}

/** A transaction about a task. */
export async function onTask(
  town: Town,
  operation: OnTask,
  step: Step,
  { job, settings }: { readonly job: Job; readonly settings: Config },
): Promise<Instruction | undefined> {
  const scene = { town, step, job, coordinator: town.personAt(settings.coordinator, town.relay.coordinator) };
  const { tasks } = town.relay;
  switch (operation) {
    case 'sensibleTask':
      return sensible(scene);
    case 'listTask':
      return tasks.list(job, { numLegs: step.legs, maxBudget: step.lamports, ...(await offered(step)) });
    case 'assignTaskLeg':
      return assignment(scene, step.index);
    case 'releaseTaskLeg':
      return release(scene, step.index);
    case 'confirmTaskLeg':
      return confirmation(scene, step.index);
    case 'settleTask':
      return tasks.settle(job, await closedLegs(town, job), scene.coordinator);
    case 'cancelTask':
      return tasks.cancel(job);
    case 'reclaimTask':
      return tasks.reclaim(job, await closedLegs(town, job));
    case 'closeTask':
      return tasks.close(job);
    case 'moveTask': {
      const leg = await legWithTurn(town, job, step.index % MAX_TASK_LEGS);
      return leg && moveOfTask(scene, leg);
    }
  }
  return undefined;
}

/** The funder's way out of a task that is not over. */
export async function exitOfTask(town: Town, planned: Job): Promise<Instruction> {
  const job = await asFunded(town, planned);
  const { tasks } = town.relay;
  const state = await town.task(job);
  if (typeof state !== 'object' || state.status === TaskStatus.Listed) return tasks.cancel(job);
  const legs = await closedLegs(town, job);
  if (state.completedLegs === state.numLegs) return tasks.settle(job, legs, job.funder);
  const leg = await legWithTurn(town, job, state.completedLegs);
  const unfinished = leg && (await finishedTask(town, job, leg));
  return unfinished ?? tasks.reclaim(job, legs, job.funder, leg?.status === LegStatus.Accepted ? [leg.agent] : []);
}

/** Terms, or none. */
async function offered(step: Step): Promise<Pick<TaskListing, 'terms'>> {
  return step.person % 3 === 0 ? {} : { terms: await terms() };
}

/** The job with its funder: whoever signed the listing. */
export async function asFunded(town: Town, job: Job): Promise<Job> {
  const state = await town.task(job);
  if (typeof state !== 'object') return job;
  return { ...job, funder: town.personAt(state.funder, job.funder) };
}

/** An instruction that brings the task forward, and now and then back. */
async function sensible(scene: Scene): Promise<Instruction | undefined> {
  const { town, step, job, coordinator } = scene;
  const { tasks } = town.relay;
  const state = await town.task(job);
  if (state === 'closed') return undefined;
  if (state === 'unlisted') {
    const [numLegs, maxBudget] = [(step.legs % MAX_TASK_LEGS) + 1, (step.lamports % SOL) + 4n];
    return tasks.list(job, { numLegs, maxBudget, ...(await offered(step)) });
  }
  if (!isUnderWay(state)) return step.index === 0 ? tasks.close(job) : undefined;
  const next = state.completedLegs;
  if (next === state.numLegs) return tasks.settle(job, await closedLegs(town, job), coordinator);
  if (!isAssigned(state, next)) return assignment(scene, next);
  if (hasTerms(state)) return withTerms(scene, next);
  const last = state.numLegs - 1;
  if (step.legs === 0 && isAssigned(state, last)) return release(scene, last);
  if (step.legs === 1 && !isAssigned(state, last)) return assignment(scene, last);
  return confirmation(scene, next);
}

/** A vacant leg is released, so that another agent gets it. */
async function withTerms(scene: Scene, index: number): Promise<Instruction | undefined> {
  const leg = await legWithTurn(scene.town, scene.job, index);
  return leg && ((await moveOfTask(scene, leg)) ?? release(scene, index));
}

function isAssigned(task: Task, index: number): boolean {
  return ((task.assignedLegs >> index) & 1) === 1;
}

async function assignment({ town, step, job, coordinator }: Scene, index: number): Promise<Instruction> {
  const agent = town.courier(index + (step.person % COURIERS)).address;
  return town.relay.tasks.assign(job, index, agent, coordinator);
}

async function release({ town, job, coordinator }: Scene, index: number): Promise<Instruction> {
  const leg = await town.taskLeg(job, index);
  const closed = { index, ...(leg && { rentPayer: leg.rentPayer }) };
  return signedBy(await town.relay.tasks.release(job, closed), 0, coordinator);
}

async function confirmation({ town, job, coordinator }: Scene, index: number): Promise<Instruction> {
  const leg = await town.taskLeg(job, index);
  const agent = leg?.agent ?? town.courier(index).address;
  return signedBy(await town.relay.tasks.confirm(job, index, agent), 0, coordinator);
}

/** Every leg that has an agent, with the payer of its rent. */
async function closedLegs(town: Town, job: Job): Promise<ClosedLeg[]> {
  const legs: ClosedLeg[] = [];
  for (let index = 0; index < MAX_TASK_LEGS; index += 1) {
    const leg = await town.taskLeg(job, index);
    if (leg) legs.push({ index, rentPayer: leg.rentPayer });
  }
  return legs;
}
