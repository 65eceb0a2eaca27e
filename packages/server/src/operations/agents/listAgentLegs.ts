import {
  LEG_STATUSES,
  type LegStatus,
  type operations,
  type QueuedLeg,
  type ShownLedger,
} from '@legwork/protocol/contract';
import { legShare } from '@legwork/protocol/rules';
import type { AppContext } from '../../context.js';
import { finalityOf, type NotFinal, readNotFinal } from '../../db/finality.js';
import { pageOfDigitalLegs, pageOfLegs, type QueuedDigitalLegRow, type QueuedLegRow } from '../../db/legs.js';
import { packageSubject, taskSubject } from '../../db/subjects.js';
import { cutPage, idPosition, readCursor } from '../cursor.js';
import { isAtWork, resourceUriOf } from '../digitalTasks/view.js';
import type { Run } from '../run.js';
import { viewLeg, viewTurn } from '../swarms/view.js';

type Input = Parameters<Run<typeof operations.listAgentLegs>>[1];

export const listAgentLegs: Run<typeof operations.listAgentLegs> = async (context, input) => {
  const legs = await newestOfBoth(context, input);
  const { page, nextCursor } = cutPage(legs, input.limit, (leg) => [leg.id]);
  return { answer: page, nextCursor };
};

function isLegStatus(status: Input['status']): status is LegStatus | undefined {
  return status === undefined || LEG_STATUSES.some((known) => known === status);
}

/** The newest legs of both kinds before a position: enough of each to fill a page alone. */
async function newestOfBoth({ db, shownLedger, clock }: AppContext, input: Input): Promise<QueuedLeg[]> {
  const { agentPubkey, status } = input;
  const [before] = readCursor(idPosition, input.cursor) ?? [];
  const page = { agentPubkey, before, limit: input.limit + 1 };
  const [physical, digital] = await Promise.all([
    // Only digital legs have the other statuses.
    isLegStatus(status) ? pageOfLegs(db, { ...page, status }) : [],
    pageOfDigitalLegs(db, { ...page, status }),
  ]);
  const subjects = [...physical.map(packageOf), ...digital.map(({ task_id: taskId }) => taskSubject(taskId))];
  const notFinal = await readNotFinal(db, subjects);
  const now = clock();
  const legs = [
    ...physical.map((row) => viewQueuedLeg(shownLedger, row, notFinal, now)),
    ...digital.map((row) => viewQueuedDigitalLeg(row, notFinal, now)),
  ];
  return legs.toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, page.limit);
}

const packageOf = (row: QueuedLegRow) => packageSubject(row.package_id);

/** A leg of a package in the queue of its courier. */
function viewQueuedLeg(ledger: ShownLedger, row: QueuedLegRow, notFinal: NotFinal, now: Date): QueuedLeg {
  return {
    ...viewLeg(ledger, row, {
      terms: row.terms,
      now,
      startedAt: row.started_at,
      finality: finalityOf(notFinal, packageOf(row), row.confirm_signature),
    }),
    kind: 'physical',
    packageId: row.package_id,
    packageStatus: row.package_status,
    packageDescription: row.package_description,
    deadline: row.deadline,
    swarmId: row.swarm_id,
    swarmStatus: row.swarm_status,
    isTurn: row.is_turn,
    recipientPubkey: row.recipient_pubkey,
    takeOverLegId: row.take_over_leg_id,
  };
}

/** A leg of a digital task in the queue of its agent. Rule S-61. */
function viewQueuedDigitalLeg(row: QueuedDigitalLegRow, notFinal: NotFinal, now: Date): QueuedLeg {
  return {
    kind: 'digital',
    id: row.id,
    legIndex: row.leg_index,
    instruction: row.instruction,
    status: row.status,
    finality: finalityOf(notFinal, taskSubject(row.task_id), row.confirm_signature),
    isWorkable: row.is_workable,
    agentPubkey: row.agent_pubkey,
    bidLamports: row.bid_lamports,
    claimedAt: row.claimed_at,
    dueAt: isAtWork(row) ? row.due_at : null,
    paymentLamports: row.payment_lamports,
    completedAt: row.completed_at,
    ...viewTurn('task', row, { terms: row.terms, now }),
    taskId: row.task_id,
    taskStatus: row.task_status,
    taskTitle: row.task_title,
    deadline: row.deadline,
    paymentPerLegLamports: legShare(row.max_budget_lamports, row.num_legs),
    hasResult: row.result_hash !== null,
    onChainLeg: row.on_chain_leg,
    resourceUri: resourceUriOf(row.task_id),
  };
}
