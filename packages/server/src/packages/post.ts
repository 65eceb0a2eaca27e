import { packageAddress, vaultAddress } from '@legwork/program-client';
import {
  createUuid,
  type InputOf,
  type operations,
  LegworkError,
  uuidToBytes,
  createSalt,
} from '@legwork/protocol/contract';
import {
  checkDeadline,
  DEFAULT_BIDDING_WINDOW_SEC,
  DEFAULT_DEADLINE_SEC,
  packageCarrySec,
  packageTermsHash,
  type PrivateHashes,
  privateHashes,
  publicPlace,
} from '@legwork/protocol/rules';
import { address, type Address } from '@solana/kit';
import type { AppContext } from '../context.js';
import { type NewPackage, insertDraft } from './packageRows.js';
import { termsJson, packageBytes } from '../ledger/terms.js';
import { requireTerms, requireWallet, requireBudget } from '../operations/guards.js';
import { funderOf, requireMandate } from '../ledger/mandates.js';
import { buildListPackage } from '../ledger/packageInstructions.js';
import { insertPrivateParts } from '../personal/privateRows.js';
import { atEnd, inTransaction } from '../db/transaction.js';
import { sealPrivateParts } from '../personal/privateParts.js';
import { clientKey } from '../api/limits.js';
import type { Caller, In, Out } from '../operations/run.js';
import { listing } from '../coordinator/decisions.js';
import { packageSubject } from '../db/listings.js';
import { listingKey, postFunded, type ToBeFunded } from '../money/sponsoring.js';
import { PACKAGE } from '../listings/kinds.js';
import { readPackage } from './read.js';
import { marksOf } from '../work/words.js';
import { submitListing } from '../listings/submit.js';

/** The input of a poster; a sponsored one says it in SOL. */
type Parcel = InputOf<typeof operations.buildListTx>;

/** A package that is not listed yet. */
type Draft = NewPackage & { bidding_window_sec: number };

/**
 * Drafts a package; stores nothing.
 *
 * @param sponsor pays the escrow; left out: the shipper, or its mandate
 * @throws LegworkError `invalid_input`
 */
export async function draftPackage(context: AppContext, given: Parcel, sponsor?: Address): Promise<Draft> {
  const input = withPublicPlaces(given);
  requireWallet(context, 'shipperPubkey', input.shipperPubkey);
  const windowSec = input.biddingWindowSec ?? DEFAULT_BIDDING_WINDOW_SEC;
  const deadline = requireDeadline(context, input, windowSec);
  const { programAddress } = context.ledger;
  const id = createUuid();
  const onChainPackage = await packageAddress(programAddress, address(input.shipperPubkey), uuidToBytes(id));
  const { origin, destination } = placesOf(input);
  const carrySec = packageCarrySec(origin, destination);
  const { asset, budget } = await requireBudget(context, input);
  const funder = sponsor ?? (await funderOf(context.ledger, input, asset.number));
  const terms = requireTerms(context, { kind: 'package', ...input, asset, budget, funderPubkey: funder, carrySec });
  if (input.mandateOwnerPubkey !== undefined) {
    const wish = { kind: 'package', asset, budget, deadline, arbiterPubkey: terms?.arbiterPubkey } as const;
    await requireMandate(context.ledger, funder, wish);
  }
  const requirements = input.requirements ?? null;
  const { salt = null } = input;
  const hashes = hashesOf(input);
  const hashed = { ...input, origin, destination, requirements, privateHashes: hashes };
  const { hex: termsHash } = packageTermsHash(hashed);
  return {
    id,
    shipper_pubkey: input.shipperPubkey,
    funder_pubkey: funder,
    origin_lat: input.originLat,
    origin_lng: input.originLng,
    dest_lat: input.destLat,
    dest_lng: input.destLng,
    description: input.description,
    marks: await marksOf(context, [input.description], context.clock()),
    weight_kg: input.weightKg,
    volume_litres: input.volumeLitres,
    asset: asset.number,
    max_budget_lamports: budget,
    deadline,
    bidding_window_sec: windowSec,
    terms_hash: termsHash,
    salt,
    private_hashes: hashes,
    terms: terms && termsJson(terms),
    requirements,
    on_chain_package: onChainPackage,
    on_chain_vault: await vaultAddress(programAddress, onChainPackage),
  };
}

