import { address } from '@solana/kit';
import type { AppContext } from '../../context.js';
import { finishIntent, type LeasedIntent, packageIdOf } from '../../db/outbox.js';
import { findPackage } from '../../db/packages.js';
import type { PackageRow } from '../../db/schema.js';
import { revokeSponsorship } from '../../db/sponsorships.js';
import { inTransaction } from '../../db/transaction.js';
import { readPackageAccount } from '../accounts.js';
import { findTransactionOf } from '../findTransaction.js';
import { listingDepartures, recordListed } from '../projections/packageListed.js';
import { listInstruction } from '../walletTransactions.js';
import type { IntentHandler } from './intentHandler.js';

async function packageOf(context: AppContext, intent: LeasedIntent): Promise<PackageRow> {
  const item = await findPackage(context.db, packageIdOf(intent));
  if (!item) throw new Error(`intent ${intent.id} names a package that does not exist`);
  return item;
}

/** The transaction that listed it, when the ledger shows it listed: bytes that looked expired may have landed all the same. */
async function findListing({ chain }: AppContext, item: PackageRow): Promise<string | undefined> {
  if ((await readPackageAccount(chain, item.on_chain_package)) === undefined) return undefined;
  return findTransactionOf(
    chain,
    item.on_chain_package,
    (instruction) => listingDepartures(instruction, item)?.length === 0,
  );
}

async function listed(context: AppContext, intent: LeasedIntent, signature: string): Promise<void> {
  const item = await packageOf(context, intent);
  await inTransaction(context.db, async (trx) => {
    await recordListed(trx, item, signature);
    await finishIntent(trx, intent);
  });
}

/** Lists a package with the coordinator's money; a listing that is refused leaves nothing behind. */
export const listPackageIntent: IntentHandler = {
  async instructions(context, intent) {
    const item = await packageOf(context, intent);
    const { chain } = context;
    if (item.status === 'draft') return [listInstruction(chain, item, chain.coordinator, address(item.shipper_pubkey))];
    await inTransaction(context.db, (trx) => finishIntent(trx, intent));
    return undefined;
  },

  landed: listed,

  async refused(context, intent, failure) {
    const item = await packageOf(context, intent);
    const listing = await findListing(context, item);
    if (listing !== undefined) return listed(context, intent, listing);
    await inTransaction(context.db, async (trx) => {
      await revokeSponsorship(trx, item.id);
      await finishIntent(trx, intent, failure.reason);
    });
    context.log.warn({ packageId: item.id, reason: failure.reason }, 'sponsored listing refused');
  },
};
