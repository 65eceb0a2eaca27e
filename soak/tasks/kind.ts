import {
  type DigitalLegDetail,
  resultHash,
  type DigitalTaskDetail,
  type DigitalTaskDraft,
  everyItem,
  signDigitalTask,
  submitDigitalTask,
} from '@legwork/sdk';
import type { Address } from '@solana/kit';
import type { Comparison } from '../audit/outcome.js';
import type { Due } from '../audit/histories.js';
import { assigning, confirming, releasing } from '../audit/ledgerHistory.js';
import { leftOf } from '../terms/bound.js';
import type { FinishedTask } from './agents.js';
import { type LegRecord, UNTOUCHED } from './leg.js';
import {
  configAddress,
  fetchAllMaybeTaskLeg,
  fetchMaybeTask,
  getCancelTaskInstruction,
  getSettleTaskInstruction,
  taskAddress,
  taskLegAddress,
  TaskStatus,
  vaultAddress,
} from '@legwork/program-client';
import { uuidToBytes } from '@legwork/protocol/contract';
import type { Alone, Owned, Kind } from '../kind.js';

/**
 * The transactions that there have to be between the listing of a digital task and its end: one assignment each time a leg
 * is given out, one release or one confirmation each time it is not any more, a confirmation for the result that was taken.
 * With terms its story knows them.
 */
export function workedBy(task: FinishedTask, coordinator: Address): Due[] {
  if (task.bound) return [...task.bound.moves];
  const { listing, legs } = task;
  return listing.legs.flatMap((leg) => {
    const { givenUp, taken } = legs[leg.legIndex] ?? UNTOUCHED;
    const due = givenUp.flatMap((agent): Due[] => [
      [[assigning(leg.legIndex, agent)], coordinator, null],
      [[releasing(leg.legIndex, agent)], coordinator, null],
    ]);
    if (leg.assignSignature === null || leg.agentPubkey === null) return due;
    due.push([[assigning(leg.legIndex, leg.agentPubkey)], coordinator, leg.assignSignature]);
    if (taken && leg.confirmSignature !== null) {
      const confirmation = confirming(leg.legIndex, taken.agent, resultHash(taken.result).hex);
      due.push([[confirmation], coordinator, leg.confirmSignature]);
    }
    return due;
  });
}

/**
 * Compares the legs that the service shows with their agents' knowledge, and checks that nobody had
 * two. Where somebody handed in while the task was reclaimed, the leg may have been paid or not.
 */
export function compareLegs(task: FinishedTask, comparison: Comparison): void {
  const { listing, legs, raced, paymentLamports } = task;
  for (const leg of listing.legs) {
    const { taken } = legs[leg.legIndex] ?? UNTOUCHED;
    const isUnpaid = taken === undefined || (raced && leg.status === 'failed');
    const wanted = isUnpaid ? NOT_COMPLETED : completed(taken, leftOf(task, leg.legIndex, paymentLamports));
    const whose = taken === undefined ? 'which nobody completed' : `of which a result of ${taken.agent} was taken`;
    comparison.equal(`task ${listing.id}: leg ${leg.legIndex}, ${whose}`, shown(leg), wanted);
  }
  const agents = legs.flatMap(({ givenUp, taken }) => [...givenUp, ...(taken ? [taken.agent] : [])]);
  comparison.equal(`task ${listing.id}: its agents`, new Set(agents).size, agents.length);
  const paid = listing.legs.reduce((sum, leg) => sum + (leg.payment ?? 0n), 0n);
  const forfeited = task.bound?.forfeitedLamports ?? 0n;
  const refund = listing.status === 'completed' ? listing.maxBudget - paid + forfeited : null;
  comparison.equal(`task ${listing.id}: what went back`, listing.refund, refund);
}

const NOT_COMPLETED = ['not completed', null, null, null];

function shown({ status, agentPubkey, payment, result, resultHash: hash, confirmSignature }: DigitalLegDetail) {
  if (status !== 'completed') return ['not completed', payment, result, confirmSignature];
  return [status, agentPubkey, payment, result === null ? null : resultHash(result).hex, hash];
}

function completed({ agent, result }: NonNullable<LegRecord['taken']>, paymentLamports: bigint) {
  const { hex } = resultHash(result);
  return ['completed', agent, paymentLamports, hex, hex];
}

async function accountsOf({ programId, shipper, funder, id }: Owned) {
  const task = await taskAddress(programId, shipper.address, uuidToBytes(id));
  const [config, vault] = await Promise.all([configAddress(programId), vaultAddress(programId, task)]);
  return { signer: shipper, config, task, vault, funder };
}

/** The acts of a digital task's poster with the ledger alone. */
const TASK_ALONE: Alone = {
  async cancel(owned) {
    return getCancelTaskInstruction(await accountsOf(owned), { programAddress: owned.programId });
  },

  async settle(rpc, owned) {
    const { programId } = owned;
    const accounts = await accountsOf(owned);
    const task = await fetchMaybeTask(rpc, accounts.task, { commitment: 'confirmed' });
    if (!task.exists) return 'early';
    const { status, numLegs, completedLegs } = task.data;
    if (status > TaskStatus.InProgress) return 'over';
    if (completedLegs < numLegs) return 'early';
    const at = await Promise.all(
      [...Array(numLegs).keys()].map((index) => taskLegAddress(programId, accounts.task, index)),
    );
    const legs = await fetchAllMaybeTaskLeg(rpc, at, { commitment: 'confirmed' });
    const legsWithRentPayers = legs.flatMap((leg) => (leg.exists ? [leg.address, leg.data.rentPayer] : []));
    // The coordinator has settled it between the two reads.
    if (legsWithRentPayers.length < 2 * numLegs) return 'early';
    return getSettleTaskInstruction({ ...accounts, legsWithRentPayers }, { programAddress: programId });
  },
};

export const TASKS: Kind<DigitalTaskDetail, DigitalTaskDraft> = {
  noun: 'task',
  listing: 'listTask',
  tools: { post: 'svc_post_digital_task', get: 'svc_get_digital_task' },
  named: (taskId) => ({ taskId }),
  open: ['listed', 'in_progress'],
  done: 'completed',
  accountOf: ({ onChainTask }) => onChainTask,
  async sign(client, shipper, draft) {
    const listing = await signDigitalTask(client, shipper, draft);
    return { id: listing.taskId, submit: (at) => submitDigitalTask(at, listing) };
  },
  async build(client, { address: shipperPubkey }, draft) {
    const { taskId, ...built } = await client.buildListDigitalTaskTx({ ...draft, shipperPubkey });
    return { id: taskId, ...built };
  },
  async sponsor(client, { address: shipperPubkey }, draft, idempotencyKey) {
    const options = idempotencyKey === undefined ? {} : { idempotencyKey };
    return (
      await client.postSponsoredDigitalTask({ ...draft, maxBudgetSol: draft.maxBudgetSol ?? 0, shipperPubkey }, options)
    ).id;
  },
  get: (client, taskId) => client.getDigitalTask({ taskId }),
  async *list(client) {
    for await (const { id, title } of everyItem(client.listDigitalTasks, {})) yield { id, text: title };
  },
  cancel: { instruction: 'cancelTask', build: (client, taskId) => client.buildCancelDigitalTaskTx({ taskId }) },
  reclaim: { instruction: 'reclaimTask', build: (client, taskId) => client.buildReclaimDigitalTaskTx({ taskId }) },
  close: { instruction: 'closeTask', build: (client, taskId) => client.buildCloseDigitalTaskTx({ taskId }) },
  alone: TASK_ALONE,
};
