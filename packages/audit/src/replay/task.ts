import type { RelayInstruction } from '@legwork/program-client';
import { gapBefore } from '../errors.js';
import { become, close, listingIn, type ListingFacts, newListing } from './listing.js';
import { acceptLeg, completeLeg, type Reputations } from './reputations.js';

/** The status of a digital task on the ledger. */
export type TaskLedgerStatus = 'listed' | 'in_progress' | 'completed' | 'cancelled' | 'reclaimed';

/** A leg that an agent got, also after its release or the closing of its account. */
export interface AssignmentFacts {
  index: number;
  address: string;
  agent: string;
  rentPayer: string;
  paymentLamports: bigint;
  assignSignature: string;
  /** Null: not released. */
  releaseSignature: string | null;
  confirmed: ConfirmationFacts | null;
}

/** The confirmation of a leg. */
interface ConfirmationFacts {
  signature: string;
  /** Lower-case hexadecimal. */
  resultHash: string;
}

/** What happened to an assignment, in the order of the ledger. */
export interface TaskStep {
  kind: 'assigned' | 'released' | 'confirmed';
  assignment: AssignmentFacts;
  signature: string;
}

/** A digital task as its transactions made it. */
export interface TaskFacts extends ListingFacts {
  kind: 'digital task';
  status: TaskLedgerStatus;
  numLegs: number;
  steps: TaskStep[];
}

/** The digital tasks that were listed, and the agents' reputations. */
export interface TasksOnLedger {
  /** By address. */
  tasks: Map<string, TaskFacts>;
  reputations: Reputations;
}

/** Every assignment, released ones too, in the order of the ledger. */
export function assignmentsOf({ steps }: TaskFacts): AssignmentFacts[] {
  return steps.filter((step) => step.kind === 'assigned').map((step) => step.assignment);
}

/** The legs that have an agent, by index. */
export function heldLegs(task: TaskFacts): AssignmentFacts[] {
  return assignmentsOf(task)
    .filter((assignment) => assignment.releaseSignature === null)
    .toSorted((one, other) => one.index - other.index);
}

/** The legs that are completed, by index. */
export function confirmedLegs(task: TaskFacts): (AssignmentFacts & { confirmed: ConfirmationFacts })[] {
  return heldLegs(task).filter((leg) => isConfirmed(leg));
}

function isConfirmed(leg: AssignmentFacts): leg is AssignmentFacts & { confirmed: ConfirmationFacts } {
  return leg.confirmed !== null;
}

type Named<Name extends RelayInstruction['name']> = Extract<RelayInstruction, { name: Name }>;

type OfListed = Named<
  'assignTaskLeg' | 'releaseTaskLeg' | 'confirmTaskLeg' | 'settleTask' | 'cancelTask' | 'reclaimTask' | 'closeTask'
>;

/** An instruction about a digital task. */
type TaskInstruction = Named<'listTask'> | OfListed;

/** Applies the instruction to its digital task and to the reputations of its agents. */
export function replayTask(facts: TasksOnLedger, instruction: TaskInstruction, signature: string): void {
  switch (instruction.name) {
    case 'listTask':
      return list(facts, instruction, signature);
    case 'cancelTask':
      return become(taskIn(facts, instruction, ['listed'], signature), 'cancelled', signature);
    case 'assignTaskLeg':
      return assign(facts, instruction, signature);
    case 'releaseTaskLeg':
      return release(facts, instruction, signature);
    case 'confirmTaskLeg':
      return confirm(facts, instruction, signature);
    case 'settleTask':
    case 'reclaimTask':
      return end(facts, instruction, signature);
    case 'closeTask':
      return close(taskIn(facts, instruction, ['completed', 'cancelled', 'reclaimed'], signature), signature);
  }
}

function taskIn(
  facts: TasksOnLedger,
  { name, accounts }: OfListed,
  statuses: readonly TaskLedgerStatus[],
  signature: string,
): TaskFacts {
  return listingIn(facts.tasks, { name, at: accounts.task.address }, statuses, signature);
}

