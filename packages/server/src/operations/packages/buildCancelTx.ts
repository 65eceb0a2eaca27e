import { PackageStatus } from '@legwork/program-client';
import { canTransition, type operations, type RelayError } from '@legwork/protocol/contract';
import type { ListedPackageRow } from '../../db/packages.js';
import { readPackageAccount } from '../../ledger/accounts.js';
import { cancelPackageInstruction } from '../../ledger/packageInstructions.js';
import { ended, forWallet, wrongStatus } from '../exits.js';
import { requireNotHalted } from '../guards.js';
import type { Run } from '../run.js';
import { PACKAGE, requirePackage } from './guards.js';

export const buildCancelTx: Run<typeof operations.buildCancelTx> = async ({ db, ledger }, { packageId }) => {
  const parcel = await requirePackage(db, packageId);
  await requireNotHalted(db, PACKAGE, packageId, 'packageId');
  if (!canTransition('package', parcel.status, 'cancelled')) throw cannotCancel(parcel);
  const account = await readPackageAccount(ledger, parcel.on_chain_package);
  if (account?.status === PackageStatus.Forming) {
    throw wrongStatus(
      PACKAGE,
      'the ledger shows a swarm that was begun and not completed, so the package is reclaimed instead, at once (build-reclaim-tx)',
    );
  }
  const built = await forWallet(ledger, parcel.shipper_pubkey, (signer) =>
    cancelPackageInstruction(ledger, parcel, signer),
  );
  return { answer: { packageId, ...built } };
};

function cannotCancel(parcel: ListedPackageRow): RelayError {
  if (parcel.status !== 'in_transit') {
    return wrongStatus(
      PACKAGE,
      `the package is ${ended(parcel)} and its escrow is paid out; there is nothing to cancel`,
    );
  }
  return wrongStatus(
    PACKAGE,
    'the package is in_transit: couriers are under way, and it can be cancelled only while it is listed; ' +
      `unless it is delivered, it can be reclaimed from ${parcel.deadline.toISOString()} (build-reclaim-tx)`,
  );
}
