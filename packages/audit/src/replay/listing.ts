import type { Terms } from '@legwork/program-client';
import { bytesToUuid } from '@legwork/protocol/contract';
import type { ReadonlyUint8Array } from '@solana/kit';
import { gapBefore } from '../errors.js';

/** What a package or a digital task is on the ledger. */
type ListingStatus =
  | 'listed'
  | 'forming'
  | 'in_transit'
  | 'delivered'
  | 'in_progress'
  | 'completed'
  | 'cancelled'
  | 'reclaimed';

/** What packages and digital tasks have in common: signed terms, and a budget in a vault. */
export interface ListingFacts {
  kind: 'package' | 'digital task';
  address: string;
  vault: string;
  /** The service's id. */
  id: string;
  /** The shipper of a package. */
  poster: string;
  funder: string;
  budgetLamports: bigint;
  /** Unix seconds. */
  deadline: bigint;
  /** Lower-case hexadecimal. */
  termsHash: string;
  /** Null: nothing binds both sides. */
  terms: Terms | null;
  listSignature: string;
  status: ListingStatus;
  /** Of the transaction that made the status what it is. */
  statusSignature: string;
  paidLamports: bigint;
  /** What came into the vault after the listing: forfeited stakes, and what wallets could not receive. */
  gainedLamports: bigint;
  closeSignature: string | null;
  /** Of the transaction that changed it last. */
  latestSignature: string;
}

/** How findings name it. */
export function subjectOf({ kind, id }: Pick<ListingFacts, 'kind' | 'id'>): string {
  return `${kind} ${id}`;
}

/** Its kind, as the rules name it. */
export function ruleKind({ kind }: Pick<ListingFacts, 'kind'>): 'package' | 'task' {
  return kind === 'package' ? 'package' : 'task';
}

/** Whether only its account can still change, by being closed. */
export function isOver(listing: ListingFacts): boolean {
  return settleSignatureOf(listing) !== null || endSignatureOf(listing) !== null;
}

/** The signature that settled it; null: none did. */
export function settleSignatureOf({ status, statusSignature }: ListingFacts): string | null {
  return status === 'delivered' || status === 'completed' ? statusSignature : null;
}

/** The signature that cancelled or reclaimed it; null: none did. */
export function endSignatureOf({ status, statusSignature }: ListingFacts): string | null {
  return status === 'cancelled' || status === 'reclaimed' ? statusSignature : null;
}

/** What the vault holds of its own, above its rent: the unpaid budget, and what it gained. */
export function leftInVault({ budgetLamports, paidLamports, gainedLamports }: ListingFacts): bigint {
  return budgetLamports - paidLamports + gainedLamports;
}

/** What its settlement returned to the funder; null: it is not settled. */
export function refundOf(listing: ListingFacts): bigint | null {
  return settleSignatureOf(listing) === null ? null : leftInVault(listing);
}

/** What a listing instruction says. */
interface Listed<Kind> extends Pick<ListingFacts, 'address' | 'vault' | 'poster' | 'funder' | 'deadline' | 'terms'> {
  kind: Kind;
  id: ReadonlyUint8Array;
  maxBudget: bigint;
  termsHash: ReadonlyUint8Array;
}

/** The facts of a new listing, at an address that had none. */
export function newListing<Kind extends ListingFacts['kind']>(
  listings: ReadonlyMap<string, ListingFacts>,
  { id, maxBudget, termsHash, ...listed }: Listed<Kind>,
  signature: string,
): ListingFacts & { kind: Kind; status: 'listed' } {
  if (listings.has(listed.address)) throw gapBefore(signature, `${listed.kind} ${listed.address} was listed before`);
  return {
    ...listed,
    id: bytesToUuid(Uint8Array.from(id)),
    budgetLamports: maxBudget,
    termsHash: Buffer.from(termsHash).toString('hex'),
    listSignature: signature,
    status: 'listed',
    statusSignature: signature,
    paidLamports: 0n,
    gainedLamports: 0n,
    closeSignature: null,
    latestSignature: signature,
  };
}

/** The listing that an instruction changes, which must be in one of the given statuses. */
export function listingIn<Listing extends ListingFacts>(
  listings: ReadonlyMap<string, Listing>,
  { name, at }: { name: string; at: string },
  statuses: readonly Listing['status'][],
  signature: string,
): Listing {
  const listing = listings.get(at);
  if (listing && statuses.includes(listing.status)) {
    listing.latestSignature = signature;
    return listing;
  }
  throw gapBefore(signature, `${name} found ${at} ${listing?.status ?? 'never listed'}`);
}

/** Moves it to a status. */
export function become<Listing extends ListingFacts>(
  listing: Listing,
  status: Listing['status'],
  signature: string,
): void {
  listing.status = status;
  listing.statusSignature = signature;
}

/** Closes its account, which happens once. */
export function close(listing: ListingFacts, signature: string): void {
  if (listing.closeSignature !== null) throw gapBefore(signature, `${listing.address} was closed before`);
  listing.closeSignature = signature;
}
