import { isDidKey, RelayError } from '@legwork/protocol/contract';
import type { AppContext } from '../../context.js';

/** Names this service's coordinator in place of a key. */
const COORDINATOR = 'coordinator';

/** The key that the path of a DID route names. Rules M-62, S-63. @throws RelayError `invalid_input` for one that has no DID */
export function didKey({ ledger }: Pick<AppContext, 'ledger'>, given: string): string {
  if (given === COORDINATOR) return ledger.coordinator.address;
  if (isDidKey(given)) return given;
  const message =
    `is not the key of a DID; give ${COORDINATOR}, or base58 of the 32 bytes of an Ed25519 public key ` +
    '(a point on the curve, not of small order)';
  throw RelayError.field('invalid_input', 'pubkey', message);
}
