import { LegStatus, fetchMaybeLeg } from '@legwork/program-client';
import type { AnswerOf, operations } from '@legwork/protocol/contract';
import { address } from '@solana/kit';
import type { Address, GetAccountInfoApi, Rpc } from '@solana/kit';
import type { RelayClient } from './client.js';
import { confirmationsOf } from './confirmations.js';
import type { HistoryRpc } from './confirmations.js';
import { LedgerRefusedError, RelayApiError, TransactionRefusedError } from './errors.js';
import { serviceConfig } from './serviceConfig.js';
import { afterLanding } from './landed.js';
import type { Landed } from './landed.js';
import type { LedgerSigner } from './signer.js';
import { readTransaction } from './transactions/readTransaction.js';
import { sendTransaction } from './transactions/sendTransaction.js';
import type { SendRpc } from './transactions/sendTransaction.js';
import { signTransaction } from './transactions/signTransaction.js';

/** The RPC methods that confirming needs; `createSolanaRpc(config.rpcUrl)` of @solana/kit has them. */
export type ConfirmRpc = SendRpc & HistoryRpc & Rpc<GetAccountInfoApi>;

/** What the service recorded, and the transaction that says so on the ledger. */
export type ConfirmedLeg = Recorded & Landed;
type Recorded = AnswerOf<(typeof operations)['confirmLeg']>;

/**
 * Confirms a leg as its recipient (the courier of the next leg; for the last leg, the shipper): builds confirm_leg,
 * signs it, sends it to the ledger, waits until it is confirmed, and tells the service.
 *
 * What landed is not told as failed: when the service cannot be told, because the wallet signs no messages or nobody answers, `open` says so,
 * and the service finds the confirmation on the ledger by itself.
 *
 * Safe to repeat after any interruption. A confirmation that reached the ledger before is found there and only reported
 * again; nothing is signed or paid twice.
 *
 * @param client must have the recipient's signer
 * @param onChainLeg the leg's account, where the caller knows it by itself: another one is refused
 * @param rpc of the service's ledger, `createSolanaRpc((await client.getConfig()).rpcUrl)`
 * @throws {RelayApiError} `wrong_recipient`, `leg_out_of_order` and others of the two operations
 * @throws {LedgerRefusedError} when the ledger refuses the confirmation
 * @throws {TransactionRefusedError} when the service built another transaction
 */
export async function confirmLeg(
  client: RelayClient,
  rpc: ConfirmRpc,
  signer: LedgerSigner,
  legId: string,
  onChainLeg?: string,
): Promise<ConfirmedLeg> {
  const programId = address((await serviceConfig(client)).programId);
  try {
    const built = await client.buildConfirmTx({ legId });
    const signature = await confirmOnLedger(built, rpc, signer, { programId, onChainLeg });
    return await tell(client, legId, signature);
  } catch (error) {
    // A leg that is completed has no transaction to build any more.
    const turnPassed = isApiError(error, 'leg_out_of_order') || isApiError(error, 'invalid_status');
    const recorded = turnPassed ? await recordedConfirmation(client, rpc, signer, programId, legId) : undefined;
    if (recorded === undefined) throw error;
    return recorded;
  }
}

function tell(client: RelayClient, legId: string, signature: string): Promise<ConfirmedLeg> {
  const take = () => client.confirmLeg({ legId, signature });
  const known: Recorded = {
    legId,
    status: 'completed',
    finality: 'confirmed',
    swarmStatus: 'active',
    settleSignature: null,
  };
  return afterLanding(signature, { what: 'tell the service of the confirmation', take }, known);
}

async function confirmOnLedger(
  built: AnswerOf<(typeof operations)['buildConfirmTx']>,
  rpc: ConfirmRpc,
  signer: LedgerSigner,
  { programId, onChainLeg }: { programId: Address; onChainLeg: string | undefined },
): Promise<string> {
  const { instruction } = readTransaction(built.transaction, { programId, name: 'confirmLeg' });
  const recipient = instruction.accounts.recipient.address;
  if (recipient !== signer.address) {
    throw new TransactionRefusedError(`this leg is confirmed by ${recipient}, not by ${signer.address}`);
  }
  const leg = instruction.accounts.leg.address;
  if (onChainLeg !== undefined && leg !== onChainLeg) {
    throw new TransactionRefusedError(`the transaction confirms the leg at ${leg}, not the one at ${onChainLeg}`);
  }
  const { formation } = instruction.data;
  const earlier = await earlierConfirmation(rpc, programId, leg, formation);
  if (earlier !== undefined) return earlier;
  const signed = await signTransaction(built.transaction, signer, { programId, name: 'confirmLeg' });
  try {
    return await sendTransaction(rpc, signed, built.lastValidBlockHeight);
  } catch (error) {
    // Another run of the same wallet may have been faster.
    const other =
      error instanceof LedgerRefusedError ? await earlierConfirmation(rpc, programId, leg, formation) : undefined;
    if (other === undefined) throw error;
    return other;
  }
}

/** The signature of the transaction that completed the leg in this formation, if there is one. */
async function earlierConfirmation(
  rpc: ConfirmRpc,
  programId: Address,
  leg: Address,
  formation: number,
): Promise<string | undefined> {
  const account = await fetchMaybeLeg(rpc, leg, { commitment: 'confirmed' });
  if (account.exists && account.data.status === LegStatus.Pending) return undefined;
  for await (const confirmation of confirmationsOf(rpc, programId, leg)) {
    if (confirmation.leg === leg && confirmation.formation === formation) return confirmation.signature;
  }
  return undefined;
}

/** What the service recorded of a leg that this wallet confirmed before; undefined when there is nothing of the kind. */
async function recordedConfirmation(
  client: RelayClient,
  rpc: ConfirmRpc,
  signer: LedgerSigner,
  programId: Address,
  legId: string,
): Promise<ConfirmedLeg | undefined> {
  for await (const { signature } of confirmationsOf(rpc, programId, signer.address)) {
    try {
      return { ...(await client.confirmLeg({ legId, signature })), signature, open: null };
    } catch (error) {
      // No answer, or a service in trouble, says nothing about the leg.
      if (!(error instanceof RelayApiError) || error.status >= 500) throw error;
      // The signature of another leg: go on. Anything else: this leg is not one of ours, or its turn is to come.
      if (error.code !== 'wrong_transaction') return undefined;
    }
  }
  return undefined;
}

function isApiError(error: unknown, code: RelayApiError['code']): boolean {
  return error instanceof RelayApiError && error.code === code;
}
