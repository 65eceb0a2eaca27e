import { type Assets, assetOf, inAsset, lamportsOf } from '../ledger/assets.js';
import { address, createNoopSigner } from '@solana/kit';
import {
  type AnswerOf,
  type Artifact,
  formatAmount,
  isTerminal,
  type operations,
  LegworkError,
} from '@legwork/protocol/contract';
import { resultDocument, resultHash } from '@legwork/protocol/rules';
import type { AppContext } from '../context.js';
import { nameArtifacts, storedOf } from '../artifacts/artifactRows.js';
import { decideConfirmation } from '../coordinator/taskWork.js';
import { type ClaimState, markSigned, storeConfirmedResult, storeResult } from './claimRows.js';
import type { LegClaim } from './taskLegRows.js';
import { readFinality } from '../db/finality.js';
import { noteSigningKey } from '../identity/signingKeys.js';
import { taskSubject } from '../db/listings.js';
import { insertEvidence, MOST_EVIDENCE } from '../legs/turnRows.js';
import { inTransaction } from '../db/transaction.js';
import { compileForWallet } from '../ledger/compile.js';
import { claimInstruction } from '../ledger/moveInstructions.js';
import { termsOf } from '../ledger/terms.js';
import type { Caller, In, Out } from '../operations/run.js';
import { transactionLink } from '../legs/read.js';
import { type LegOfTerms, requireLiveLeg } from '../legs/turns.js';
import { awaitClaim, requireGiven } from './claim.js';
import {
  type Holder,
  type LegInTask,
  lockLegOf,
  requireHolder,
  requireKept,
  requireNotErased,
  requireLegOf,
  requireOpenTask,
  requireSameHand,
  requireWorkable,
} from './guards.js';
import { warm } from '../ledger/ledger.js';

/** A result as it arrives. */
interface HandedIn extends Holder {
  taskId: string;
  legId: string;
  result: string;
  /** Its files, uploaded before. */
  artifacts: readonly Artifact[];
  /** The result's hash, hex; it covers the files. */
  hash: string;
}

export async function completeDigitalLeg(
  context: AppContext,
  input: In<'completeDigitalLeg'>,
  caller: Caller,
): Out<'completeDigitalLeg'> {
  const { agentPubkey, result } = input;
  const seen = await requireLegOf(context.db, input);
  requireNotErased(seen);
  requireHolder(seen, { agentPubkey });
  const artifacts = await uploadedArtifacts(context, seen, input.artifacts ?? []);
  const hash = resultHash(result, artifacts).hex;
  const handedIn = { ...input, artifacts, hash, signed: caller.pubkey === agentPubkey };
  if (seen.task.terms !== null && seen.leg.status !== 'completed') {
    return { answer: await handInEvidence(context, seen, handedIn) };
  }
  // Checked without a lock first: a refusal waits for no other call.
  isToBeStored(seen, handedIn);
  warm(context.ledger);
  const claim = await handIn(context, handedIn);
  caller.tell?.('The result is kept; the ledger is to pay for it.');
  await awaitClaim(context, claim, isPaidFor);
  const found = await requireLegOf(context.db, input);
  requireHolder(found, handedIn);
  requireSameResult(found, handedIn);
  return { answer: await answerTo(context, found, handedIn) };
}

/** The files handed in, with the bytes of each. @throws LegworkError `artifact_not_stored` that names every one that is not here */
async function uploadedArtifacts(
  { db }: AppContext,
  { leg }: LegInTask,
  handed: readonly Omit<Artifact, 'bytes'>[],
): Promise<Artifact[]> {
  const stored = await storedOf(
    db,
    leg,
    handed.map(({ sha256 }) => sha256),
  );
  const bytes = new Map(stored.map((row) => [row.sha256, Number(row.bytes)]));
  const artifacts = handed.map((artifact) => ({ ...artifact, bytes: bytes.get(artifact.sha256) ?? 0 }));
  const missing = artifacts.flatMap(({ bytes: size, sha256 }, at) => {
    if (size > 0) return [];
    return [{ field: `artifacts.${at}.sha256`, message: `is ${sha256}, which was not uploaded whole for this claim` }];
  });
  if (missing.length === 0) return artifacts;
  const told = missing.map(({ field, message }) => `${field}: ${message}`).join('; ');
  throw new LegworkError('artifact_not_stored', told, missing);
}

/** @throws LegworkError `result_submitted` when the leg has another result */
function requireSameResult({ leg }: LegInTask, { hash }: HandedIn): void {
  if (leg.result_hash === null || leg.result_hash === hash) return;
  throw LegworkError.field(
    'result_submitted',
    'result',
    `is not the result that was handed in (sha256 ${leg.result_hash})`,
  );
}

/**
 * True if the result is to be stored; false when this very result is stored already.
 *
 * @throws LegworkError `not_your_leg`, `leg_out_of_order`, `signed_before`, `result_submitted`, `invalid_status`
 */
function isToBeStored(found: LegInTask, handedIn: HandedIn): boolean {
  requireHolder(found, handedIn);
  requireWorkable(found);
  requireSameHand(found, handedIn);
  requireSameResult(found, handedIn);
  if (found.leg.result_hash !== null) return false;
  requireOpenTask(found);
  requireKept(found);
  return true;
}

