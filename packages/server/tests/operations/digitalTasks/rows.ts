import { createUuid, toLamports } from '@legwork/protocol/contract';
import { getAddressDecoder } from '@solana/kit';
import type { Insertable } from 'kysely';
import type { Db } from '../../../src/db/connect.js';
import type { DigitalLegsTable, DigitalTasksTable } from '../../../src/db/schema.js';
import { personal } from '../../../src/db/sealing.js';

export const DAY_MS = 86_400_000;

/** An address that nobody has the key of. */
export function newAddress(): string {
  return getAddressDecoder().decode(crypto.getRandomValues(new Uint8Array(32)));
}

type TaskRow = Insertable<DigitalTasksTable> & { id: string };
type LegRow = Insertable<DigitalLegsTable> & { id: string };

/** A row of a digital task that is listed unless told otherwise; no ledger knows it. */
export function taskRow(changes: Partial<Insertable<DigitalTasksTable>> = {}): TaskRow {
  const shipper = newAddress();
  return {
    id: createUuid(),
    status: 'listed',
    shipper_pubkey: shipper,
    funder_pubkey: shipper,
    title: personal('a row'),
    description: personal('a row'),
    is_planned: false,
    num_legs: 1,
    max_budget_lamports: toLamports(4_000_001n),
    claim_timeout_sec: 1800,
    deadline: new Date(Date.now() + DAY_MS),
    terms_hash: 'hash',
    on_chain_task: newAddress(),
    on_chain_vault: newAddress(),
    list_signature: 'listing',
    listed_at: new Date(),
    ...changes,
  };
}

/** The columns that a task has once it is over. */
export const COMPLETED = {
  status: 'completed',
  settle_signature: 'settlement',
  refund_lamports: toLamports(1n),
} as const;
export const RECLAIMED = { status: 'failed', failure_reason: 'reclaimed', end_signature: 'reclaim' } as const;
export const DRAFT = { status: 'draft', list_signature: null, listed_at: null } as const;

/** A row of an open leg of the task unless told otherwise. */
export function legRow(taskId: string, index: number, changes: Partial<Insertable<DigitalLegsTable>> = {}): LegRow {
  return {
    id: createUuid(),
    task_id: taskId,
    leg_index: index,
    instruction: personal(`step ${index}`),
    on_chain_leg: newAddress(),
    ...changes,
  };
}

/** The columns that a leg has once the agent reserved it. */
export function claimedBy(agentPubkey: string) {
  return {
    claim: 1,
    agent_pubkey: agentPubkey,
    bid_lamports: toLamports(1_000_000n),
    signed: true,
    claimed_at: new Date(),
  };
}

/** The columns that a leg has once it was assigned to the agent. */
export function assignedTo(agentPubkey: string) {
  return {
    ...claimedBy(agentPubkey),
    status: 'in_progress' as const,
    assign_signature: 'assignment',
    due_at: new Date(Date.now() + 1_800_000),
  };
}

/** The columns that a leg has once the agent completed it. */
export function completedBy(agentPubkey: string, paymentLamports: bigint, completedAt = new Date()) {
  return {
    ...assignedTo(agentPubkey),
    status: 'completed' as const,
    result: personal('done'),
    result_hash: 'hash',
    confirm_signature: 'confirmation',
    payment_lamports: toLamports(paymentLamports),
    completed_at: completedAt,
  };
}

/** Inserts tasks with their legs. */
export async function insertTasks(db: Db, tasks: readonly TaskRow[], legs: readonly LegRow[]): Promise<void> {
  await db
    .insertInto('digital_tasks')
    .values([...tasks])
    .execute();
  await db
    .insertInto('digital_legs')
    .values([...legs])
    .execute();
}
