import { packageTermsDocument, taskTermsDocument } from '@legwork/protocol/rules';
import type { DigitalTaskDetail, PackageDetail } from '@legwork/protocol/contract';

/** What a listing says, for whoever has to give it to a service that lost it: `givePapers` takes it. */
export interface Papers {
  readonly listingId: string;
  /** The canonical JSON whose sha256 the ledger holds. */
  readonly document: string;
}

/**
 * The papers of a listing as a service shows it. Keep them with the listing's id: the ledger has no more of them than a hash.
 *
 * @throws {RangeError} for what was erased, or is not known to the service itself
 */
export function papersOf(listing: PackageDetail | DigitalTaskDetail): Papers {
  const { id, erasedAt, documentKnown } = listing;
  if (erasedAt !== null) throw new RangeError(`${id} was erased: nobody has its papers any more`);
  if (!documentKnown) throw new RangeError(`the service does not know what ${id} says: it has no papers to keep`);
  if ('legs' in listing) {
    const instructions = listing.legs.map(({ instruction }) => instruction);
    return { listingId: id, document: taskTermsDocument({ ...listing, instructions }) };
  }
  const origin = { lat: listing.originLat, lng: listing.originLng };
  const destination = { lat: listing.destLat, lng: listing.destLng };
  return { listingId: id, document: packageTermsDocument({ ...listing, origin, destination }) };
}
