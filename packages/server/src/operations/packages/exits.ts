import { RelayError } from '@agent-relay/protocol';
import { address, createNoopSigner, type Instruction, type TransactionSigner } from '@solana/kit';
import type { Chain } from '../../chain/chain.js';
import { compileForWallet, type UnsignedTransaction } from '../../chain/compile.js';
import type { ListedPackageRow } from '../../db/packages.js';

/** The answer of an operation that builds a transaction about a package. */
interface ForWallet extends UnsignedTransaction {
  packageId: string;
  signerPubkey: string;
}

/** Compiles what is built for the wallet that has to sign. */
export async function forWallet(
  chain: Chain,
  item: ListedPackageRow,
  signerPubkey: string,
  instructionFor: (signer: TransactionSigner) => Instruction,
): Promise<ForWallet> {
  const signer = createNoopSigner(address(signerPubkey));
  const unsigned = await compileForWallet(chain.rpc, signer.address, [instructionFor(signer)]);
  return { packageId: item.id, signerPubkey, ...unsigned };
}

/** `invalid_status` for a package: what it is, and what would be right. */
export function wrongStatus(message: string): RelayError {
  return RelayError.field('invalid_status', 'packageId', message);
}

/** What a package that is over is, in words. */
export function ended(item: ListedPackageRow): string {
  return item.failure_reason === null ? item.status : `${item.status} (${item.failure_reason})`;
}
