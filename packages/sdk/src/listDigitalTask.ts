import { budgetOf, funderOf, paidIn } from './assets.js';
import { uuidToBytes } from '@legwork/protocol/contract';
import { taskTermsHash } from '@legwork/protocol/rules';
import type { CallOf, DigitalTaskDetail, operations } from '@legwork/protocol/contract';
import { unwrapOption } from '@solana/kit';
import { bytesToHex } from './hex.js';
import type { Budget } from './assets.js';
import { serviceConfig } from './client.js';
import type { LegworkClient } from './client.js';
import { listingTerms, termsCompared } from './listingTerms.js';
import { listingSalt, signIfAgreed, submitSigned, wantedDeadline } from './signedListing.js';
import type { Posted } from './signedListing.js';
import type { LedgerSigner } from './signer.js';

/**
 * A poster's goal; its own wallet is the signer's. Without `terms` it asks for `standard` ones where the service has an arbiter,
 * else for none; `'plain'` asks for none in any case. `terms.receiverPubkey` verifies the results in the poster's place.
 */
export type DigitalTaskDraft = Omit<
  CallOf<(typeof operations)['buildListDigitalTaskTx']>,
  'shipperPubkey' | keyof Budget
> &
  Budget;

/**
 * The listing of a digital task that is signed but perhaps not submitted yet. Keep it until the task is listed: submitting
 * it again lists the same task, never a second one.
 */
export interface SignedDigitalTask {
  readonly taskId: string;
  /** The instructions for each leg's agent, in order: the draft's legs, or the service's plan. The signature is for these. */
  readonly instructions: readonly string[];
  /** Wire transaction, base64, signed by this wallet; where the service pays for it, it signs when it is submitted. */
  readonly transaction: string;
}

/**
 * Lets the service build the listing of a digital task, checks that it locks exactly the draft's budget for exactly the
 * draft's goal and legs, what it requires and what it binds both sides to, and signs it. Where the draft leaves the legs out, it signs for the plan that `instructions`
 * then tells. Nothing is locked yet: `submitDigitalTask` does that.
 *
 * @throws {TransactionRefusedError} when the transaction is not the draft's
 * @throws {RangeError} when the draft names terms that the program would refuse
 */
export async function signDigitalTask(
  client: LegworkClient,
  signer: LedgerSigner,
  draft: DigitalTaskDraft,
): Promise<SignedDigitalTask> {
  const config = await serviceConfig(client);
  const asset = await paidIn(config, draft.asset);
  const funder = await funderOf(config, draft, signer.address, asset);
  const { choice, terms } = listingTerms(draft, signer.address, config, asset);
  const salt = listingSalt(draft, config);
  const {
    taskId,
    transaction: base64,
    legs,
  } = await client.buildListDigitalTaskTx({
    ...draft,
    terms: choice,
    salt,
    shipperPubkey: signer.address,
  });
  const instructions = (draft.legs ?? legs).map(({ instruction }) => instruction);
  const { title, description, requirements } = draft;
  const built = { base64, name: 'listTask', token: asset.token, funder } as const;
  const transaction = await signIfAgreed(client, signer, built, ({ accounts, data }) => [
    ['task id', bytesToHex(data.taskId), bytesToHex(uuidToBytes(taskId))],
    ['poster', accounts.poster.address, signer.address],
    ['funder', accounts.funder.address, funder],
    ['budget (base units)', data.maxBudget, budgetOf(draft)],
    ['number of legs', data.numLegs, instructions.length],
    [
      'terms hash',
      bytesToHex(data.termsHash),
      taskTermsHash({ title, description, instructions, requirements, salt }).hex,
    ],
    ['deadline (unix seconds)', data.deadline, wantedDeadline(draft.deadline, data.deadline)],
    ...termsCompared(unwrapOption(data.terms), terms),
  ]);
  return { taskId, instructions, transaction };
}

/**
 * Submits a signed listing, the same bytes up to three times when no answer comes. Safe to repeat: a task already listed
 * is answered as it is, and a listing that reached the ledger long ago is found there.
 *
 * @throws {LegworkApiError} `transaction_failed` when the ledger refuses it; nothing is locked then
 * @throws {LegworkNetworkError} when no answer came and the ledger does not show it: whether it is listed is unknown, so submit it again
 */
export function submitDigitalTask(
  client: LegworkClient,
  listing: SignedDigitalTask,
): Promise<Posted<DigitalTaskDetail>> {
  const { taskId, transaction } = listing;
  return submitSigned(client, {
    transaction,
    submit: (proof) => client.submitDigitalTask({ taskId, ...proof }),
    what: `wait until the service shows digital task ${taskId}`,
    known: () => ({ id: taskId }),
  });
}

/**
 * Lists a digital task: {@link signDigitalTask}, then {@link submitDigitalTask}. A program that may be killed between the
 * two keeps the signed listing itself and submits it again; calling this function again would list a second task.
 */
export async function listDigitalTask(
  client: LegworkClient,
  signer: LedgerSigner,
  draft: DigitalTaskDraft,
): Promise<Posted<DigitalTaskDetail>> {
  return submitDigitalTask(client, await signDigitalTask(client, signer, draft));
}
