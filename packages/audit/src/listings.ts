import { bytesToUuid } from '@legwork/protocol/contract';
import type { ReadonlyUint8Array } from '@solana/kit';
import { gapBefore } from './errors.js';
import type { ListingFacts } from './facts.js';

/** What an instruction that lists something says. */
interface Listed<Kind> extends Pick<ListingFacts, 'address' | 'vault' | 'shipper' | 'funder' | 'deadline'> {
  kind: Kind;
  id: ReadonlyUint8Array;
  maxBudget: bigint;
  termsHash: ReadonlyUint8Array;
}

/** The facts of something new at an address, which nothing was listed at before. */
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
    closeSignature: null,
    latestSignature: signature,
  };
}

/** What an instruction changes, which must be in one of the given statuses. */
export function listingIn<Item extends ListingFacts>(
  listings: ReadonlyMap<string, Item>,
  { name, at }: { name: string; at: string },
  statuses: readonly Item['status'][],
  signature: string,
): Item {
  const item = listings.get(at);
  if (item && statuses.includes(item.status)) {
    item.latestSignature = signature;
    return item;
  }
  throw gapBefore(signature, `${name} found ${at} ${item?.status ?? 'never listed'}`);
}

export function become<Item extends ListingFacts>(item: Item, status: Item['status'], signature: string): void {
  item.status = status;
  item.statusSignature = signature;
}

/** Its account is closed, once. */
export function close(item: ListingFacts, signature: string): void {
  if (item.closeSignature !== null) throw gapBefore(signature, `${item.address} was closed before`);
  item.closeSignature = signature;
}
