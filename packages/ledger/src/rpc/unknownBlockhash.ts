import { BLOCKHASH_AGE, type Commitment } from '../bank/commitment.js';
import type { Simulation } from '../bank/engine.js';
import type { WireTransaction } from '../bank/wire.js';
import type { RpcContext } from './context.js';

/** Whether a transaction may name this blockhash now, as seen from the latest slot with a commitment. Rule L-65. */
export function isBlockhashKnown(blockhash: Uint8Array, commitment: Commitment, { bank }: RpcContext): boolean {
  const last = bank.lastValidBlockHeight(blockhash);
  return last !== undefined && last - Number(BLOCKHASH_AGE) <= bank.slotAt(commitment);
}

/** How a transaction fails whose blockhash is newer than the slot that a call wants; undefined for any other. */
export function tooNewBlockhash(
  transaction: WireTransaction,
  commitment: Commitment,
  verifySignatures: boolean,
  context: RpcContext,
): Simulation | undefined {
  const { blockhash } = transaction.message;
  const isKnownNow = isBlockhashKnown(blockhash, 'processed', context);
  if (!isKnownNow || isBlockhashKnown(blockhash, commitment, context)) return undefined;
  const { err } = context.bank.simulate(transaction, { verifySignatures, anyBlockhash: true });
  return {
    err: err === 'SignatureFailure' ? err : 'BlockhashNotFound',
    logs: [],
    innerInstructions: [],
    unitsConsumed: 0n,
    returnData: null,
    postAccounts: new Map(),
  };
}
