import { PackageStatus } from '@legwork/program-client';
import { type operations, RelayError } from '@legwork/protocol/contract';
import type { AppContext } from '../../context.js';
import { findPackage, isListed } from '../../db/packages.js';
import type { PackageRow } from '../../db/schema.js';
import { readPackageAccount } from '../../ledger/accounts.js';
import { packageListingDepartures } from '../../mirror/package.js';
import { type DraftListing, notAnyMore, submitListing } from '../listing.js';
import { fieldOf } from '../proof.js';
import type { Run } from '../run.js';
import { readPackage } from './view.js';

const BUILT_BY = 'POST /packages/build-tx';

export const submitPackage: Run<typeof operations.submitPackage> = async (context, input) => {
  const draft = await findPackage(context.db, input.packageId);
  if (!draft) throw RelayError.field('not_found', 'packageId', `no draft has this id; build one with ${BUILT_BY}`);
  const listing = listingOf(context, draft);
  if (!isListed(draft)) await submitListing(context, listing, input);
  const listed = await findPackage(context.db, draft.id);
  if (!listed || !isListed(listed)) throw new Error(`package ${draft.id} was listed and is not`);
  if (listed.failure_reason === 'cancelled') throw notAnyMore(listing, fieldOf(input), 'this package as Cancelled');
  return { answer: await readPackage(context, draft.id) };
};

function listingOf({ ledger, db }: AppContext, draft: PackageRow): DraftListing {
  return {
    noun: 'package',
    builtBy: BUILT_BY,
    departures: (instruction) => packageListingDepartures(instruction, draft),
    shown: async (since) => {
      const account = await readPackageAccount(ledger, draft.on_chain_package, since);
      return account && PackageStatus[account.status];
    },
    isMirrored: async () => {
      const row = await findPackage(db, draft.id);
      return row !== undefined && isListed(row);
    },
  };
}
