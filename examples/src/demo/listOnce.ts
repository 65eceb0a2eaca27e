import { RelayApiError } from '@legwork/sdk';
import type { Listing, RunFolder } from './runFolder.js';

/** How one kind of thing is listed. */
export interface Listed<Signed extends Listing, Answer> {
  /** Whether what the record holds is of this kind. */
  readonly isSigned: (listing: Listing) => listing is Signed;
  readonly sign: () => Promise<Signed>;
  readonly submit: (listing: Signed) => Promise<Answer>;
}

/** Lists something under a key of this run, or finds it listed by an earlier part of the run: never twice. */
export async function listOnce<Signed extends Listing, Answer>(
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
      if (!(error instanceof RelayApiError) || error.code !== 'transaction_failed') throw error;
    }
  }
  const listing = await sign();
  await folder.save({ ...folder.record, listings: { ...folder.record.listings, [key]: listing } });
  return submit(listing);
}
