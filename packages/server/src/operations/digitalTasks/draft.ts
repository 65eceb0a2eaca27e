import { taskAddress, taskLegAddress, vaultAddress } from '@legwork/program-client';
import {
  createUuid,
  type ErrorCode,
  type InputOf,
  type operations,
  parseSol,
  RelayError,
  uuidToBytes,
} from '@legwork/protocol/contract';
import {
  checkShare,
  checkTaskDeadline,
  DEFAULT_CLAIM_TIMEOUT_SEC,
  DEFAULT_DEADLINE_SEC,
  type RuleFault,
  structurePlanner,
  taskCarrySec,
  taskTermsHash,
} from '@legwork/protocol/rules';
import { address, type Address } from '@solana/kit';
import type { AppContext } from '../../context.js';
import type { NewDigitalLeg, NewTask } from '../../db/digitalTasks.js';
import { termsJson } from '../../ledger/terms.js';
import { requireTerms, requireWallet } from '../guards.js';

type Goal = InputOf<typeof operations.buildListDigitalTaskTx>;

/** A digital task that is not listed yet, with its legs. */
export interface TaskDraft {
  task: NewTask;
  legs: NewDigitalLeg[];
}

/**
 * Drafts a digital task, planned into legs unless the poster gives them; stores nothing. Rules M-50 and M-52.
 *
 * @param funder who pays the escrow
 * @throws RelayError `invalid_input`, `unreceivable_payment`
 */
export async function draftTask(context: AppContext, input: Goal, funder: Address): Promise<TaskDraft> {
  requireWallet(context, 'shipperPubkey', input.shipperPubkey);
  const { title, description, salt = null, claimTimeoutSec = DEFAULT_CLAIM_TIMEOUT_SEC } = input;
  const instructions = await instructionsOf(input);
  const numLegs = instructions.length;
  const budget = parseSol(input.maxBudgetSol);
  const now = context.clock();
  const deadline = deadlineOf(input, now);
  const carrySec = taskCarrySec(claimTimeoutSec);
  const terms = requireTerms(context, { kind: 'task', ...input, funderPubkey: funder, carrySec });
  const requirements = input.requirements ?? null;
  refuse(checkTaskDeadline({ deadlineMs: deadline.getTime(), numLegs, claimTimeoutSec, terms }, now.getTime()));
  refuse(checkShare(budget, numLegs, context.ledger.rentExemptMinimum));
  const { programAddress } = context.ledger;
  const id = createUuid();
  const onChainTask = await taskAddress(programAddress, address(input.shipperPubkey), uuidToBytes(id));
  const task = {
    id,
    shipper_pubkey: input.shipperPubkey,
    funder_pubkey: funder,
    title,
    description,
    is_planned: input.legs === undefined,
    num_legs: numLegs,
    max_budget_lamports: budget,
    claim_timeout_sec: claimTimeoutSec,
    deadline,
    terms_hash: taskTermsHash({ title, description, instructions, requirements, salt }).hex,
    terms: terms && termsJson(terms),
    requirements,
    salt,
    on_chain_task: onChainTask,
    on_chain_vault: await vaultAddress(programAddress, onChainTask),
  };
  return { task, legs: await draftLegs(context, task, instructions) };
}

function draftLegs(
  { ledger }: AppContext,
  task: { id: string; on_chain_task: Address },
  instructions: readonly string[],
): Promise<TaskDraft['legs']> {
  return Promise.all(
    instructions.map(async (instruction, index) => ({
      id: createUuid(),
      task_id: task.id,
      leg_index: index,
      instruction,
      on_chain_leg: await taskLegAddress(ledger.programAddress, task.on_chain_task, index),
    })),
  );
}

/** What the agent of each leg does: as the poster says, or else as the planner splits the goal. Rule M-51. */
async function instructionsOf({ legs, title, description }: Goal): Promise<readonly string[]> {
  return legs?.map(({ instruction }) => instruction) ?? structurePlanner.plan({ title, description });
}

/** When the task may be reclaimed, in whole seconds as the program counts them. Rule M-53. */
function deadlineOf(input: Goal, now: Date): Date {
  const seconds = Math.floor((input.deadline?.getTime() ?? now.getTime() + DEFAULT_DEADLINE_SEC * 1000) / 1000);
  return new Date(seconds * 1000);
}

/** @throws RelayError when there is a fault */
function refuse(fault: RuleFault<ErrorCode> | undefined): void {
  if (fault) throw RelayError.field(fault.code, fault.field, fault.message);
}
