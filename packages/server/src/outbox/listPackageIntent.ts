import { address } from '@solana/kit';
import { packageIdOf } from '../db/outbox.js';
import { findPackage } from '../db/packages.js';
import { readPackageAccount } from '../ledger/accounts.js';
import { findTransactionOf } from '@legwork/program-client/history';
import { listingDepartures, recordListed } from '../mirror/packageListed.js';
import { listInstruction } from '../ledger/walletTransactions.js';
import { listingIntent } from './listingIntent.js';

export const listPackageIntent = listingIntent({
  async draft({ db }, intent) {
    const item = await findPackage(db, packageIdOf(intent));
    if (!item) throw new Error(`intent ${intent.id} names a package that does not exist`);
    return item;
  },
  instruction: (ledger, draft) => listInstruction(ledger, draft, ledger.coordinator, address(draft.shipper_pubkey)),
  async find(ledger, draft) {
    if ((await readPackageAccount(ledger, draft.on_chain_package)) === undefined) return undefined;
    return findTransactionOf(
      ledger,
      draft.on_chain_package,
      (instruction) => listingDepartures(instruction, draft)?.length === 0,
    );
  },
  record: recordListed,
});
