import type { RelayInstruction } from '../decodeRelayInstruction.js';
import type { ReadLedger } from './ask.js';
import { findLanded } from './landedTransaction.js';
import { signaturePages } from './signaturePages.js';

/**
 * The newest successful transaction that names the account and holds an instruction of the program as `matches` says,
 * whoever sent it; undefined when the ledger's history shows none.
 */
export async function findTransactionOf(
  ledger: ReadLedger,
  account: string,
  matches: (instruction: RelayInstruction) => boolean,
): Promise<string | undefined> {
  for await (const page of signaturePages(ledger, account)) {
    for (const { signature, err } of page) {
      if (err !== null) continue;
      const landed = await findLanded(ledger, signature);
      if (landed?.instructions.some(matches)) return signature;
    }
  }
  return undefined;
}
