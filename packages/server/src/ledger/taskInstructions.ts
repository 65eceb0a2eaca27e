import type { LegWithoutResult } from '../db/schema/tasks.js';
import {
  getAssignTaskLegInstruction,
  getCancelTaskInstruction,
  getCloseTaskInstruction,
  getConfirmTaskLegInstruction,
  getListTaskInstruction,
  getReclaimTaskInstruction,
  getReleaseTaskLegInstruction,
  getSettleTaskInstruction,
  LegStatus,
  reputationAddress,
  type Returning,
} from '@legwork/program-client';
import { uuidToBytes } from '@legwork/protocol/contract';
import { type Address, address, createNoopSigner, type Instruction, type TransactionSigner } from '@solana/kit';
import type { DigitalTaskRow } from '../db/schema.js';
import type { AssignedLeg } from './accounts.js';
import { compileForWallet, type UnsignedTransaction } from './compile.js';
import { type Ledger, unixSeconds } from './ledger.js';
import { ledgerTerms } from './terms.js';

type Listing = Pick<
  DigitalTaskRow,
  | 'id'
  | 'shipper_pubkey'
  | 'num_legs'
  | 'max_budget_lamports'
  | 'deadline'
  | 'terms_hash'
  | 'on_chain_task'
  | 'on_chain_vault'
  | 'terms'
  | 'asset'
>;
type TaskAccounts = Pick<DigitalTaskRow, 'on_chain_task' | 'on_chain_vault' | 'funder_pubkey' | 'terms'>;

/** A leg that an agent has or had, with that agent. */
export type HeldLeg = LegWithoutResult & { agent_pubkey: string };
type LegAccounts = Pick<HeldLeg, 'on_chain_leg' | 'leg_index' | 'agent_pubkey'>;

/** list_task: the budget from the funder into escrow. The poster signs unless the funder is the coordinator. Rule P-68. */
export function listTaskInstruction(
  ledger: Ledger,
  draft: Listing,
  funder: TransactionSigner,
  poster: Address | TransactionSigner,
): Instruction {
  return getListTaskInstruction(
    {
      funder,
      poster,
      config: ledger.configAddress,
      task: address(draft.on_chain_task),
      vault: address(draft.on_chain_vault),
      taskId: uuidToBytes(draft.id),
      numLegs: draft.num_legs,
      maxBudget: draft.max_budget_lamports,
      deadline: unixSeconds(draft.deadline),
      termsHash: Buffer.from(draft.terms_hash, 'hex'),
      terms: draft.terms && ledgerTerms(draft.terms),
    },
    { programAddress: ledger.programAddress },
  );
}

/** The list_task transaction of a draft, for the poster's wallet. */
export async function buildListTask(ledger: Ledger, draft: Listing): Promise<UnsignedTransaction> {
  const poster = createNoopSigner(address(draft.shipper_pubkey));
  return compileForWallet(ledger, poster.address, draft, [listTaskInstruction(ledger, draft, poster, poster)]);
}

/** The accounts that everything about one leg names. */
function legAccounts({ coordinator, configAddress }: Ledger, task: TaskAccounts, leg: LegAccounts) {
  return {
    coordinator,
    config: configAddress,
    task: address(task.on_chain_task),
    taskLeg: address(leg.on_chain_leg),
    index: leg.leg_index,
  };
}

/** assign_task_leg: the leg to its agent, whose accepted legs it counts among from then on, with terms later. Rules P-77, T-100. */
export async function assignTaskLegInstruction(ledger: Ledger, task: TaskAccounts, leg: HeldLeg): Promise<Instruction> {
  const { programAddress } = ledger;
  const agent = address(leg.agent_pubkey);
  return getAssignTaskLegInstruction(
    {
      ...legAccounts(ledger, task, leg),
      agent,
      reputation: await reputationAddress(programAddress, agent),
      countedLater: task.terms === null ? null : true,
    },
    { programAddress },
  );
}

