import { type Assets, inAsset, lamportsOf, solOf } from '../ledger/assets.js';
import type { LegWithoutResult } from '../db/schema/tasks.js';
import {
  type Artifact,
  type DigitalLegDetail,
  type DigitalLegView,
  type DigitalTaskDetail,
  type DigitalTaskView,
  explorerLink,
  isTerminal,
  type ShownLedger,
} from '@legwork/protocol/contract';
import { hasTimeForLeg, legShare } from '@legwork/protocol/rules';
import type { AppContext } from '../context.js';
import { artifactsOfTask } from '../artifacts/artifactRows.js';
import { finalityOf, type NotFinal, readNotFinal } from '../db/finality.js';
import { legsWithResultsOf, legsByTask } from './taskLegRows.js';
import { type ListedTaskRow, countTasks, pageOfTasks } from './taskRows.js';
import type { DigitalLegRow } from '../db/schema.js';
import { taskSubject } from '../db/listings.js';
import { inSnapshot, inTransaction } from '../db/transaction.js';
import { readTerms } from '../ledger/terms.js';
import { transactionLink, viewTurn } from '../legs/read.js';
import { requireTask, TASK } from '../listings/kinds.js';
import { isLegWorkable, timeOf } from './guards.js';
import type { In, Out } from '../operations/run.js';
import { cutPage, idPosition, readCursor } from '../operations/cursor.js';
import { foundBy } from '../work/search.js';
import { readEscrow } from '../money/escrow.js';

/**
 * The task with its legs and results, all read in one snapshot: else a leg that is released between two reads would contradict
 * the status of its task.
 *
 * @throws LegworkError `not_found`
 */
export async function readTask(
  { db, ledger, shownLedger, clock }: Pick<AppContext, 'db' | 'ledger' | 'shownLedger' | 'clock'>,
  taskId: string,
): Promise<DigitalTaskDetail> {
  const [task, legs, artifacts, notFinal] = await inSnapshot(db, (trx) =>
    Promise.all([
      requireTask(trx, taskId),
      legsWithResultsOf(trx, taskId),
      artifactsOfTask(trx, taskId),
      readNotFinal(trx, [taskSubject(taskId)]),
    ]),
  );
  const at = { assets: ledger.assets, now: clock(), notFinal };
  const shown = viewTask(task, legs, at);
  return {
    ...shown,
    legs: legs.map((leg) => ({
      ...viewLeg(task, legs, leg, at),
      ...resultOf(shownLedger, leg, artifacts.get(leg.id)),
    })),
    salt: task.salt,
    resourceUri: resourceUriOf(task.id),
    explorer: {
      onChainTask: explorerLink(shownLedger, 'address', shown.onChainTask),
      onChainVault: explorerLink(shownLedger, 'address', shown.onChainVault),
      listSignature: explorerLink(shownLedger, 'tx', shown.listSignature),
      settleSignature: transactionLink(shownLedger, shown.settleSignature),
      endSignature: transactionLink(shownLedger, shown.endSignature),
    },
  };
}

/** When tasks are shown, and what of them was not final then. */
interface ShownAt {
  assets: Assets;
  now: Date;
  notFinal: NotFinal;
}

/** @param legs all of the task, in order */
function viewTask(task: ListedTaskRow, legs: readonly LegWithoutResult[], at: ShownAt): DigitalTaskView {
  if (task.list_signature === null || task.listed_at === null) {
    throw new Error(`task ${task.id} is ${task.status} without a listing`);
  }
  const share = legShare(task.max_budget_lamports, task.num_legs);
  return {
    id: task.id,
    status: task.status,
    failureReason: task.failure_reason,
    finality: finalityOf(at.notFinal, taskSubject(task.id)),
    shipperPubkey: task.shipper_pubkey,
    funderPubkey: task.funder_pubkey,
    title: task.title,
    description: task.description,
    isPlanned: task.is_planned,
    numLegs: task.num_legs,
    completedLegs: legs.filter((leg) => leg.status === 'completed').length,
    ...inAsset(at.assets, task),
    maxBudget: task.max_budget_lamports,
    maxBudgetSol: solOf(task, task.max_budget_lamports),
    maxBudgetLamports: lamportsOf(task, task.max_budget_lamports),
    paymentPerLeg: share,
    paymentPerLegSol: solOf(task, share),
    paymentPerLegLamports: lamportsOf(task, share),
    claimTimeoutSec: task.claim_timeout_sec,
    deadline: task.deadline,
    termsHash: task.terms_hash,
    onChainTask: task.on_chain_task,
    onChainVault: task.on_chain_vault,
    listSignature: task.list_signature,
    listedAt: task.listed_at,
    settleSignature: task.settle_signature,
    refund: task.refund_lamports,
    refundLamports: task.refund_lamports && lamportsOf(task, task.refund_lamports),
    endSignature: task.end_signature,
    erasedAt: task.erased_at,
    documentKnown: task.document_known,
    terms: task.terms && readTerms(task.terms, task),
    requirements: task.requirements,
    legs: legs.map((leg) => viewLeg(task, legs, leg, at)),
  };
}

