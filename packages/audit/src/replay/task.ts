import type { MoveInstruction, Named, TaskInstruction } from '@legwork/program-client';
import { unwrapOption } from '@solana/kit';
import { gapBefore } from '../errors.js';
import { endLeg } from './confirm.js';
import type { Landing } from './landing.js';
import { completedOf, type Held, type LegFacts, newTurn, type StepFacts, stepOf } from './legs.js';
import { become, close, listingIn, type ListingFacts, newListing } from './listing.js';
import { replayMove } from './moves.js';
import { reclaimLegs } from './replacement.js';
import { completeLeg, giveLeg, type Reputations } from './reputations.js';

/** The status of a digital task on the ledger. */
export type TaskLedgerStatus = 'listed' | 'in_progress' | 'completed' | 'cancelled' | 'reclaimed';

/** A leg that an agent got, also after its release or the closing of its account. */
export interface AssignmentFacts extends LegFacts {
  rentPayer: string;
  /** Null: not released. */
  releaseSignature: string | null;
  /** Lower-case hexadecimal; null: not confirmed. */
  resultHash: string | null;
}

/** A digital task as its transactions made it. */
export interface TaskFacts extends ListingFacts {
  kind: 'digital task';
  status: TaskLedgerStatus;
  numLegs: number;
  /** Released ones too, in the order of the ledger. */
  assignments: AssignmentFacts[];
  /** What was done to legs, in the order of the ledger. */
  steps: StepFacts[];
}

/** The digital tasks that were listed, and the agents' reputations. */
export interface TasksOnLedger {
  /** By address. */
  tasks: Map<string, TaskFacts>;
  reputations: Reputations;
}

/** The legs that have an agent, by index. */
export function heldLegs({ assignments }: TaskFacts): AssignmentFacts[] {
  return assignments
    .filter((assignment) => assignment.releaseSignature === null)
    .toSorted((one, other) => one.index - other.index);
}

/** How often its legs were given away, as the ledger counts it: with terms only. Rule T-73. */
export function formationOf({ terms, assignments }: TaskFacts): number {
  return terms === null ? 0 : assignments.length;
}

type OfListed = Exclude<TaskInstruction, Named<'listTask'> | MoveInstruction>;

/** A digital task with the legs that have an agent, and a transaction about it. */
interface HeldTask extends Held {
  listing: TaskFacts;
  legs: readonly AssignmentFacts[];
}

/** Applies the instruction to its digital task and to the reputations of its agents. */
export function replayTask(facts: TasksOnLedger, instruction: TaskInstruction, landing: Landing): void {
  const { signature } = landing;
  switch (instruction.name) {
    case 'listTask':
      return list(facts, instruction, landing);
    case 'cancelTask':
      return become(taskIn(facts, instruction, ['listed'], signature), 'cancelled', signature);
    case 'assignTaskLeg':
      return assign(facts, instruction, landing);
    case 'releaseTaskLeg':
      return release(facts, instruction, landing);
    case 'confirmTaskLeg':
      return confirm(facts, instruction, landing);
    case 'settleTask':
    case 'reclaimTask':
      return end(facts, instruction, landing);
    case 'closeTask':
      return close(taskIn(facts, instruction, ['completed', 'cancelled', 'reclaimed'], signature), signature);
    case 'accept':
    case 'vacate':
    case 'claim':
    case 'dispute':
    case 'rule':
      return replayMove(heldIn(facts, instruction, ['in_progress'], landing), instruction);
  }
}

function taskIn(
  facts: TasksOnLedger,
  { name, accounts }: OfListed | MoveInstruction,
  statuses: readonly TaskLedgerStatus[],
  signature: string,
): TaskFacts {
  const { address } = 'task' in accounts ? accounts.task : accounts.listing;
  return listingIn(facts.tasks, { name, at: address }, statuses, signature);
}

function heldIn(
  facts: TasksOnLedger,
  instruction: OfListed | MoveInstruction,
  statuses: readonly TaskLedgerStatus[],
  landing: Landing,
): HeldTask {
  const listing = taskIn(facts, instruction, statuses, landing.signature);
  return { listing, legs: heldLegs(listing), steps: listing.steps, landing, reputations: facts.reputations };
}

function list(facts: TasksOnLedger, { accounts, data }: Named<'listTask'>, landing: Landing): void {
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
    terms: unwrapOption(data.terms),
  };
  const listing = newListing(facts.tasks, listed, landing.signature);
  facts.tasks.set(listed.address, { ...listing, numLegs: data.numLegs, assignments: [], steps: [] });
  landing.fillOrEmpty(listed.vault);
}