/**
 * release_task_leg: the leg is open to others; its rent to the coordinator that assigned it. Rule P-79. It names the agent,
 * who never gets the leg again, so that two releases of one leg are never the same bytes. Rule S-100.
 */
export function releaseTaskLegInstruction(
  ledger: Ledger,
  task: TaskAccounts,
  leg: HeldLeg,
  rentPayer: Address,
): Instruction {
  return getReleaseTaskLegInstruction(
    { ...legAccounts(ledger, task, leg), rentPayer, agent: address(leg.agent_pubkey) },
    { programAddress: ledger.programAddress },
  );
}

/** confirm_task_leg: pays the agent for its result, and raises its reputation. Signed by the coordinator, with terms by others. Rule P-85. */
export async function confirmTaskLegInstruction(
  ledger: Ledger,
  task: TaskAccounts,
  leg: LegAccounts & { result_hash: string },
  signer: TransactionSigner = ledger.coordinator,
): Promise<Instruction> {
  const { programAddress } = ledger;
  const agent = address(leg.agent_pubkey);
  return getConfirmTaskLegInstruction(
    {
      ...legAccounts(ledger, task, leg),
      signer,
      vault: address(task.on_chain_vault),
      agent,
      reputation: await reputationAddress(programAddress, agent),
      resultHash: Buffer.from(leg.result_hash, 'hex'),
    },
    { programAddress },
  );
}

function exitAccounts(ledger: Ledger, task: TaskAccounts, signer: TransactionSigner) {
  return {
    signer,
    config: ledger.configAddress,
    task: address(task.on_chain_task),
    funder: address(task.funder_pubkey),
  };
}

function endAccounts(ledger: Ledger, task: TaskAccounts, legs: readonly AssignedLeg[], signer: TransactionSigner) {
  return {
    ...exitAccounts(ledger, task, signer),
    vault: address(task.on_chain_vault),
    legsWithRentPayers: legs.flatMap((leg) => [leg.address, leg.rentPayer]),
  };
}

/**
 * settle_task: the rest of the vault to the funder, the rent of each leg to the wallet that advanced it. Rule P-89.
 *
 * @param legs every leg that the ledger shows assigned, in order
 * @param signer funder or coordinator
 */
export function settleTaskInstruction(
  ledger: Ledger,
  task: TaskAccounts,
  legs: readonly AssignedLeg[],
  signer: TransactionSigner,
): Instruction {
  return getSettleTaskInstruction(endAccounts(ledger, task, legs, signer), { programAddress: ledger.programAddress });
}

/**
 * reclaim_task: as settle_task, from the deadline on, while a leg is not completed; stakes of accepted legs to their agents. Rule P-95.
 *
 * @param legs every leg that the ledger shows assigned, in order
 * @param signer poster, funder or coordinator
 */
export function reclaimTaskInstruction(
  ledger: Ledger,
  task: TaskAccounts,
  legs: readonly AssignedLeg[],
  signer: TransactionSigner,
): Returning {
  const agents = legs.filter(({ status }) => status === LegStatus.Accepted).map(({ agent }) => agent);
  const accounts = { ...endAccounts(ledger, task, legs, signer), agents };
  const instruction = getReclaimTaskInstruction(accounts, { programAddress: ledger.programAddress });
  return { ...instruction, waiting: agents };
}

/** cancel_task: the whole vault of a listed task to its funder. Signed by poster, funder or coordinator. Rule P-91. */
export function cancelTaskInstruction(ledger: Ledger, task: TaskAccounts, signer: TransactionSigner): Instruction {
  return getCancelTaskInstruction(
    { ...exitAccounts(ledger, task, signer), vault: address(task.on_chain_vault) },
    { programAddress: ledger.programAddress },
  );
}

/** close_task: the rent of an ended task's account to its funder. Signed by funder or coordinator. Rule P-96. */
export function closeTaskInstruction(ledger: Ledger, task: TaskAccounts, signer: TransactionSigner): Instruction {
  return getCloseTaskInstruction(exitAccounts(ledger, task, signer), { programAddress: ledger.programAddress });
}
