import {
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getSignatureFromTransaction,
  getTransactionDecoder,
} from '@solana/kit';
import type { Blockhash, GetSignatureStatusesApi, IsBlockhashValidApi, Rpc, Signature } from '@solana/kit';

/** The RPC methods that {@link fateOf} needs. */
export type FateRpc = Rpc<GetSignatureStatusesApi & IsBlockhashValidApi>;

/** What became of a signed transaction. `failed`: it landed and did nothing, or it can land no more. */
export type Fate = 'open' | 'landed' | 'failed';

const commitment = 'confirmed';

/** What the ledger says of a signed transaction in wire form, base64. */
export async function fateOf(
  rpc: FateRpc,
  base64: string,
): Promise<{ readonly signature: Signature; readonly fate: Fate }> {
  const transaction = getTransactionDecoder().decode(getBase64Encoder().encode(base64));
  const { lifetimeToken } = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
  const signature = getSignatureFromTransaction(transaction);
  // In this order: what could still land when it was asked is looked for afterwards.
  const { value: isAlive } = await rpc.isBlockhashValid(lifetimeToken as Blockhash, { commitment }).send();
  const { value } = await rpc.getSignatureStatuses([signature], { searchTransactionHistory: true }).send();
  const [status] = value;
  if (!status) return { signature, fate: isAlive ? 'open' : 'failed' };
  if (status.confirmationStatus === null || status.confirmationStatus === 'processed')
    return { signature, fate: 'open' };
  return { signature, fate: status.err === null ? 'landed' : 'failed' };
}
