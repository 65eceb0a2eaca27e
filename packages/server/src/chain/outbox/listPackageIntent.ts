import { address } from '@solana/kit';
import { packageIdOf } from '../../db/outbox.js';
import { findPackage } from '../../db/packages.js';
import { readPackageAccount } from '../accounts.js';
import { findTransactionOf } from '@legwork/program-client/history';
import { listingDepartures, recordListed } from '../projections/packageListed.js';
import { listInstruction } from '../walletTransactions.js';
import { listingIntent } from './listingIntent.js';

export const listPackageIntent = listingIntent({
  async draft({ db }, intent) {
    const item = await findPackage(db, packageIdOf(intent));
    if (!item) throw new Error(`intent ${intent.id} names a package that does not exist`);
    return item;
  },
  instruction: (chain, draft) => listInstruction(chain, draft, chain.coordinator, address(draft.shipper_pubkey)),
  async find(chain, draft) {
    if ((await readPackageAccount(chain, draft.on_chain_package)) === undefined) return undefined;
    return findTransactionOf(
      chain,
      draft.on_chain_package,
      (instruction) => listingDepartures(instruction, draft)?.length === 0,
    );
  },
  record: recordListed,
});
