import { assetOf, isEarning, told } from '../ledger/assets.js';
import type { LegWithoutResult } from '../db/schema/tasks.js';
import type { Named } from '@legwork/program-client';
import { type Lamports, toLamports } from '@legwork/protocol/contract';
import { legShare, readResultDocument } from '@legwork/protocol/rules';
import { announceReleased, isAssignmentDecided, vacatedBy } from '../coordinator/taskWork.js';
import { nameArtifacts, storedOf } from '../artifacts/artifactRows.js';
import type { Trx } from '../db/connect.js';
import { markAssigned, markConfirmed, markReleased } from './claimRows.js';
import { addEarnings } from '../money/rewardRows.js';
import { claimShown } from './replayed.js';
import { bar, legsOf, markTurn, noteHeldElsewhere, releasesOf } from './taskLegRows.js';
import { slotOf } from '../db/ledgerTransactions.js';
import { countAssignment, markTaskInProgress, markTaskListedAgain } from './taskRows.js';
import { appendEvent } from '../db/events.js';
import type { StageColumns } from '../legs/moveRows.js';
import type { DigitalTaskRow, TermsJson } from '../db/schema.js';
import { taskSubject } from '../db/listings.js';
import { readEvidence } from '../legs/turnRows.js';
import { foldOnto, legsIn } from '../mirror/facts.js';
import { completedColumns, writeFolded } from '../legs/mirrorMoves.js';
import { type Applying, beganBy, goOn, outcomeOf, type Projection } from '../mirror/projection.js';

/** The instructions about one leg of a digital task. */
export type LegInstruction = Named<'assignTaskLeg' | 'releaseTaskLeg' | 'confirmTaskLeg'>;

/** A leg of a digital task, with the task. */
interface LegOfTask {
  task: DigitalTaskRow;
  leg: LegWithoutResult;
}

/**
 * Projects an instruction about a leg of the task into the mirror. Only the coordinator's key gives and takes legs, and without terms
 * pays them: what was not decided here means that somebody else has that key.
 */
export async function projectLeg(
  applying: Applying,
  task: DigitalTaskRow,
  instruction: LegInstruction,
): Promise<Projection> {
  const { trx, log, signature, isInOrder } = applying;
  const onChainLeg = instruction.accounts.taskLeg.address;
  const leg = (await legsOf(trx, task.id)).find((one) => one.on_chain_leg === onChainLeg);
  const projection = leg ? await projectOfLeg(applying, { task, leg }, instruction) : 'foreign';
  if (projection === 'foreign' && isInOrder) {
    log.warn(
      { taskId: task.id, legId: leg?.id, name: instruction.name, transaction: signature },
      'the ledger shows something about a leg that was not decided here',
    );
  }
  return projection;
}

async function projectOfLeg(applying: Applying, of: LegOfTask, instruction: LegInstruction): Promise<Projection> {
  if (instruction.name === 'assignTaskLeg') return projectAssignment(applying, of, instruction);
  if (instruction.name === 'confirmTaskLeg') return projectConfirmation(applying, of, instruction);
  return projectRelease(applying, of, instruction);
}

async function projectAssignment(
  applying: Applying,
  { task, leg }: LegOfTask,
  instruction: Named<'assignTaskLeg'>,
): Promise<Projection> {
  const { trx, signature } = applying;
  if (leg.assign_signature === signature) return 'known';
  const agent = instruction.accounts.agent.address;
  // Each assignment has a number, also one that was not decided here. Rule T-73
  if (task.terms !== null) task.formation = await countAssignment(trx, task.id);
  const [released, isDecided] = await Promise.all([releasesOf(trx, leg.id), isAssignmentDecided(trx, leg)]);
  // An agent never gets a leg again that was taken from it: this is the assignment before that.
  if (released.some((release) => release.agent_pubkey === agent)) return 'known';
  if (applying.isReplay) {
    const taken = await claimShown(applying, task, leg, agent);
    return outcomeOf(await recordAssigned(applying, task, taken), applying, null);
  }
  if (leg.agent_pubkey !== agent || !isDecided) {
    await noteHeldElsewhere(trx, leg.id, agent);
    return 'foreign';
  }
  return outcomeOf(await recordAssigned(applying, task, leg), applying, leg.assign_signature);
}