/** Where the exact address is private, the public place is rounded. */
function withPublicPlaces(input: Parcel): Parcel {
  const { origin, destination } = placesOf(input);
  const from = input.private?.pickup ? publicPlace(origin) : origin;
  const to = input.private?.dropoff ? publicPlace(destination) : destination;
  return { ...input, originLat: from.lat, originLng: from.lng, destLat: to.lat, destLng: to.lng };
}

/** @throws LegworkError `invalid_input` for private parts without a salt: the document has them from version 2 on */
function hashesOf({ private: parts, salt }: Parcel): PrivateHashes | null {
  if (parts === undefined) return null;
  if (salt !== undefined) return privateHashes(parts);
  throw LegworkError.field('invalid_input', 'salt', 'is needed with private parts: give 32 random hexadecimal digits');
}

const placesOf = (input: Parcel) => ({
  origin: { lat: input.originLat, lng: input.originLng },
  destination: { lat: input.destLat, lng: input.destLng },
});

/**
 * When the package has to be delivered, in whole seconds as the program counts them. Rules M-19, M-35.
 *
 * @throws LegworkError `invalid_input` when it is too near, too far, or not after the bidding window
 */
function requireDeadline(context: AppContext, input: Parcel, windowSec: number): Date {
  const now = context.clock().getTime();
  const seconds = Math.floor((input.deadline?.getTime() ?? now + DEFAULT_DEADLINE_SEC * 1000) / 1000);
  const deadline = new Date(seconds * 1000);
  const fault = checkDeadline(deadline.getTime(), now);
  if (fault) throw LegworkError.field(fault.code, fault.field, fault.message);
  const closesAt = new Date(now + windowSec * 1000);
  if (windowSec === 0 || deadline > closesAt) return deadline;
  throw LegworkError.field(
    'invalid_input',
    'deadline',
    `must lie after the bidding window, which ends at ${closesAt.toISOString()}; give a later deadline or a smaller biddingWindowSec`,
  );
}

export async function buildListTx(context: AppContext, input: In<'buildListTx'>, { ip }: Caller): Out<'buildListTx'> {
  const draft = await draftPackage(context, input);
  await context.limits.take('drafts', clientKey(ip));
  const unsigned = await buildListPackage(context.ledger, draft);
  const sealed = input.private && sealPrivateParts(context, draft.id, input.private);
  await inTransaction(context.db, async (trx) => {
    void atEnd(trx, () => Promise.all([insertDraft(trx, draft), sealed && insertPrivateParts(trx, draft.id, sealed)]));
  });
  return {
    answer: {
      packageId: draft.id,
      ...unsigned,
      onChainPackage: draft.on_chain_package,
      onChainVault: draft.on_chain_vault,
      termsHash: draft.terms_hash,
    },
  };
}

export async function postSponsored(
  context: AppContext,
  input: In<'postSponsored'>,
  caller: Caller,
): Out<'postSponsored'> {
  const funder = context.ledger.coordinator.address;
  const draft = async () => packageToFund(await draftPackage(context, { ...input, salt: createSalt() }, funder));
  const id = await postFunded(context, PACKAGE, draft, caller);
  return { answer: await readPackage(context, id) };
}

/** The input for funding a package. */
export function packageToFund(draft: Draft): ToBeFunded {
  const { id } = draft;
  return {
    of: PACKAGE,
    id,
    posterPubkey: draft.shipper_pubkey,
    budget: draft.max_budget_lamports,
    deadline: draft.deadline,
    accountBytes: packageBytes(draft.terms),
    insert: (trx, requestKey) => insertDraft(trx, { ...draft, request_key: requestKey }),
    intent: { kind: 'list_package', subject: packageSubject(id), key: listingKey(PACKAGE, id), packageId: id },
    listing: listing(draft),
  };
}

export async function submitPackage(context: AppContext, input: In<'submitPackage'>): Out<'submitPackage'> {
  await submitListing(context, PACKAGE, input.packageId, input);
  return { answer: await readPackage(context, input.packageId) };
}
