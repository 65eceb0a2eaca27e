import { PackageStatus } from '@legwork/program-client';
import { canTransition, type operations, type RelayError } from '@legwork/protocol/contract';
import { readPackageAccount } from '../../ledger/accounts.js';
import { cancelInstruction } from '../../ledger/exitTransactions.js';
import type { ListedPackageRow } from '../../db/packages.js';
import { ended, forWallet, wrongStatus } from '../exits.js';
import type { Run } from '../run.js';
import { PACKAGE, requirePackage } from './requirePackage.js';

function cannotCancel(item: ListedPackageRow): RelayError {
  if (item.status !== 'in_transit') {
    return wrongStatus(PACKAGE, `the package is ${ended(item)} and its escrow is paid out; there is nothing to cancel`);
  }
  return wrongStatus(
    PACKAGE,
    'the package is in_transit: couriers are under way, and it can be cancelled only while it is listed; ' +
      `unless it is delivered, it can be reclaimed from ${item.deadline.toISOString()} (build-reclaim-tx)`,
  );
}

export const buildCancelTx: Run<typeof operations.buildCancelTx> = async ({ db, ledger }, { packageId }) => {
  const item = await requirePackage(db, packageId);
  if (!canTransition('package', item.status, 'cancelled')) throw cannotCancel(item);
  const account = await readPackageAccount(ledger, item.on_chain_package);
  if (account?.status === PackageStatus.Forming) {
    throw wrongStatus(
      PACKAGE,
      'the ledger shows a swarm that was begun and not completed, so the package is reclaimed instead, at once (build-reclaim-tx)',
    );
  }
  const built = await forWallet(ledger, item.shipper_pubkey, (signer) => cancelInstruction(ledger, item, signer));
  return { answer: { packageId, ...built } };
};
