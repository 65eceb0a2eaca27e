import { LegStatus } from '@legwork/program-client';
import type { AnswerOf, CallOf, operations } from '@legwork/protocol/contract';
import { readResultDocument, resultHash } from '@legwork/protocol/rules';
import { address } from '@solana/kit';
import { ledgerRpc } from '../ledgerRpc.js';
import { serviceConfig } from '../client.js';
import type { LegworkClient } from '../client.js';
import { TransactionRefusedError } from '../errors.js';
import { signAffordably } from '../feePayer.js';
import type { LedgerSigner } from '../signer.js';
import { legOnLedger, requireMove, spokenLeg } from './buildMove.js';
import type { MoveOptions } from './buildMove.js';
import { expectedMove } from './expectedMoves.js';
import { submitMove } from './makeMove.js';
import type { MadeMove } from './makeMove.js';
import { readSpokenLeg } from './readLeg.js';

type Operation = (typeof operations)['completeDigitalLeg'];

/** The result to hand in: a text, and the files that were uploaded with it. */
export type ResultToHandIn = Pick<CallOf<Operation>, 'taskId' | 'legId' | 'result' | 'artifacts'>;

/** A result that was handed in. */
export type CompletedDigitalLeg = AnswerOf<Operation> & {
  /** With terms: the claim that names it, landed on the ledger; null: the task has none, or the leg is claimed already. */
  readonly claim: MadeMove | null;
};

/**
 * Hands in the result of a leg of a digital task. With terms it then claims the leg: checks that the transaction that the service built
 * claims exactly this leg with exactly the sha256 of this result, signs it, and waits until the ledger has confirmed it. Safe to repeat
 * with the same result after any interruption.
 *
 * @param client must have the agent's signer
 * @throws {LegworkApiError} `not_your_leg`, `leg_out_of_order`, `invalid_status`, `transaction_failed` and others of the two operations
 * @throws {TransactionRefusedError} when the service built another transaction, or says otherwise than the ledger
 * @throws {LedgerRefusedError} when the ledger shows that the claim failed
 * @throws {LegworkNetworkError} when no answer came, or the ledger does not show the claim within half a minute
 */
export async function completeDigitalLeg(
  client: LegworkClient,
  signer: LedgerSigner,
  given: ResultToHandIn,
  options: Pick<MoveOptions, 'rpc'> = {},
): Promise<CompletedDigitalLeg> {
  const { taskId, legId } = given;
  const handedIn = await client.completeDigitalLeg({ ...given, agentPubkey: signer.address });
  const { claimTransaction, resultHash: hash } = handedIn;
  if (claimTransaction === null) {
    await requireNothingToClaim(client, given, options);
    return { ...handedIn, claim: null };
  }
  await requireHashOf(client, given, hash);
  const leg = await legOnLedger(client, signer.address, { legId, taskId }, options);
  const { forms } = expectedMove(leg, signer.address, { action: 'claim', hash });
  const transaction = requireMove(claimTransaction, leg, { forms, signers: [signer.address] });
  const signed = await signAffordably({ client, rpc: options.rpc, transaction }, [signer]);
  const claim = await submitMove(client, { legId, leg }, signed, options);
  return { ...handedIn, stage: claim.stage, claim };
}

/**
 * Where the service has nothing claimed, the ledger says whether that is right. Rule A-107.
 *
 * @throws {TransactionRefusedError} when the leg has terms and waits for a claim, without which its agent loses the stake
 */
export async function requireNothingToClaim(
  client: LegworkClient,
  { taskId, legId }: Pick<ResultToHandIn, 'taskId' | 'legId'>,
  { rpc }: Pick<MoveOptions, 'rpc'>,
): Promise<void> {
  const { programId, rpcUrl } = await serviceConfig(client);
  const { said, legIndex } = await spokenLeg(client, { taskId }, legId);
  const leg = await readSpokenLeg(rpc ?? ledgerRpc(rpcUrl), address(programId), said, legIndex);
  if (!leg || leg.terms === null || (leg.status !== LegStatus.Pending && leg.status !== LegStatus.Accepted)) return;
  throw new TransactionRefusedError(
    `the result is handed in, and by the ledger the leg at ${leg.address} is not claimed: claim it with makeMove`,
  );
}

/**
 * The size of each file is the service's to say: what the hash is of stands among the evidence, and has to be this text with these files.
 *
 * @throws {TransactionRefusedError} when the hash is not that of the result
 */
async function requireHashOf(
  client: LegworkClient,
  { legId, result, artifacts = [] }: ResultToHandIn,
  hash: string,
): Promise<void> {
  if (artifacts.length === 0 && hash === resultHash(result).hex) return;
  const { items } = artifacts.length === 0 ? { items: [] } : await client.listEvidence({ legId });
  const stored = items.find(({ text }) => resultHash(text).hex === hash);
  const read = stored && readResultDocument(stored.text);
  const namesOf = (files: readonly { sha256: string; name: string; contentType: string }[]) =>
    JSON.stringify(files.map(({ sha256, name, contentType }) => [sha256, name, contentType]));
  if (read?.result === result && namesOf(read.artifacts) === namesOf(artifacts)) return;
  throw new TransactionRefusedError(`the service would have ${hash} claimed, which is not the result's sha256`);
}
