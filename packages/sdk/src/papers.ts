import { packageTermsDocument, packageTermsHash, taskTermsDocument, taskTermsHash } from '@legwork/protocol/rules';
import { operations } from '@legwork/protocol/contract';
import type { DigitalTaskDetail, PackageDetail } from '@legwork/protocol/contract';
import { decodeKnown } from './decodeKnown.js';

/** The texts of a listing, for a party that has to give them to a service that lost them: `givePapers` takes them. */
export interface Papers {
  readonly listingId: string;
  /** The canonical JSON whose sha256 the ledger holds. */
  readonly document: string;
}

/**
 * The papers of a listing as a service shows it. Keep them with the listing's id: the ledger has no more of them than a hash.
 *
 * @throws {RangeError} for what was erased, is not known to the service itself, or has another hash than the listing
 */
export function papersOf(listing: PackageDetail | DigitalTaskDetail): Papers {
  const { id, erasedAt, documentKnown } = listing;
  if (erasedAt !== null) throw new RangeError(`${id} was erased: nobody has its papers any more`);
  if (!documentKnown) throw new RangeError(`the service does not know what ${id} says: it has no papers to keep`);
  if ('legs' in listing) {
    const terms = { ...listing, instructions: listing.legs.map(({ instruction }) => instruction) };
    return checked(listing, taskTermsDocument(terms), taskTermsHash(terms).hex);
  }
  const origin = { lat: listing.originLat, lng: listing.originLng };
  const terms = { ...listing, origin, destination: { lat: listing.destLat, lng: listing.destLng } };
  return checked(listing, packageTermsDocument(terms), packageTermsHash(terms).hex);
}

function checked({ id, termsHash }: PackageDetail | DigitalTaskDetail, document: string, hash: string): Papers {
  if (hash === termsHash) return { listingId: id, document };
  throw new RangeError(
    `what the service shows of ${id} has the hash ${hash}, and not ${termsHash}: it is not its papers`,
  );
}

/**
 * The papers of a package or a task as `GET /packages/{id}` or `GET /digital-tasks/{id}` answered it once, in JSON; undefined: it is no such answer.
 *
 * @throws {RangeError} as {@link papersOf}
 */
export function papersOfAnswer(json: unknown): Papers | undefined {
  for (const { answer } of [operations.getPackage, operations.getDigitalTask]) {
    // It removes the members that it does not know.
    const read = decodeKnown(answer, structuredClone(json));
    if (read.success) return papersOf(read.data);
  }
  return undefined;
}
