import type { AnswerOf, CallOf, operations } from '@legwork/protocol/contract';
import { resultHash } from '@legwork/protocol/rules';
import type { RelayClient } from '../client.js';
import type { RelaySigner } from '../signer.js';
import { legOnLedger, requireMove } from './buildMove.js';
import type { MoveOptions } from './buildMove.js';
import { expectedMove } from './expectedMoves.js';
import { signMove, submitMove } from './makeMove.js';
import type { MadeMove } from './makeMove.js';

type Operation = (typeof operations)['completeDigitalLeg'];

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
 * @throws {RelayApiError} `not_your_leg`, `leg_out_of_order`, `invalid_status`, `transaction_failed` and others of the two operations
 * @throws {TransactionRefusedError} when the service built another transaction, or says otherwise than the ledger
 * @throws {LedgerRefusedError} when the ledger shows that the claim failed
 * @throws {RelayNetworkError} when no answer came, or the ledger does not show the claim within half a minute
 */
export async function completeDigitalLeg(
  client: RelayClient,
  signer: RelaySigner,
  { taskId, legId, result }: Pick<CallOf<Operation>, 'taskId' | 'legId' | 'result'>,
  options: Pick<MoveOptions, 'rpc'> = {},
): Promise<CompletedDigitalLeg> {
  const { address } = signer;
  const handedIn = await client.completeDigitalLeg({ taskId, legId, agentPubkey: address, result });
  const { claimTransaction } = handedIn;
  if (claimTransaction === null) return { ...handedIn, claim: null };
  const leg = await legOnLedger(client, address, { legId, taskId }, options);
  const { forms } = expectedMove(leg, address, { action: 'claim', hash: resultHash(result).hex });
  const transaction = requireMove(claimTransaction, leg, { forms, signers: [address] });
  const claim = await submitMove(client, legId, await signMove({ transaction }, [signer]), options);
  return { ...handedIn, stage: claim.stage, claim };
}
