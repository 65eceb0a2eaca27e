import {
  type Custody,
  isOnLedger,
  nonceIn,
  type Receipt,
  ReceiptError,
  verifyChain,
} from '@legwork/program-client/receipts';
import { findLanded } from '@legwork/program-client/history';
import { isSignature } from '@legwork/protocol/contract';
import { address, type GetTransactionApi, type Rpc } from '@solana/kit';
import { throwOurs } from './errors.js';

/** The content of receipts, and which of them the ledger was asked about. */
export interface VerifiedReceipts extends Custody {
  /** Places of receipts whose transactions the ledger has: what they hand over was paid. */
  readonly paid: readonly number[];
}

/**
 * Checks receipts without any service: offline their signatures, texts, order and hands; with an RPC of the ledger also that each that says
 * where it landed did, with this text, between these keys. A receipt without a text is proven by the ledger alone. Rule S-212.
 *
 * @throws {ReceiptError} the first one that does not hold, and why
 * @throws {LegworkNetworkError} when the ledger did not answer
 */
export async function verifyReceipts(
  chain: readonly Receipt[],
  { rpc }: { readonly rpc?: Rpc<GetTransactionApi> } = {},
): Promise<VerifiedReceipts> {
  const custody = await verifyChain(chain);
  const paid: number[] = [];
  if (rpc === undefined) return { ...custody, paid };
  const text = chain.find(({ signed }) => signed !== null)?.signed?.text;
  const nonce = text && nonceIn(text);
  for (const [place, receipt] of chain.entries()) {
    if (receipt.landed === null) continue;
    const { program, landed } = receipt;
    const found = isSignature(landed.transaction)
      ? await findLanded({ rpc, programAddress: address(program) }, landed.transaction).catch(throwOurs)
      : undefined;
    if (found?.kind !== 'landed' || found.error !== null) {
      throw new ReceiptError(place, `the ledger does not show that transaction ${landed.transaction} succeeded`);
    }
    if (!isOnLedger(receipt, found, nonce)) {
      throw new ReceiptError(place, `transaction ${landed.transaction} is not this handoff`);
    }
    paid.push(place);
  }
  return { ...custody, unproven: custody.unproven.filter((place) => !paid.includes(place)), paid };
}
