import { budgetOf, funderOf, paidIn } from './assets.js';
import { createSalt, uuidToBytes } from '@legwork/protocol/contract';
import type { CallOf, operations, PackageDetail } from '@legwork/protocol/contract';
import { packageTermsHash, privateHashes, publicPlace } from '@legwork/protocol/rules';
import type { PrivateHashes } from '@legwork/protocol/rules';
import { unwrapOption } from '@solana/kit';
import { bytesToHex } from './hex.js';
import type { Budget } from './assets.js';
import { serviceConfig } from './client.js';
import type { LegworkClient, ServiceConfig } from './client.js';
import { listingTerms, termsCompared } from './listingTerms.js';
import { listingSalt, signIfAgreed, submitSigned, wantedDeadline } from './signedListing.js';
import type { Posted } from './signedListing.js';
import type { LedgerSigner } from './signer.js';

/**
 * A shipper's parcel; its own wallet is the signer's. Without `terms` it asks for `standard` ones with a pickup
 * that the shipper signs too, where the service has an arbiter, else for none; `'plain'` asks for none in any case.
 *
 * Exact addresses go into `private`: the service keeps them encrypted for the couriers who go there, and the public places are rounded.
 */
export type PackageDraft = Omit<
  CallOf<(typeof operations)['buildListTx']>,
  'shipperPubkey' | 'private' | keyof Budget
> &
  Budget & { readonly private?: PrivateDraft };

/**
 * A listing that is signed but perhaps not submitted yet. Keep it until the package is listed: submitting it again lists
 * the same package, never a second one.
 */
export interface SignedListing {
  readonly packageId: string;
  /** Wire transaction, base64, signed by this wallet; where the service pays for it, it signs when it is submitted. */
  readonly transaction: string;
}

/**
 * Lets the service build the listing of a package, checks that it locks exactly the draft's budget for exactly what the draft
 * describes, requires and binds both sides to, and signs it. Nothing is locked yet: `submitListing` does that.
 *
 * @throws {TransactionRefusedError} when the transaction is not the draft's
 * @throws {RangeError} when the draft names terms that the program would refuse, or has private parts and the service keeps none
 */
export async function signListing(
  client: LegworkClient,
  signer: LedgerSigner,
  given: PackageDraft,
): Promise<SignedListing> {
  const config = await serviceConfig(client);
  const asset = await paidIn(config, given.asset);
  const funder = await funderOf(config, given, signer.address, asset);
  const { places, parts, hashes } = privateCall(given, config);
  const draft = { ...given, ...places };
  const { choice, terms } = listingTerms(draft, signer.address, config, asset);
  const salt = listingSalt(draft, config);
  const { packageId, transaction: base64 } = await client.buildListTx({
    ...draft,
    terms: choice,
    salt,
    private: parts,
    shipperPubkey: signer.address,
  });
  const built = { base64, name: 'listPackage', token: asset.token, funder } as const;
  const transaction = await signIfAgreed(client, signer, built, ({ accounts, data }) => [
    ['package id', bytesToHex(data.packageId), bytesToHex(uuidToBytes(packageId))],
    ['shipper', accounts.shipper.address, signer.address],
    ['funder', accounts.funder.address, funder],
    ['budget (base units)', data.maxBudget, budgetOf(draft)],
    ['terms hash', bytesToHex(data.termsHash), termsHashOf({ ...draft, salt }, hashes)],
    ['deadline (unix seconds)', data.deadline, wantedDeadline(draft.deadline, data.deadline)],
    ...termsCompared(unwrapOption(data.terms), terms),
  ]);
  return { packageId, transaction };
}

/**
 * Submits a signed listing, the same bytes up to three times when no answer comes. Safe to repeat: a package already
 * listed is answered as it is, and a listing that reached the ledger long ago is found there.
 *
 * @throws {LegworkApiError} `transaction_failed` when the ledger refuses it; nothing is locked then
 * @throws {LegworkNetworkError} when no answer came and the ledger does not show it: whether it is listed is unknown, so submit it again
 */
export function submitListing(client: LegworkClient, listing: SignedListing): Promise<Posted<PackageDetail>> {
  const { packageId, transaction } = listing;
  return submitSigned(client, {
    transaction,
    submit: (proof) => client.submitPackage({ packageId, ...proof }),
    what: `wait until the service shows package ${packageId}`,
    known: () => ({ id: packageId }),
  });
}

/**
 * Lists a package: {@link signListing}, then {@link submitListing}. A program that may be killed between the two keeps
 * the signed listing itself and submits it again; calling this function again would list a second package.
 */
export async function listPackage(
  client: LegworkClient,
  signer: LedgerSigner,
  draft: PackageDraft,
): Promise<Posted<PackageDetail>> {
  return submitListing(client, await signListing(client, signer, draft));
}

function termsHashOf(draft: PackageDraft, hashes: PrivateHashes | null): string {
  return packageTermsHash({
    description: draft.description,
    origin: { lat: draft.originLat, lng: draft.originLng },
    destination: { lat: draft.destLat, lng: draft.destLng },
    weightKg: draft.weightKg,
    volumeLitres: draft.volumeLitres,
    requirements: draft.requirements,
    salt: draft.salt,
    privateHashes: hashes,
  }).hex;
}

type Call = CallOf<(typeof operations)['buildListTx']>;
type Part = NonNullable<NonNullable<Call['private']>['pickup']>;

/** The exact place of one end of a package, who is there, and how to reach them: for the courier who goes there. */
export type PrivatePartDraft = Omit<Part, 'salt'>;

/** The private details of a package's ends, for the courier who goes there alone. */
export interface PrivateDraft {
  readonly pickup?: PrivatePartDraft | undefined;
  readonly dropoff?: PrivatePartDraft | undefined;
}

type Places = Pick<Call, 'originLat' | 'originLng' | 'destLat' | 'destLng'>;

/** The parts of a call that follow from the draft's private parts. */
export interface PrivateCall {
  /** Rounded where the exact address is private, before anything leaves this machine. */
  readonly places: Places;
  /** With the salts of their hashes. */
  readonly parts: Call['private'];
  readonly hashes: PrivateHashes | null;
}

/** Rule S-140. @throws {RangeError} when there are private parts and the service keeps none */
export function privateCall(draft: Places & { readonly private?: PrivateDraft }, config: ServiceConfig): PrivateCall {
  const { originLat, originLng, destLat, destLng } = draft;
  const { pickup, dropoff } = draft.private ?? {};
  if ((pickup ?? dropoff) === undefined) {
    return { places: { originLat, originLng, destLat, destLng }, parts: undefined, hashes: null };
  }
  if (!config.privateParts) throw new RangeError('private: this service keeps no private parts; leave them out');
  const parts = { ...(pickup && { pickup: salted(pickup) }), ...(dropoff && { dropoff: salted(dropoff) }) };
  const [origin, destination] = [placeOf(originLat, originLng, pickup), placeOf(destLat, destLng, dropoff)];
  const places = { originLat: origin.lat, originLng: origin.lng, destLat: destination.lat, destLng: destination.lng };
  return { places, parts, hashes: privateHashes(parts) };
}

const salted = (part: PrivatePartDraft): Part => ({ ...part, salt: createSalt() });

const placeOf = (lat: number, lng: number, part: PrivatePartDraft | undefined) =>
  part === undefined ? { lat, lng } : publicPlace({ lat, lng });
