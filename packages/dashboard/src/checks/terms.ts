import { packageTermsHash } from '@legwork/protocol/rules';
import { formatSol, type PackageDetail } from '@legwork/sdk';
import type { Outcome } from './outcome.js';

/** What the ledger holds of a listing: in its account, or in the transaction that made it. */
export interface Listing {
  readonly shipper: string;
  readonly funder: string;
  readonly maxBudget: bigint;
  /** Unix seconds. */
  readonly deadline: bigint;
  /** SHA-256 of the canonical JSON of what was listed. */
  readonly termsHash: ArrayLike<number>;
}

type Shown = Pick<
  PackageDetail,
  | 'description'
  | 'originLat'
  | 'originLng'
  | 'destLat'
  | 'destLng'
  | 'weightKg'
  | 'volumeLitres'
  | 'termsHash'
  | 'maxBudgetLamports'
  | 'deadline'
  | 'shipperPubkey'
  | 'funderPubkey'
>;

/**
 * Compares a package as it is shown with what was signed for on the ledger: the terms by their hash, computed here, and budget,
 * deadline, shipper and funder as they are. Rule D-13.
 */
export function checkTerms(shown: Shown, listing: Listing): Outcome {
  const difference = termsDiffer(shown, listing) ?? factDiffers(shown, listing);
  return difference === undefined ? { holds: true, seen: 'Same on the ledger' } : { holds: false, difference };
}

function termsDiffer(shown: Shown, { termsHash }: Listing): string | undefined {
  const { description, weightKg, volumeLitres } = shown;
  const origin = { lat: shown.originLat, lng: shown.originLng };
  const destination = { lat: shown.destLat, lng: shown.destLng };
  const { bytes, hex } = packageTermsHash({ description, origin, destination, weightKg, volumeLitres });
  if (hex !== shown.termsHash) return `The terms shown hash to ${hex}.`;
  const isSame = termsHash.length === bytes.length && bytes.every((byte, at) => byte === termsHash[at]);
  return isSame ? undefined : 'The ledger holds the hash of other terms.';
}

function factDiffers(shown: Shown, listing: Listing): string | undefined {
  if (listing.maxBudget !== shown.maxBudgetLamports)
    return `On the ledger the budget is ${formatSol(listing.maxBudget)} SOL.`;
  if (listing.deadline * 1000n !== BigInt(shown.deadline.getTime())) return 'The ledger holds another deadline.';
  if (listing.shipper !== shown.shipperPubkey) return `On the ledger the shipper is ${listing.shipper}.`;
  return listing.funder === shown.funderPubkey ? undefined : `On the ledger the funder is ${listing.funder}.`;
}
