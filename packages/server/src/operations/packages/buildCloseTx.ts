import { isTerminal, type operations } from '@legwork/protocol';
import { readPackageAccount } from '../../chain/accounts.js';
import { closeInstruction } from '../../chain/exitTransactions.js';
import { forWallet, requireOpenAccount, requireOwnFunds, wrongStatus } from '../exits.js';
import type { Run } from '../implement.js';
import { PACKAGE, requirePackage } from './requirePackage.js';

export const buildCloseTx: Run<typeof operations.buildCloseTx> = async ({ db, chain }, { packageId }) => {
  const item = await requirePackage(db, packageId);
  if (!isTerminal('package', item.status)) {
    throw wrongStatus(
      PACKAGE,
      `the package is ${item.status}; its account can be closed once it is delivered or failed`,
    );
  }
  requireOwnFunds(PACKAGE, item);
  requireOpenAccount(PACKAGE, await readPackageAccount(chain, item.on_chain_package));
  const built = await forWallet(chain, item.funder_pubkey, (signer) => closeInstruction(chain, item, signer));
  return { answer: { packageId, ...built } };
};
