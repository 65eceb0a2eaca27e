import { type Named, taskLegAddress, vaultAddress } from '@legwork/program-client';
import { bytesToUuid, derivedUuid, toLamports } from '@legwork/protocol/contract';
import { DEFAULT_CLAIM_TIMEOUT_SEC, legShare } from '@legwork/protocol/rules';
import { unwrapOption } from '@solana/kit';
import type { DigitalTaskRow } from '../db/schema.js';
import type { LegWithoutResult } from '../db/schema/tasks.js';
import { numberOf } from '../ledger/assets.js';
import type { Ledger } from '../ledger/ledger.js';
import { termsShown } from '../ledger/terms.js';
import type { Applying } from '../mirror/projection.js';
import { takeLeg, voidClaim } from './claimRows.js';
import type { NewDigitalLeg, NewTask } from './taskRows.js';

/** The digital task of a listing of which only the ledger knows: what its legs are is in the document, which is not here. */
export async function taskShown(
  ledger: Ledger,
  { accounts, data, tokens }: Named<'listTask'>,
  { at, slot }: { at: Date; slot: bigint },
): Promise<{ task: NewTask; legs: NewDigitalLeg[] }> {
  const terms = unwrapOption(data.terms);
  const onChainTask = accounts.task.address;
  const id = bytesToUuid(Uint8Array.from(data.taskId));
  const asset = numberOf(ledger.assets, tokens?.asset);
  const legs = Array.from({ length: data.numLegs }, async (_, index) => ({
    id: derivedUuid(at, `${id}:${index}`),
    task_id: id,
    leg_index: index,
    asset,
    instruction: '',
    on_chain_leg: await taskLegAddress(ledger.programAddress, onChainTask, index),
  }));
  const task: NewTask = {
    id,
    document_known: false,
    rebuilt_slot: slot,
    shipper_pubkey: accounts.poster.address,
    funder_pubkey: accounts.funder.address,
    asset,
    title: '',
    description: '',
    is_planned: false,
    num_legs: data.numLegs,
    max_budget_lamports: toLamports(data.maxBudget),
    claim_timeout_sec: DEFAULT_CLAIM_TIMEOUT_SEC,
    deadline: new Date(Number(data.deadline) * 1000),
    terms_hash: Buffer.from(data.termsHash).toString('hex'),
    salt: null,
    requirements: null,
    terms: terms && termsShown(terms),
    on_chain_task: onChainTask,
    on_chain_vault: await vaultAddress(ledger.programAddress, onChainTask),
  };
  return { task, legs: await Promise.all(legs) };
}

/** The claim that the ledger shows assigned: nobody here knows what its agent had asked for. */
export async function claimShown(
  { trx }: Applying,
  task: DigitalTaskRow,
  leg: LegWithoutResult,
  agentPubkey: string,
): Promise<LegWithoutResult> {
  if (leg.agent_pubkey !== null) await voidClaim(trx, leg);
  const bidLamports = legShare(task.max_budget_lamports, task.num_legs);
  const taken = await takeLeg(trx, leg.id, { agentPubkey, bidLamports, signed: true, client: null });
  if (taken === undefined) throw new Error(`leg ${leg.id} is assigned to ${agentPubkey}, and cannot be`);
  return taken;
}
