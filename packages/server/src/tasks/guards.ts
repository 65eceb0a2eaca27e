import type { LegWithoutResult } from '../db/schema/tasks.js';
import { isTerminal, LegworkError } from '@legwork/protocol/contract';
import type { Db, Trx } from '../db/connect.js';
import { legsOf } from './taskLegRows.js';
import { type ListedTaskRow, lockTask } from './taskRows.js';
import type { DigitalTaskRow } from '../db/schema.js';
import { inOrder } from '../db/transaction.js';
import { listed, requireTask, TASK } from '../listings/kinds.js';
import { requireNotHalted } from '../operations/guards.js';

/** The inputs to how much time its legs have. */
export const timeOf = ({ claim_timeout_sec: claimTimeoutSec, terms, deadline }: DigitalTaskRow) => ({
  claimTimeoutSec,
  terms,
  deadlineMs: deadline.getTime(),
});

/** The target of a path: a leg of a task. */
interface Path {
  taskId: string;
  legId: string;
}

/** A leg with its task and all its legs, in order. */
export interface LegInTask {
  task: ListedTaskRow;
  legs: LegWithoutResult[];
  leg: LegWithoutResult;
}

function pick(task: ListedTaskRow, legs: LegWithoutResult[], legId: string): LegInTask {
  const leg = legs.find((candidate) => candidate.id === legId);
  if (!leg) throw LegworkError.field('not_found', 'legId', 'the task has no leg with this id');
  return { task, legs, leg };
}

/** The leg as it is now. @throws LegworkError `not_found` */
export async function requireLegOf(db: Db, { taskId, legId }: Path): Promise<LegInTask> {
  const [task, legs] = await inOrder(db, (on) => Promise.all([requireTask(on, taskId), legsOf(on, taskId)]));
  return pick(task, legs, legId);
}

/** The leg, locked until the transaction ends, for a call that changes it. @throws LegworkError `not_found`, `ledger_reverted` */
export async function lockLegOf(trx: Trx, { taskId, legId }: Path): Promise<LegInTask> {
  const [task, , legs] = await Promise.all([
    lockTask(trx, taskId).then((row) => listed(TASK, row)),
    requireNotHalted(trx, TASK, taskId, 'taskId'),
    legsOf(trx, taskId),
  ]);
  return pick(task, legs, legId);
}

/** Reports whether every leg before this one is completed, so that its agent can work. `legs` are all legs of the task. Rule M-56. */
export function isLegWorkable(
  task: Pick<ListedTaskRow, 'status'>,
  legs: readonly Pick<LegWithoutResult, 'leg_index' | 'status'>[],
  legIndex: number,
): boolean {
  if (isTerminal('task', task.status)) return false;
  return legs.every((leg) => leg.leg_index >= legIndex || leg.status === 'completed');
}

/**
 * Reports whether the key may read the result of the leg, its files too: everybody once it is confirmed, before that its agent
 * alone; with terms poster and receiver too once it is claimed, and the arbiter while it is disputed. Rules M-58, T-92.
 */
export function mayReadResult({ task, leg }: Pick<LegInTask, 'task' | 'leg'>, pubkey: string | undefined): boolean {
  if (leg.status === 'completed') return true;
  if (pubkey === undefined) return false;
  if (leg.agent_pubkey === pubkey) return true;
  const { terms, shipper_pubkey: poster } = task;
  if (terms === null || leg.evidence_hash === null) return false;
  if (pubkey === terms.arbiterPubkey) return leg.stage === 'disputed';
  return pubkey === poster || pubkey === terms.receiverPubkey;
}

/** The caller about a leg of its own. */
export interface Holder {
  agentPubkey: string;
  /** True if the agent's key signed the call. */
  signed: boolean;
}

/** @throws LegworkError `not_your_leg`, also once the claim has ended */
export function requireHolder({ leg }: LegInTask, { agentPubkey }: Pick<Holder, 'agentPubkey'>): void {
  if (leg.agent_pubkey === agentPubkey) return;
  const holder = leg.agent_pubkey === null ? 'nobody has it' : `${leg.agent_pubkey} has it`;
  throw LegworkError.field('not_your_leg', 'legId', `is not a leg of ${agentPubkey}: ${holder}`);
}

/** @throws LegworkError `signed_before` when an unsigned call is about a claim that was signed. Rule S-60 */
export function requireSameHand({ leg }: LegInTask, { agentPubkey, signed }: Holder): void {
  if (signed || leg.signed === false) return;
  throw LegworkError.field(
    'signed_before',
    'agentPubkey',
    `${agentPubkey} claimed this leg by a signed call, and only signed calls complete or release it; sign the request`,
  );
}

/** @throws LegworkError `leg_out_of_order` while the leg is reserved only. Rule M-55 */
export function requireWorkable({ task, legs, leg }: LegInTask): void {
  if (leg.status !== 'pending' || isLegWorkable(task, legs, leg.leg_index)) return;
  if (isTerminal('task', task.status)) return;
  const next = legs.find((candidate) => candidate.status !== 'completed');
  throw LegworkError.field(
    'leg_out_of_order',
    'legId',
    `is reserved: legs are worked on in order, and this is leg ${leg.leg_index} while leg ${next?.leg_index} (${next?.id}) is not completed`,
  );
}

/** @throws LegworkError `invalid_status` once the results of the task were erased: they are not to come back */
export function requireNotErased({ task }: LegInTask): void {
  if (task.erased_at === null) return;
  throw LegworkError.field('invalid_status', 'taskId', 'names a task that is over and whose results were erased');
}

/** @throws LegworkError `invalid_status` once the task is over */
export function requireOpenTask({ task, leg }: LegInTask): void {
  if (!isTerminal('task', task.status)) return;
  throw LegworkError.field('invalid_status', 'taskId', `names a task that is ${task.status}; its leg is ${leg.status}`);
}

/** @throws LegworkError `invalid_status` while the leg's release is under way. Rule M-57 */
export function requireKept({ leg }: LegInTask): void {
  if (leg.release_reason === null) return;
  const why = leg.release_reason === 'timeout' ? 'the time for it ran out' : 'it was given back';
  throw LegworkError.field('invalid_status', 'legId', `names a leg whose release is under way: ${why}`);
}
