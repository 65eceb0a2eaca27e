import { LegworkApiError, signDigitalTask, signListing, submitDigitalTask, submitListing } from '@legwork/sdk';
import type { DigitalTaskDetail, DigitalTaskDraft, PackageDetail, PackageDraft } from '@legwork/sdk';
import type { Member } from './company.js';
import type { Listing, RunFolder } from './runFolder.js';

/** Lists a package under a key of this run, or finds it listed by an earlier part of the run: never twice. */
export function listPackageOnce(
  folder: RunFolder,
  key: string,
  { client, signer }: Member,
  draft: PackageDraft,
): Promise<PackageDetail> {
  return listOnce(folder, key, {
    isSigned: (listing) => 'packageId' in listing,
    sign: () => signListing(client, signer, draft),
    submit: async (listing) => {
      const listed = await submitListing(client, listing);
      return listed.open === null ? listed : client.getPackage({ packageId: listed.id });
    },
  });
}

/** The same of a digital task. */
export function listTaskOnce(
  folder: RunFolder,
  key: string,
  { client, signer }: Member,
  draft: DigitalTaskDraft,
): Promise<DigitalTaskDetail> {
  return listOnce(folder, key, {
    isSigned: (listing) => 'taskId' in listing,
    sign: () => signDigitalTask(client, signer, draft),
    submit: async (listing) => {
      const listed = await submitDigitalTask(client, listing);
      return listed.open === null ? listed : client.getDigitalTask({ taskId: listed.id });
    },
  });
}

/** How one kind of thing is listed. */
interface Listed<Signed extends Listing, Answer> {
  /** Reports whether the listing in the record is of this kind. */
  readonly isSigned: (listing: Listing) => listing is Signed;
  readonly sign: () => Promise<Signed>;
  readonly submit: (listing: Signed) => Promise<Answer>;
}

async function listOnce<Signed extends Listing, Answer>(
  folder: RunFolder,
  key: string,
  { isSigned, sign, submit }: Listed<Signed, Answer>,
): Promise<Answer> {
  const known = folder.record.listings[key];
  if (known !== undefined && isSigned(known)) {
    try {
      return await submit(known);
    } catch (error) {
      // Expired before it ever landed: nothing is locked, and it never will be.
      if (!(error instanceof LegworkApiError) || error.code !== 'transaction_failed') throw error;
    }
  }
  const listing = await sign();
  await folder.save({ ...folder.record, listings: { ...folder.record.listings, [key]: listing } });
  return submit(listing);
}
