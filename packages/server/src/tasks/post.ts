import { lamportsOf } from '../ledger/assets.js';
import { taskAddress, taskLegAddress, vaultAddress } from '@legwork/program-client';
import {
  createUuid,
  type ErrorCode,
  type InputOf,
  type operations,
  LegworkError,
  uuidToBytes,
  createSalt,
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
  legShare,
} from '@legwork/protocol/rules';
import { address, type Address } from '@solana/kit';
import type { AppContext } from '../context.js';
import { type NewDigitalLeg, type NewTask, insertTaskDraft } from './taskRows.js';
import { termsJson, taskBytes } from '../ledger/terms.js';
import { requireTerms, requireWallet, requireBudget } from '../operations/guards.js';
import { clientKey } from '../api/limits.js';
import { inTransaction } from '../db/transaction.js';
import { funderOf, requireMandate } from '../ledger/mandates.js';
import { buildListTask } from '../ledger/taskInstructions.js';
import type { Caller, In, Out } from '../operations/run.js';
import { listing } from '../coordinator/decisions.js';
import { taskSubject } from '../db/listings.js';
import { listingKey, postFunded, type ToBeFunded } from '../money/sponsoring.js';
import { TASK } from '../listings/kinds.js';
import { readTask } from './read.js';
import { marksOf } from '../work/words.js';
import { submitListing } from '../listings/submit.js';

type Goal = InputOf<typeof operations.buildListDigitalTaskTx>;

/** A digital task that is not listed yet, with its legs. */
interface TaskDraft {
  task: NewTask;
  legs: NewDigitalLeg[];
}

/**
 * Drafts a digital task, planned into legs unless the poster gives them; stores nothing. Rules M-50 and M-52.
 *
 * @param sponsor pays the escrow; left out: the poster, or its mandate
 * @throws LegworkError `invalid_input`, `unreceivable_payment`
 */
async function draftTask(context: AppContext, input: Goal, sponsor?: Address): Promise<TaskDraft> {
  requireWallet(context, 'shipperPubkey', input.shipperPubkey);
  const { title, description, salt = null, claimTimeoutSec = DEFAULT_CLAIM_TIMEOUT_SEC } = input;
  const instructions = await instructionsOf(input);
  const numLegs = instructions.length;
  const { asset, budget } = await requireBudget(context, input);
  const now = context.clock();
  const deadline = deadlineOf(input, now);
  const carrySec = taskCarrySec(claimTimeoutSec);
  const funder = sponsor ?? (await funderOf(context.ledger, input, asset.number));
  const terms = requireTerms(context, { kind: 'task', ...input, asset, budget, funderPubkey: funder, carrySec });
  const requirements = input.requirements ?? null;
  refuse(checkTaskDeadline({ deadlineMs: deadline.getTime(), numLegs, claimTimeoutSec, terms }, now.getTime()));
  refuse(checkShare(budget, numLegs, context.ledger.rentExemptMinimum, asset));
  if (input.mandateOwnerPubkey !== undefined) {
    const wish = { kind: 'task', asset, budget, deadline, arbiterPubkey: terms?.arbiterPubkey } as const;
    await requireMandate(context.ledger, funder, wish);
  }
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
    asset: asset.number,
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
  context: AppContext,
  task: { id: string; asset: number; on_chain_task: Address; title: string; description: string },
  instructions: readonly string[],
): Promise<TaskDraft['legs']> {
  return Promise.all(
    instructions.map(async (instruction, index) => ({
      id: createUuid(),
      task_id: task.id,
      leg_index: index,
      asset: task.asset,
      instruction,
      on_chain_leg: await taskLegAddress(context.ledger.programAddress, task.on_chain_task, index),
      marks: await marksOf(context, [task.title, task.description, instruction], context.clock()),
    })),
  );
}

/** The instruction for the agent of each leg: as the poster says, or else as the planner splits the goal. Rule M-51. */
async function instructionsOf({ legs, title, description }: Goal): Promise<readonly string[]> {
  return legs?.map(({ instruction }) => instruction) ?? structurePlanner.plan({ title, description });
}

/** When the task may be reclaimed, in whole seconds as the program counts them. Rule M-53. */
function deadlineOf(input: Goal, now: Date): Date {
  const seconds = Math.floor((input.deadline?.getTime() ?? now.getTime() + DEFAULT_DEADLINE_SEC * 1000) / 1000);
  return new Date(seconds * 1000);
}

/** @throws LegworkError when there is a fault */
function refuse(fault: RuleFault<ErrorCode> | undefined): void {
  if (fault) throw LegworkError.field(fault.code, fault.field, fault.message);
}

export async function buildListDigitalTaskTx(
  context: AppContext,
  input: In<'buildListDigitalTaskTx'>,
  { ip }: Caller,
): Out<'buildListDigitalTaskTx'> {
  const { task, legs } = await draftTask(context, input);
  await context.limits.take('drafts', clientKey(ip));
  const unsigned = await buildListTask(context.ledger, task);
  await inTransaction(context.db, (trx) => insertTaskDraft(trx, task, legs));
  const share = legShare(task.max_budget_lamports, task.num_legs);
  return {
    answer: {
      taskId: task.id,
      ...unsigned,
      onChainTask: task.on_chain_task,
      onChainVault: task.on_chain_vault,
      termsHash: task.terms_hash,
      paymentPerLeg: share,
      paymentPerLegLamports: lamportsOf(task, share),
      legs: legs.map((leg) => ({ id: leg.id, legIndex: leg.leg_index, instruction: leg.instruction })),
    },
  };
}

export async function postSponsoredDigitalTask(
  context: AppContext,
  input: In<'postSponsoredDigitalTask'>,
  caller: Caller,
): Out<'postSponsoredDigitalTask'> {
  const funder = context.ledger.coordinator.address;
  const draft = async () => taskToFund(await draftTask(context, { ...input, salt: createSalt() }, funder));
  const id = await postFunded(context, TASK, draft, caller);
  return { answer: await readTask(context, id) };
}

/** The input for funding a digital task. */
function taskToFund({ task, legs }: TaskDraft): ToBeFunded {
  const { id } = task;
  return {
    of: TASK,
    id,
    posterPubkey: task.shipper_pubkey,
    budget: task.max_budget_lamports,
    deadline: task.deadline,
    accountBytes: taskBytes(task.terms),
    insert: (trx, requestKey) => insertTaskDraft(trx, { ...task, request_key: requestKey }, legs),
    intent: { kind: 'list_task', subject: taskSubject(id), key: listingKey(TASK, id), taskId: id },
    listing: listing(task),
  };
}

export async function submitDigitalTask(context: AppContext, input: In<'submitDigitalTask'>): Out<'submitDigitalTask'> {
  await submitListing(context, TASK, input.taskId, input);
  return { answer: await readTask(context, input.taskId) };
}
