import { isTerminal, type operations } from '@legwork/protocol/contract';
import { readPackageAccount } from '../../ledger/accounts.js';
import { closePackageInstruction } from '../../ledger/packageInstructions.js';
import { forWallet, requireOpenAccount, requireOwnFunds, wrongStatus } from '../exits.js';
import { requireNotHalted } from '../guards.js';
import type { Run } from '../run.js';
import { PACKAGE, requirePackage } from './guards.js';

export const buildCloseTx: Run<typeof operations.buildCloseTx> = async ({ db, ledger }, { packageId }) => {
  const parcel = await requirePackage(db, packageId);
  await requireNotHalted(db, PACKAGE, packageId, 'packageId');
  if (!isTerminal('package', parcel.status)) {
    throw wrongStatus(
      PACKAGE,
      `the package is ${parcel.status}; its account can be closed once it is delivered or failed`,
    );
  }
  requireOwnFunds(PACKAGE, parcel);
  requireOpenAccount(PACKAGE, await readPackageAccount(ledger, parcel.on_chain_package));
  const built = await forWallet(ledger, parcel.funder_pubkey, (signer) =>
    closePackageInstruction(ledger, parcel, signer),
  );
  return { answer: { packageId, ...built } };
};
