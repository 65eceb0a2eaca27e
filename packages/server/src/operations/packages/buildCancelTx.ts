import { canTransition, type operations, type RelayError } from '@agent-relay/protocol';
import { cancelInstruction } from '../../chain/exitTransactions.js';
import type { ListedPackageRow } from '../../db/packages.js';
import type { Run } from '../implement.js';
import { ended, forWallet, wrongStatus } from './exits.js';
import { requirePackage } from './requirePackage.js';

function cannotCancel(item: ListedPackageRow): RelayError {
  if (item.status !== 'in_transit') {
    return wrongStatus(`the package is ${ended(item)} and its escrow is paid out; there is nothing to cancel`);
  }
  return wrongStatus(
    'the package is in_transit: couriers are under way, and it can be cancelled only while it is listed; ' +
      `unless it is delivered, it can be reclaimed from ${item.deadline.toISOString()} (build-reclaim-tx)`,
  );
}

export const buildCancelTx: Run<typeof operations.buildCancelTx> = async ({ db, chain }, { packageId }) => {
  const item = await requirePackage(db, packageId);
  if (!canTransition('package', item.status, 'cancelled')) throw cannotCancel(item);
  const answer = await forWallet(chain, item, item.shipper_pubkey, (signer) => cancelInstruction(chain, item, signer));
  return { answer };
};