/** The claim is assigned: its agent's clock starts, its task is under way. Rule M-56. */
async function recordAssigned(applying: Applying, task: DigitalTaskRow, claimed: LegWithoutResult): Promise<boolean> {
  const { trx, signature } = applying;
  const turn = task.terms && turnBegun(applying, task, task.terms);
  const leg = await markAssigned(trx, claimed, { signature, claimTimeoutSec: task.claim_timeout_sec, turn });
  if (!leg) return false;
  const { agent_pubkey: agentPubkey, due_at: dueAt } = leg;
  if (agentPubkey === null || dueAt === null) throw new Error(`leg ${leg.id} is assigned to nobody`);
  const assigned = { taskId: task.id, legId: leg.id, legIndex: leg.leg_index, agentPubkey, dueAt, signature };
  appendEvent(trx, 'TASK_LEG_ASSIGNED', taskSubject(task.id), assigned);
  await markTaskInProgress(trx, task.id);
  return true;
}

/** The turn of an agent that has just got the leg. */
function turnBegun(applying: Applying, { formation }: DigitalTaskRow, { handoffSec }: TermsJson) {
  const begun = beganBy(applying);
  const until = new Date(begun.since.getTime() + handoffSec * 1000);
  return { stage: 'pending' as const, formation, ...begun, until };
}

/** The leg is open again, its agent barred from the task. Rules M-57, M-60. */
async function projectRelease(
  applying: Applying,
  { leg }: LegOfTask,
  instruction: Named<'releaseTaskLeg'>,
): Promise<Projection> {
  const { trx, signature } = applying;
  const released = await releasesOf(trx, leg.id);
  if (released.some((release) => release.release_signature === signature)) return 'known';
  if (leg.held_elsewhere !== null) await noteHeldElsewhere(trx, leg.id, null);
  const named = instruction.accounts.agent?.address;
  if (released.some((release) => release.agent_pubkey === named)) return 'foreign';
  if (named !== leg.agent_pubkey && !(await isAssignedBefore(applying, leg, named))) return 'foreign';
  return outcomeOf(await recordReleased(applying, leg), applying, null);
}

/**
 * The program does not check which agent a release names, and older ones name none: the ledger's order says whose claim ends.
 * Within one slot a name counts.
 */
async function isAssignedBefore({ trx, slot }: Applying, leg: LegWithoutResult, named?: string): Promise<boolean> {
  const assignedIn = leg.assign_signature === null ? undefined : await slotOf(trx, leg.assign_signature);
  if (assignedIn === undefined) return false;
  return assignedIn < slot || (assignedIn === slot && named === undefined);
}

/** A task with no leg in work or completed is listed again. */
async function recordReleased({ trx, signature, isReplay }: Applying, leg: LegWithoutResult): Promise<boolean> {
  if (leg.agent_pubkey === null || !(await markReleased(trx, leg))) return false;
  const shown = isReplay && leg.stage !== null ? await vacatedBy(trx, leg.id) : 'released';
  const reason = leg.release_reason ?? shown;
  await bar(trx, {
    task_id: leg.task_id,
    agent_pubkey: leg.agent_pubkey,
    leg_id: leg.id,
    reason,
    release_signature: signature,
  });
  await markTaskListedAgain(trx, leg.task_id);
  announceReleased(trx, leg, reason, signature);
  return true;
}