function assign(facts: TasksOnLedger, instruction: Named<'assignTaskLeg'>, landing: Landing): void {
  const { listing: task, legs } = heldIn(facts, instruction, ['listed', 'in_progress'], landing);
  const { signature } = landing;
  const { accounts, data } = instruction;
  const { index } = data;
  const agent = accounts.agent.address;
  if (legs.some((leg) => leg.index === index)) throw gapBefore(signature, `leg ${index} had an agent`);
  if (legs.some((leg) => leg.courier === agent)) throw gapBefore(signature, `${agent} had another leg of the task`);
  const next = completedOf(legs).length;
  if (task.terms && index !== next) throw gapBefore(signature, `leg ${index} was given away before leg ${next}`);
  const assignment: AssignmentFacts = {
    index,
    address: accounts.taskLeg.address,
    courier: agent,
    rentPayer: accounts.coordinator.address,
    paymentLamports: task.budgetLamports / BigInt(task.numLegs),
    formation: task.terms ? formationOf(task) + 1 : 0,
    assignSignature: signature,
    isReplacement: false,
    releaseSignature: null,
    confirmSignature: null,
    paidLamports: null,
    resultHash: null,
    turn: task.terms && newTurn(landing, data),
  };
  task.assignments.push(assignment);
  task.steps.push(stepOf(assignment, 'assign', accounts.coordinator.address, landing));
  if (task.status === 'listed') become(task, 'in_progress', signature);
  giveLeg(facts.reputations, assignment, accounts.reputation.address, signature);
}

/** The leg of an instruction, which must have an agent and not be completed. */
function openLeg(
  { legs, landing }: HeldTask,
  { name, accounts, data }: Named<'releaseTaskLeg' | 'confirmTaskLeg'>,
): AssignmentFacts {
  const leg = legs.find((held) => held.index === data.index);
  if (leg?.address === accounts.taskLeg.address && leg.confirmSignature === null) return leg;
  const found = leg?.confirmSignature ? 'completed' : 'without an agent';
  throw gapBefore(landing.signature, `${name} found leg ${data.index} ${found}`);
}

/** With terms the leg is vacant. Without an agent on any leg the task is listed again. */
function release(facts: TasksOnLedger, instruction: Named<'releaseTaskLeg'>, landing: Landing): void {
  const held = heldIn(facts, instruction, ['in_progress'], landing);
  const { listing: task, steps } = held;
  const { signature } = landing;
  const assignment = openLeg(held, instruction);
  const { index, turn } = assignment;
  if (turn && turn.stage !== 'vacant') throw gapBefore(signature, `releaseTaskLeg found leg ${index} ${turn.stage}`);
  assignment.releaseSignature = signature;
  steps.push(stepOf(assignment, 'release', instruction.accounts.coordinator.address, landing));
  if (heldLegs(task).length === 0) become(task, 'listed', signature);
}

function confirm(facts: TasksOnLedger, instruction: Named<'confirmTaskLeg'>, landing: Landing): void {
  const held = heldIn(facts, instruction, ['in_progress'], landing);
  const { signature } = landing;
  const { accounts, data } = instruction;
  const assignment = openLeg(held, instruction);
  const { index, courier, turn } = assignment;
  const next = completedOf(held.legs).length;
  if (index !== next) throw gapBefore(signature, `leg ${index} was confirmed before leg ${next}`);
  if (courier !== accounts.agent.address) throw gapBefore(signature, `leg ${index} was ${courier}'s`);
  const resultHash = Buffer.from(data.resultHash).toString('hex');
  if (turn && turn.evidenceHash !== resultHash) {
    throw gapBefore(signature, `leg ${index} was confirmed with another result than was claimed`);
  }
  assignment.resultHash = resultHash;
  endLeg(held, assignment, accounts.signer.address);
  completeLeg(facts.reputations, courier, signature);
}

/** Settlement needs every leg confirmed, reclaim at least one that is not; both close every leg that has an agent. */
function end(facts: TasksOnLedger, instruction: Named<'settleTask' | 'reclaimTask'>, landing: Landing): void {
  const settles = instruction.name === 'settleTask';
  const held = heldIn(facts, instruction, ['in_progress'], landing);
  const { listing: task, legs } = held;
  const { signature } = landing;
  const confirmed = completedOf(legs).length;
  if ((confirmed === task.numLegs) !== settles) {
    throw gapBefore(signature, `${instruction.name} found ${confirmed} of ${task.numLegs} legs confirmed`);
  }
  const closed = instruction.legs.map((leg) => leg.taskLeg.address).join(' ');
  if (closed !== legs.map((leg) => leg.address).join(' ')) {
    throw gapBefore(signature, `${instruction.name} closed other legs than the ${legs.length} with an agent`);
  }
  if (!settles) reclaimLegs(held, { name: instruction.name, signer: instruction.accounts.signer.address });
  become(task, settles ? 'completed' : 'reclaimed', signature);
  landing.fillOrEmpty(task.vault);
}
