import { listingBinds, wantedListing } from '../../checks/signing.js';
import { service } from '../../data/service.js';
import type { Session } from '../../wallet/session.js';
import { signChecked } from '../../wallet/signChecked.js';
import type { Read } from './draft.js';

/** A listing that the wallet has signed: handed in again, it lists the same package. */
export interface SignedListing {
  readonly packageId: string;
  /** Base64. */
  readonly transaction: string;
}

const HOUR_MS = 3_600_000;

/**
 * Lets the service build the listing, checks that it says what was chosen, and lets the wallet sign it.
 *
 * @param hours from now to the deadline
 * @throws Error what differs, or what the wallet or the service refused
 */
export async function signListing(
  session: Session,
  { draft, budget, terms }: Read,
  hours: number,
): Promise<SignedListing> {
  if (!(hours > 0)) throw new Error('Say until when it has to be there.');
  const deadlineSec = Math.floor((Date.now() + hours * HOUR_MS) / 1000);
  const deadline = new Date(deadlineSec * 1000).toISOString();
  const shipper = session.account.address;
  const { packageId, transaction } = await service.buildListTx({ ...draft, shipperPubkey: shipper, deadline });
  const { description, originLat, originLng, destLat, destLng, weightKg, volumeLitres } = draft;
  const origin = { lat: originLat, lng: originLng };
  const listed = { description, origin, destination: { lat: destLat, lng: destLng }, weightKg, volumeLitres };
  const wanted = { packageId, shipper, maxBudget: budget, deadline: BigInt(deadlineSec), listed, terms };
  const signed = await signChecked(session, transaction, wantedListing(wanted), (read) => listingBinds(read, wanted));
  return { packageId, transaction: signed.transaction };
}

/** Hands it in. @throws Error what the service refused; unless the ledger did, it can be handed in again */
export async function listSigned(listing: SignedListing): Promise<void> {
  await service.submitPackage(listing);
}
