import type { QueuedLeg } from '@legwork/protocol/contract';
import { legShare } from '@legwork/protocol/rules';
import type { QueuedDigitalLegRow } from '../../db/legs.js';
import { resourceUriOf } from './viewDigitalTask.js';

/** A leg of a digital task in its agent's queue. Rule S-61. */
export function viewQueuedDigitalLeg(row: QueuedDigitalLegRow): QueuedLeg {
  return {
    kind: 'digital',
    id: row.id,
    legIndex: row.leg_index,
    instruction: row.instruction,
    status: row.status,
    isWorkable: row.is_workable,
    agentPubkey: row.agent_pubkey,
    bidLamports: row.bid_lamports,
    claimedAt: row.claimed_at,
    dueAt: row.status === 'in_progress' ? row.due_at : null,
    paymentLamports: row.payment_lamports,
    completedAt: row.completed_at,
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
