import type { Named, TaskInstruction } from '../instructions.js';
import { endLeg, reclaimLegs } from './ends.js';
import {
  type AssignmentFacts,
  completedOf,
  countCompleted,
  countGiven,
  formationOf,
  type Held,
  heldLegs,
  newTurn,
  noteStep,
} from './legs.js';
import { become, change, close, hexOf, type ListingFacts, newListing, type TaskFacts } from './listing.js';
import { makeMove } from './moves.js';
import { type Landing, misfit } from './transaction.js';

/** A digital task with the legs that have an agent. */
interface HeldTask extends Held {
  listing: TaskFacts;
  legs: readonly AssignmentFacts[];
}

/** The facts of a new digital task, at an address that had nothing. */
export function listTask(
  former: ListingFacts | undefined,
  instruction: Named<'listTask'>,
  landing: Landing,
): TaskFacts {
  const { accounts, data } = instruction;
  const [address, poster] = [accounts.task.address, accounts.poster.address];
  const own = { kind: 'digital task' as const, address, id: data.taskId, poster };
  return { ...newListing(former, own, instruction, landing), numLegs: data.numLegs, assignments: [] };
}

/** Does to the digital task what the instruction does. */
export function applyToTask(
  task: TaskFacts,
  instruction: Exclude<TaskInstruction, Named<'listTask'>>,
  landing: Landing,
): void {
  const { signature } = landing;
  const mustBe = (...statuses: TaskFacts['status'][]) => change(task, instruction.name, statuses, signature);
  const held: HeldTask = { listing: task, legs: heldLegs(task), landing };
  switch (instruction.name) {
    case 'cancelTask':
      mustBe('listed');
      return become(task, 'cancelled', signature);
    case 'assignTaskLeg':
      mustBe('listed', 'in_progress');
      return assign(held, instruction);
    case 'releaseTaskLeg':
      mustBe('in_progress');
      return release(held, instruction);
    case 'confirmTaskLeg':
      mustBe('in_progress');
      return confirm(held, instruction);
    case 'settleTask':
    case 'reclaimTask':
      mustBe('in_progress');
      return end(held, instruction);
    case 'closeTask':
      mustBe('completed', 'cancelled', 'reclaimed');
      return close(task, signature);
    case 'accept':
    case 'vacate':
    case 'claim':
    case 'dispute':
    case 'rule':
      mustBe('in_progress');
      return makeMove(held, instruction);
  }
}

function assign(held: HeldTask, { accounts, data }: Named<'assignTaskLeg'>): void {
  const { listing: task, legs, landing } = held;
  const { index } = data;
  const agent = accounts.agent.address;
  if (legs.some((leg) => leg.index === index)) misfit(`leg ${index} had an agent`);
  if (legs.some((leg) => leg.courier === agent)) misfit(`${agent} had another leg of the task`);
  const next = completedOf(legs).length;
  if (task.terms && index !== next) misfit(`leg ${index} was given away before leg ${next}`);
  const assignment: AssignmentFacts = {
    index,
    address: accounts.taskLeg.address,
    courier: agent,
    rentPayer: accounts.coordinator.address,
    paymentLamports: task.budgetLamports / BigInt(task.numLegs),
    formation: task.terms ? formationOf(task) + 1 : 0,
    assignSignature: landing.signature,
    isReplacement: false,
    releaseSignature: null,
    confirmSignature: null,
    paidLamports: null,
    resultHash: null,
    turn: task.terms && newTurn(landing, data),
  };
  task.assignments.push(assignment);
  noteStep(held, assignment, 'assign', accounts.coordinator.address);
  if (task.status === 'listed') become(task, 'in_progress', landing.signature);
  countGiven(held, assignment, accounts.reputation.address);
}

/** The leg of an instruction, which must have an agent and not be completed. */
function openLeg(
  { legs }: HeldTask,
  { name, accounts, data }: Named<'releaseTaskLeg' | 'confirmTaskLeg'>,
): AssignmentFacts {
  const leg = legs.find((held) => held.index === data.index);
  if (leg?.address === accounts.taskLeg.address && leg.confirmSignature === null) return leg;
  return misfit(`${name} found leg ${data.index} ${leg?.confirmSignature ? 'completed' : 'without an agent'}`);
}

/** With terms the leg is vacant. Without an agent on any leg the task is listed again. */
function release(held: HeldTask, instruction: Named<'releaseTaskLeg'>): void {
  const { listing: task, landing } = held;
  const { signature } = landing;
  const assignment = openLeg(held, instruction);
  const { index, turn } = assignment;
  if (turn && turn.stage !== 'vacant') misfit(`releaseTaskLeg found leg ${index} ${turn.stage}`);
  assignment.releaseSignature = signature;
  noteStep(held, assignment, 'release', instruction.accounts.coordinator.address);
  if (heldLegs(task).length === 0) become(task, 'listed', signature);
}

function confirm(held: HeldTask, instruction: Named<'confirmTaskLeg'>): void {
  const { accounts, data } = instruction;
  const assignment = openLeg(held, instruction);
  const { index, courier, turn } = assignment;
  const next = completedOf(held.legs).length;
  if (index !== next) misfit(`leg ${index} was confirmed before leg ${next}`);
  if (courier !== accounts.agent.address) misfit(`leg ${index} was ${courier}'s`);
  const resultHash = hexOf(data.resultHash);
  if (turn && turn.evidenceHash !== resultHash)
    misfit(`leg ${index} was confirmed with another result than was claimed`);
  assignment.resultHash = resultHash;
  endLeg(held, assignment, accounts.signer.address);
  countCompleted(held, assignment);
}

/** Settlement needs every leg confirmed, reclaim at least one that is not; both close every leg that has an agent. */
function end(held: HeldTask, { name, accounts, legs: closing }: Named<'settleTask' | 'reclaimTask'>): void {
  const { listing: task, legs, landing } = held;
  const settles = name === 'settleTask';
  const confirmed = completedOf(legs).length;
  if ((confirmed === task.numLegs) !== settles) misfit(`${name} found ${confirmed} of ${task.numLegs} legs confirmed`);
  const closed = closing.map(({ taskLeg }) => taskLeg.address).join(' ');
  if (closed !== legs.map((leg) => leg.address).join(' ')) {
    misfit(`${name} closed other legs than the ${legs.length} with an agent`);
  }
  if (!settles) reclaimLegs(held, name, accounts.signer.address);
  become(task, settles ? 'completed' : 'reclaimed', landing.signature);
}
