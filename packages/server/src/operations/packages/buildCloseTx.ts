import { isTerminal, type operations } from '@agent-relay/protocol';
import { readPackageAccount } from '../../chain/accounts.js';
import { closeInstruction } from '../../chain/exitTransactions.js';
import type { Run } from '../implement.js';
import { forWallet, wrongStatus } from './exits.js';
import { requirePackage } from './requirePackage.js';

export const buildCloseTx: Run<typeof operations.buildCloseTx> = async ({ db, chain }, { packageId }) => {
  const item = await requirePackage(db, packageId);
  if (!isTerminal('package', item.status)) {
    throw wrongStatus(`the package is ${item.status}; its account can be closed once it is delivered or failed`);
  }
  // Whoever funded it gets the rent; a shipper whose package was sponsored has none to get back.
  if (item.funder_pubkey !== item.shipper_pubkey) {
    throw wrongStatus(
      `${item.funder_pubkey} funded the package and gets the rent of its account; the coordinator closes what it funded by itself`,
    );
  }
  if ((await readPackageAccount(chain, item.on_chain_package)) === undefined) {
    throw wrongStatus('the account of the package is closed; its rent went to whoever funded it');
  }
  const answer = await forWallet(chain, item, item.funder_pubkey, (signer) => closeInstruction(chain, item, signer));
  return { answer };
};