/** Counts the result that the agent was paid for, even if another one was handed in here: the ledger is the truth. */
async function projectConfirmation(
  applying: Applying,
  { task, leg }: LegOfTask,
  instruction: Named<'confirmTaskLeg'>,
): Promise<Projection> {
  const { log, signature } = applying;
  const { accounts, data } = instruction;
  if (leg.confirm_signature === signature) return 'known';
  if (leg.status !== 'in_progress' || leg.agent_pubkey !== accounts.agent.address) return 'foreign';
  const resultHash = Buffer.from(data.resultHash).toString('hex');
  if (task.terms !== null) return projectEndOfTurn(applying, { task, leg }, instruction, resultHash);
  if (resultHash !== leg.result_hash) {
    log.warn(
      { taskId: leg.task_id, legId: leg.id, confirmed: resultHash, handedIn: leg.result_hash, transaction: signature },
      'the ledger shows a result confirmed that was not handed in here',
    );
  }
  const paymentLamports = legShare(task.max_budget_lamports, task.num_legs);
  return outcomeOf(await recordConfirmed(applying, { task, leg }, { resultHash, paymentLamports }), applying, null);
}

/** With terms, what a confirmation pays depends on every move before it. */
async function projectEndOfTurn(
  applying: Applying,
  { task, leg }: LegOfTask,
  instruction: Named<'confirmTaskLeg'>,
  resultHash: string,
): Promise<Projection> {
  const folded = applying.isInOrder ? await foldOnto(applying, task, instruction) : undefined;
  const ended = folded && legsIn(folded.after).find(({ index }) => index === leg.leg_index);
  if (!folded || !ended) return 'foreign';
  const paymentLamports = toLamports(ended.paidLamports ?? 0n);
  const result = await claimedResult(applying.trx, leg, resultHash);
  const confirmed = { resultHash, paymentLamports, columns: completedColumns(ended), result };
  if (!(await recordConfirmed(applying, { task, leg }, confirmed))) return 'foreign';
  await writeFolded(folded);
  return 'projected';
}

/** The evidence that a claim named as its result, with its files; undefined: it is not here. */
async function claimedResult(trx: Trx, leg: LegWithoutResult, hash: string): Promise<string | undefined> {
  if (leg.agent_pubkey === null) return undefined;
  const text = await readEvidence(trx, { legId: leg.id, author: leg.agent_pubkey, hash });
  if (text === undefined) return undefined;
  const { result, artifacts } = readResultDocument(text);
  const named = artifacts.map(({ sha256 }) => sha256);
  if ((await storedOf(trx, leg, named)).length < named.length) return text;
  await nameArtifacts(trx, leg, artifacts);
  return result;
}

/** The agent is paid. After the last leg that decides the settlement, before that it is the next leg's turn. Rule M-59. */
async function recordConfirmed(
  applying: Applying,
  { task, leg }: LegOfTask,
  ended: { resultHash: string; paymentLamports: Lamports; columns?: StageColumns; result?: string | undefined },
): Promise<boolean> {
  if (leg.agent_pubkey === null) return false;
  const { trx, signature } = applying;
  const { resultHash, paymentLamports } = ended;
  if (!(await markConfirmed(trx, leg, { signature, ...ended }))) return false;
  const subject = taskSubject(task.id);
  appendEvent(trx, 'TASK_LEG_COMPLETED', subject, {
    taskId: task.id,
    legId: leg.id,
    legIndex: leg.leg_index,
    agentPubkey: leg.agent_pubkey,
    ...told('payment', assetOf(applying.assets, task), paymentLamports),
    resultHash,
    signature,
  });
  const isLast = leg.leg_index === task.num_legs - 1;
  const next = isLast
    ? goOn(applying, { kind: 'settle_task', subject, key: `settle_task:${task.id}`, taskId: task.id })
    : markTurn(trx, task.id, leg.leg_index + 1);
  if (isEarning(task)) addEarnings(trx, leg.agent_pubkey, paymentLamports);
  await next;
  return true;
}
