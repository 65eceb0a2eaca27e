import type { RelayInstruction } from '@legwork/program-client';
import type { Logger } from 'pino';
import type { Trx } from '../db/connect.js';
import { projectedAmong } from '../db/appliedInstructions.js';
import { legsOf, type LegWithoutResult, noteHeldElsewhere, releasesOf } from '../db/digitalLegs.js';
import { markTaskClosed } from '../db/digitalTasks.js';
import type { DigitalTaskRow } from '../db/schema.js';
import { isAssignmentDecided } from '../coordinator/taskWork.js';
import { recordTaskEnded } from './taskEnded.js';
import { assigns, recordTaskLegAssigned } from './taskLegAssigned.js';
import { confirmedHash, recordTaskLegConfirmed } from './taskLegConfirmed.js';
import { recordTaskLegReleased } from './taskLegReleased.js';
import { recordTaskListed, taskListingDepartures } from './taskListed.js';
import { recordTaskSettled } from './taskSettled.js';
import { changed, type Landed, type Named, type Projection } from './projection.js';

/** The instructions about a digital task. */
export type TaskInstruction = Extract<RelayInstruction, { accounts: { task: object } }>;

async function projectListing(
  trx: Trx,
  log: Logger,
  task: DigitalTaskRow,
  instruction: Named<'listTask'>,
  { signature }: Landed,
): Promise<Projection> {
  const departures = taskListingDepartures(instruction, task) ?? [];
  if (departures.length === 0) return changed(await recordTaskListed(trx, task, signature));
  log.debug({ taskId: task.id, departures }, 'a listing is not of its draft and counts for nothing');
  return 'foreign';
}

async function projectAssignment(
  trx: Trx,
  leg: LegWithoutResult,
  instruction: Named<'assignTaskLeg'>,
  { signature }: Landed,
): Promise<Projection> {
  const agent = instruction.accounts.agent.address;
  // No agent has a leg again that was taken from it: this is how it had it before.
  if ((await releasesOf(trx, leg.id)).some((release) => release.agent_pubkey === agent)) return 'known';
  const isDecided = assigns(instruction, leg) && (await isAssignmentDecided(trx, leg));
  if (isDecided) return changed(await recordTaskLegAssigned(trx, leg, signature));
  await noteHeldElsewhere(trx, leg.id, agent);
  return 'foreign';
}

/** A release names no agent: it is of the present claim if that claim's assignment came before it in the ledger's history. */
async function projectRelease(trx: Trx, leg: LegWithoutResult, { signature }: Landed): Promise<Projection> {
  if (leg.held_elsewhere !== null) await noteHeldElsewhere(trx, leg.id, null);
  if ((await releasesOf(trx, leg.id)).some((release) => release.release_signature === signature)) return 'known';
  const { assign_signature: assignment } = leg;
  const isAfter = assignment !== null && (await projectedAmong(trx, [assignment])).has(assignment);
  return isAfter && leg.status === 'in_progress'
    ? changed(await recordTaskLegReleased(trx, leg, signature))
    : 'foreign';
}

/** What the agent was paid for counts, also where it is not what was handed in here: the ledger is the truth. Rule M-59. */
async function projectConfirmation(
  trx: Trx,
  log: Logger,
  leg: LegWithoutResult,
  instruction: Named<'confirmTaskLeg'>,
  { signature }: Landed,
): Promise<Projection> {
  if (leg.confirm_signature === signature) return 'known';
  const resultHash = confirmedHash(instruction, leg);
  if (leg.status !== 'in_progress' || resultHash === undefined) return 'foreign';
  if (resultHash !== leg.result_hash) {
    log.warn(
      { taskId: leg.task_id, legId: leg.id, confirmed: resultHash, handedIn: leg.result_hash, transaction: signature },
      'the ledger shows a result confirmed that was not handed in here',
    );
  }
  return changed(await recordTaskLegConfirmed(trx, leg, { signature, resultHash }));
}

type LegInstruction = Named<'assignTaskLeg' | 'releaseTaskLeg' | 'confirmTaskLeg'>;

async function projectOfLeg(
  trx: Trx,
  log: Logger,
  leg: LegWithoutResult,
  instruction: LegInstruction,
  landed: Landed,
): Promise<Projection> {
  if (instruction.name === 'assignTaskLeg') return projectAssignment(trx, leg, instruction, landed);
  if (instruction.name === 'confirmTaskLeg') return projectConfirmation(trx, log, leg, instruction, landed);
  return projectRelease(trx, leg, landed);
}

/** Only the coordinator's key moves legs: what was not decided here means that somebody else has it. */
async function projectLeg(
  trx: Trx,
  log: Logger,
  task: DigitalTaskRow,
  instruction: LegInstruction,
  landed: Landed,
): Promise<Projection> {
  const onChainLeg = instruction.accounts.taskLeg.address;
  const leg = (await legsOf(trx, task.id)).find((one) => one.on_chain_leg === onChainLeg);
  const projection = leg ? await projectOfLeg(trx, log, leg, instruction, landed) : 'foreign';
  if (projection === 'foreign') {
    const { name } = instruction;
    log.warn(
      { taskId: task.id, legId: leg?.id, name, transaction: landed.signature },
      'the ledger shows something about a leg that was not decided here',
    );
  }
  return projection;
}

/** Projects an instruction about the digital task, whose lock the caller holds, into the mirror. */
export async function projectTaskInstruction(
  trx: Trx,
  log: Logger,
  task: DigitalTaskRow,
  instruction: TaskInstruction,
  landed: Landed,
): Promise<Projection> {
  const { signature } = landed;
  switch (instruction.name) {
    case 'listTask':
      return projectListing(trx, log, task, instruction, landed);
    case 'assignTaskLeg':
    case 'releaseTaskLeg':
    case 'confirmTaskLeg':
      return projectLeg(trx, log, task, instruction, landed);
    case 'settleTask':
      return changed(await recordTaskSettled(trx, task.id, signature));
    case 'cancelTask':
      return changed(await recordTaskEnded(trx, task.id, 'cancelled', signature));
    case 'reclaimTask':
      return changed(await recordTaskEnded(trx, task.id, 'reclaimed', signature));
    case 'closeTask':
      break;
  }
  return changed(await markTaskClosed(trx, task.id, signature));
}