/** Stores the result and decides its confirmation, and before that the assignment if it is due: together or not at all. Rule M-58. */
async function handIn(context: AppContext, handedIn: HandedIn): Promise<LegClaim> {
  return inTransaction(context.db, async (trx) => {
    const found = await lockLegOf(trx, handedIn);
    requireNotErased(found);
    const isNew = isToBeStored(found, handedIn);
    if (handedIn.signed) {
      await Promise.all([markSigned(trx, found.leg), noteSigningKey(trx, handedIn.agentPubkey)]);
    }
    if (!isNew) {
      if (await storeConfirmedResult(trx, found.leg, handedIn)) await nameArtifacts(trx, found.leg, handedIn.artifacts);
      return found.leg;
    }
    await requireGiven(context, trx, found.task, found.legs);
    const [isStored] = await Promise.all([
      storeResult(trx, found.leg, handedIn),
      nameArtifacts(trx, found.leg, handedIn.artifacts),
      decideConfirmation(context, trx, found.leg, handedIn.hash),
    ]);
    if (!isStored) throw new Error(`leg ${found.leg.id} took no result`);
    return found.leg;
  });
}

/**
 * With terms the result is evidence, and the agent's own claim names it: until that has landed it may hand in another one. Rule T-91.
 *
 * @param seen the agent has it
 * @throws LegworkError `signature_required`, `not_your_leg`, `leg_out_of_order`, `not_your_turn`, `result_submitted`, `invalid_status`
 */
async function handInEvidence(
  context: AppContext,
  seen: LegInTask,
  handedIn: HandedIn,
): Promise<AnswerOf<typeof operations.completeDigitalLeg>> {
  if (!handedIn.signed) {
    throw new LegworkError('signature_required', 'The task has terms, which bind both sides: sign the request.');
  }
  requireWorkable(seen);
  if (seen.leg.evidence_hash === handedIn.hash) return answerTo(context, seen, handedIn);
  const of = await inTransaction(context.db, async (trx) => {
    const found = await lockLegOf(trx, handedIn);
    requireHolder(found, handedIn);
    requireOpenTask(found);
    requireAccepted(found);
    const evidence = {
      leg_id: found.leg.id,
      hash: handedIn.hash,
      author_pubkey: handedIn.agentPubkey,
      text: resultDocument(handedIn.result, handedIn.artifacts),
    };
    if (!(await insertEvidence(trx, evidence))) throw tooMany();
    // Nobody removes them while the claim may name them.
    await nameArtifacts(trx, found.leg, handedIn.artifacts);
    return requireLiveLeg(trx, found.leg.id);
  });
  const courier = createNoopSigner(address(handedIn.agentPubkey));
  const evidenceHash = Buffer.from(handedIn.hash, 'hex');
  const claim = await claimInstruction(context.ledger, of, { courier, evidenceHash });
  const { transaction } = await compileForWallet(context.ledger, courier.address, seen.task, [claim]);
  const answer = await answerTo(context, seen, handedIn);
  return { ...answer, claimTransaction: transaction, notHandedIn: notHandedIn(context.ledger.assets, of) };
}

/** The warning on success: a worker that read no further would lose its stake by the clock. */
function notHandedIn(assets: Assets, { leg, listing }: LegOfTerms): string {
  const until = leg.until === null ? 'before the deadline' : `by ${leg.until.toISOString()}`;
  const stake = formatAmount(termsOf(listing).stake, assetOf(assets, listing));
  return `Nothing is handed in yet: sign claimTransaction and send it with POST /turns ${until}, or your stake of ${stake} is lost.`;
}

/** @throws LegworkError `not_your_turn` unless the agent has accepted the leg, and claimed nothing yet */
function requireAccepted({ leg }: LegInTask): void {
  if (leg.stage === 'accepted') return;
  const what = leg.stage === 'pending' ? 'accept it first' : 'its result is claimed';
  throw LegworkError.field('not_your_turn', 'legId', `is of a leg that is ${leg.stage ?? 'not assigned yet'}: ${what}`);
}

function tooMany(): LegworkError {
  return LegworkError.field(
    'result_submitted',
    'result',
    `is one more than the ${MOST_EVIDENCE} texts that an agent may store for a leg; claim one of them (POST /turns/build-tx)`,
  );
}

async function answerTo(
  { db, ledger, shownLedger }: AppContext,
  { task, legs, leg }: LegInTask,
  { result, hash }: HandedIn,
): Promise<AnswerOf<typeof operations.completeDigitalLeg>> {
  const next = legs.find((other) => other.leg_index === leg.leg_index + 1);
  return {
    taskId: task.id,
    legId: leg.id,
    legIndex: leg.leg_index,
    status: leg.status,
    taskStatus: task.status,
    resultBytes: Buffer.byteLength(result),
    resultHash: hash,
    ...inAsset(ledger.assets, task),
    payment: leg.payment_lamports,
    paymentLamports: leg.payment_lamports && lamportsOf(task, leg.payment_lamports),
    finality: await readFinality(db, taskSubject(task.id), leg.confirm_signature),
    confirmSignature: leg.confirm_signature,
    explorer: { confirmSignature: transactionLink(shownLedger, leg.confirm_signature) },
    stage: leg.stage,
    claimTransaction: null,
    notHandedIn: null,
    nextLeg: next ? { legId: next.id, agentPubkey: next.agent_pubkey } : null,
  };
}

/** The last leg waits for the task's settlement too, so that the next reader sees it completed. Rule S-58. */
function isPaidFor({ status, is_last: isLast, task_status: taskStatus }: ClaimState): boolean {
  return status === 'failed' || (status === 'completed' && (!isLast || isTerminal('task', taskStatus)));
}
