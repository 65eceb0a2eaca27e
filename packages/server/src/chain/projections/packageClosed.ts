import type { Trx } from '../../db/connect.js';
import { markClosed } from '../../db/packages.js';

/** Projects that the ledger shows the package's account closed; false when the mirror has it already. Rule P-67. */
export function recordClosed(trx: Trx, packageId: string, closeSignature: string): Promise<boolean> {
  return markClosed(trx, packageId, closeSignature);
}
