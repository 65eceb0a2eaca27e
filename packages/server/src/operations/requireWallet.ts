import { parseWalletPubkey, PubkeyError, RelayError } from '@legwork/protocol/contract';
import type { AppContext } from '../context.js';

/** Refuses keys that no agent or shipper can have here: the program's and the coordinator's. @throws RelayError `invalid_input` */
export function requireWallet(context: AppContext, field: string, pubkey: string): void {
  const { programAddress, coordinator } = context.ledger;
  try {
    parseWalletPubkey(pubkey, [programAddress, coordinator.address]);
  } catch (error) {
    if (!(error instanceof PubkeyError)) throw error;
    throw RelayError.field('invalid_input', field, error.message);
  }
}