function viewLeg(
  task: ListedTaskRow,
  legs: readonly LegWithoutResult[],
  leg: LegWithoutResult,
  { now, notFinal }: ShownAt,
): DigitalLegView {
  return {
    id: leg.id,
    legIndex: leg.leg_index,
    instruction: leg.instruction,
    status: leg.status,
    finality: finalityOf(notFinal, taskSubject(task.id), leg.confirm_signature),
    isOpen: isLegOpen(task, leg, now),
    isWorkable: isLegWorkable(task, legs, leg.leg_index),
    agentPubkey: leg.agent_pubkey,
    bid: leg.bid_lamports,
    bidLamports: leg.bid_lamports && lamportsOf(task, leg.bid_lamports),
    claimedAt: leg.claimed_at,
    dueAt: isAtWork(leg) ? leg.due_at : null,
    payment: leg.payment_lamports,
    paymentLamports: leg.payment_lamports && lamportsOf(task, leg.payment_lamports),
    completedAt: leg.completed_at,
    ...viewTurn('task', leg, { terms: task.terms, now }),
  };
}

/** True if the leg's agent is to hand in a result; with terms, to accept it or to claim. */
export function isAtWork({ status, stage }: Pick<DigitalLegRow, 'status' | 'stage'>): boolean {
  return status === 'in_progress' && (stage === null || stage === 'pending' || stage === 'accepted');
}

/** True if an agent can claim the leg at this instant. Rule M-54. */
function isLegOpen(task: ListedTaskRow, leg: LegWithoutResult, now: Date): boolean {
  const isTaken = leg.status !== 'pending' || leg.agent_pubkey !== null || leg.held_elsewhere !== null;
  if (isTaken || isTerminal('task', task.status)) return false;
  return hasTimeForLeg(timeOf(task), now.getTime());
}

/** The addition of a detail to {@link viewLeg}: the result, if it is stored, once the ledger has confirmed it. Rules M-58, M-59. */
function resultOf(
  ledger: ShownLedger,
  leg: DigitalLegRow,
  artifacts: Artifact[] = [],
): Omit<DigitalLegDetail, keyof DigitalLegView> {
  const { result, result_hash: hash } = leg;
  const isReadable = leg.status === 'completed';
  const shown = isReadable ? result : null;
  return {
    hasResult: hash !== null || leg.evidence_hash !== null,
    result: shown,
    resultBytes: shown === null ? null : Buffer.byteLength(shown),
    resultHash: isReadable ? hash : null,
    artifacts: shown === null ? [] : artifacts,
    onChainLeg: leg.on_chain_leg,
    assignSignature: leg.assign_signature,
    confirmSignature: leg.confirm_signature,
    explorer: {
      onChainLeg: explorerLink(ledger, 'address', leg.on_chain_leg),
      assignSignature: transactionLink(ledger, leg.assign_signature),
      confirmSignature: transactionLink(ledger, leg.confirm_signature),
    },
  };
}

/** The MCP resource that reads as GET /digital-tasks/{id} does. Rule S-56. */
export function resourceUriOf(taskId: string): string {
  return `relay://digital-tasks/${taskId}`;
}

export async function getDigitalTask(context: AppContext, { taskId }: In<'getDigitalTask'>): Out<'getDigitalTask'> {
  return { answer: await readTask(context, taskId) };
}

export async function listDigitalTasks(context: AppContext, input: In<'listDigitalTasks'>): Out<'listDigitalTasks'> {
  const { status, shipper, open, limit, cursor, ...search } = input;
  const { db } = context;
  const now = context.clock();
  const found = await foundBy(context, 'leg', { status, shipper, ...search });
  const filter = { status, shipper, openAt: open === true ? now : undefined, found };
  const [before] = readCursor(idPosition, cursor) ?? [];
  // Tasks, legs and finality of one moment.
  const { page, nextCursor, legs, notFinal } = await inTransaction(
    db,
    async (trx) => {
      const cut = cutPage(await pageOfTasks(trx, filter, { before, limit: limit + 1 }), limit, (row) => [row.id]);
      const ids = cut.page.map((row) => row.id);
      return { ...cut, legs: await legsByTask(trx, ids), notFinal: await readNotFinal(trx, ids.map(taskSubject)) };
    },
    'repeatable read',
  );
  return {
    answer: page.map((row) => viewTask(row, legs.get(row.id) ?? [], { assets: context.ledger.assets, now, notFinal })),
    nextCursor,
    total: () => countTasks(db, filter),
  };
}

export async function getTaskMoney(context: AppContext, { taskId }: In<'getTaskMoney'>): Out<'getTaskMoney'> {
  return { answer: { taskId, ...(await readEscrow(context, TASK, taskId)) } };
}