function list(facts: TasksOnLedger, { accounts, data }: Named<'listTask'>, signature: string): void {
  const listed = {
    kind: 'digital task' as const,
    address: accounts.task.address,
    vault: accounts.vault.address,
    id: data.taskId,
    poster: accounts.poster.address,
    funder: accounts.funder.address,
    maxBudget: data.maxBudget,
    deadline: data.deadline,
    termsHash: data.termsHash,
  };
  const listing = newListing(facts.tasks, listed, signature);
  facts.tasks.set(listed.address, { ...listing, numLegs: data.numLegs, steps: [] });
}

function assign(facts: TasksOnLedger, instruction: Named<'assignTaskLeg'>, signature: string): void {
  const task = taskIn(facts, instruction, ['listed', 'in_progress'], signature);
  const { accounts, data } = instruction;
  const { index } = data;
  const agent = accounts.agent.address;
  const held = heldLegs(task);
  if (held.some((leg) => leg.index === index)) throw gapBefore(signature, `leg ${index} had an agent`);
  if (held.some((leg) => leg.agent === agent)) throw gapBefore(signature, `${agent} had another leg of the task`);
  const assignment: AssignmentFacts = {
    index,
    address: accounts.taskLeg.address,
    agent,
    rentPayer: accounts.coordinator.address,
    paymentLamports: task.budgetLamports / BigInt(task.numLegs),
    assignSignature: signature,
    releaseSignature: null,
    confirmed: null,
  };
  task.steps.push({ kind: 'assigned', assignment, signature });
  if (task.status === 'listed') become(task, 'in_progress', signature);
  acceptLeg(facts.reputations, agent, accounts.reputation.address, signature);
}

/** The leg of an instruction, which must have an agent and not be completed. */
function openLeg(
  task: TaskFacts,
  { name, accounts, data }: Named<'releaseTaskLeg' | 'confirmTaskLeg'>,
  signature: string,
): AssignmentFacts {
  const leg = heldLegs(task).find((held) => held.index === data.index);
  if (leg?.address === accounts.taskLeg.address && leg.confirmed === null) return leg;
  throw gapBefore(signature, `${name} found leg ${data.index} ${leg?.confirmed ? 'completed' : 'without an agent'}`);
}

/** Without an agent on any leg the task is listed again. */
function release(facts: TasksOnLedger, instruction: Named<'releaseTaskLeg'>, signature: string): void {
  const task = taskIn(facts, instruction, ['in_progress'], signature);
  const assignment = openLeg(task, instruction, signature);
  assignment.releaseSignature = signature;
  task.steps.push({ kind: 'released', assignment, signature });
  if (heldLegs(task).length === 0) become(task, 'listed', signature);
}

function confirm(facts: TasksOnLedger, instruction: Named<'confirmTaskLeg'>, signature: string): void {
  const task = taskIn(facts, instruction, ['in_progress'], signature);
  const assignment = openLeg(task, instruction, signature);
  const { index, agent, paymentLamports } = assignment;
  const next = confirmedLegs(task).length;
  if (index !== next) throw gapBefore(signature, `leg ${index} was confirmed before leg ${next}`);
  if (agent !== instruction.accounts.agent.address) throw gapBefore(signature, `leg ${index} was ${agent}'s`);
  const resultHash = Buffer.from(instruction.data.resultHash).toString('hex');
  assignment.confirmed = { signature, resultHash };
  task.steps.push({ kind: 'confirmed', assignment, signature });
  task.paidLamports += paymentLamports;
  completeLeg(facts.reputations, agent, signature);
}

/** Settlement needs every leg confirmed, reclaim at least one that is not; both close every leg that has an agent. */
function end(facts: TasksOnLedger, instruction: Named<'settleTask' | 'reclaimTask'>, signature: string): void {
  const settles = instruction.name === 'settleTask';
  const task = taskIn(facts, instruction, ['in_progress'], signature);
  const confirmed = confirmedLegs(task).length;
  if ((confirmed === task.numLegs) !== settles) {
    throw gapBefore(signature, `${instruction.name} found ${confirmed} of ${task.numLegs} legs confirmed`);
  }
  const closed = instruction.legs.map((leg) => leg.taskLeg.address).join(' ');
  const held = heldLegs(task).map((leg) => leg.address);
  if (closed !== held.join(' ')) {
    throw gapBefore(signature, `${instruction.name} closed other legs than the ${held.length} with an agent`);
  }
  become(task, settles ? 'completed' : 'reclaimed', signature);
}
