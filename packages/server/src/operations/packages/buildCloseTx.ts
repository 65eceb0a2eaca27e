import { isTerminal, type operations } from '@legwork/protocol/contract';
import { readPackageAccount } from '../../ledger/accounts.js';
import { closeInstruction } from '../../ledger/exitTransactions.js';
import { forWallet, requireOpenAccount, requireOwnFunds, wrongStatus } from '../exits.js';
import type { Run } from '../run.js';
import { PACKAGE, requirePackage } from './requirePackage.js';

export const buildCloseTx: Run<typeof operations.buildCloseTx> = async ({ db, ledger }, { packageId }) => {
  const item = await requirePackage(db, packageId);
  if (!isTerminal('package', item.status)) {
    throw wrongStatus(
      PACKAGE,
      `the package is ${item.status}; its account can be closed once it is delivered or failed`,
    );
  }
  requireOwnFunds(PACKAGE, item);
  requireOpenAccount(PACKAGE, await readPackageAccount(ledger, item.on_chain_package));
  const built = await forWallet(ledger, item.funder_pubkey, (signer) => closeInstruction(ledger, item, signer));
  return { answer: { packageId, ...built } };
};
