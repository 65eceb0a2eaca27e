import { packageTermsHash, taskTermsHash, type TermsHash } from '@legwork/protocol/rules';
import type { DigitalTaskDetail, PackageDetail } from '@legwork/sdk';
import type { Terms } from '@legwork/program-client';
import { boundDiffers } from './outcome.js';
import type { Outcome } from './outcome.js';
import { amountIn, t } from '../language.js';

/** A token, by its mint. */
export interface Token {
  readonly mint: string;
  readonly decimals: number;
}

/** What the ledger holds of a listing: in its account, or in the transaction that made it. */
export interface Listing {
  readonly shipper: string;
  readonly funder: string;
  readonly maxBudget: bigint;
  /** What its amounts are of; undefined: lamports. */
  readonly token: Token | undefined;
  /** Unix seconds. */
  readonly deadline: bigint;
  /** SHA-256 of the canonical JSON of what was listed. */
  readonly termsHash: ArrayLike<number>;
  /** What binds both sides; null: nothing does. */
  readonly terms?: Terms | null;
}

/** What both kinds of listing have. */
type Shown = Pick<
  PackageDetail,
  | 'termsHash'
  | 'asset'
  | 'decimals'
  | 'maxBudget'
  | 'deadline'
  | 'shipperPubkey'
  | 'funderPubkey'
  | 'terms'
  | 'requirements'
  | 'salt'
> & {
  /** What the service means by its asset; left out: SOL. */
  readonly token?: Token | undefined;
};
type ShownPackage = Shown &
  Pick<
    PackageDetail,
    'privateHashes' | 'description' | 'originLat' | 'originLng' | 'destLat' | 'destLng' | 'weightKg' | 'volumeLitres'
  >;
type ShownTask = Shown &
  Pick<DigitalTaskDetail, 'title' | 'description'> & {
    readonly legs: readonly Pick<DigitalTaskDetail['legs'][number], 'instruction'>[];
  };

/**
 * Compares a package as it is shown with what was signed for on the ledger: the terms by their hash, computed here, and budget,
 * deadline, shipper, funder, stake, clocks, receiver and arbiter as they are. Rule D-13.
 */
export function checkTerms(shown: ShownPackage, listing: Listing): Outcome {
  const { description, weightKg, volumeLitres, requirements, salt, privateHashes } = shown;
  const origin = { lat: shown.originLat, lng: shown.originLng };
  const destination = { lat: shown.destLat, lng: shown.destLng };
  return compare(
    packageTermsHash({ description, origin, destination, weightKg, volumeLitres, requirements, salt, privateHashes }),
    shown,
    listing,
  );
}

/** The same of a digital task, whose terms are its goal and the instructions of its legs. */
export function checkTaskTerms(shown: ShownTask, listing: Listing): Outcome {
  const instructions = shown.legs.map(({ instruction }) => instruction);
  const { title, description, requirements, salt } = shown;
  return compare(taskTermsHash({ title, description, instructions, requirements, salt }), shown, listing);
}

function compare(terms: TermsHash, shown: Shown, listing: Listing): Outcome {
  const difference =
    termsDiffer(terms, shown, listing) ??
    factDiffers(shown, listing) ??
    boundDiffers(shown.terms, listing.terms ?? null);
  return difference === undefined ? { holds: true, seen: t('Same on the ledger') } : { holds: false, difference };
}

function termsDiffer({ bytes, hex }: TermsHash, shown: Shown, { termsHash }: Listing): string | undefined {
  if (hex !== shown.termsHash) return t('The terms shown hash to {hex}.', { hex });
  const isSame = termsHash.length === bytes.length && bytes.every((byte, at) => byte === termsHash[at]);
  return isSame ? undefined : t('The ledger holds the hash of other terms.');
}

function factDiffers(shown: Shown, listing: Listing): string | undefined {
  const token = tokenDiffers(shown, listing.token);
  if (token !== undefined) return token;
  if (listing.maxBudget !== shown.maxBudget)
    return t('On the ledger the budget is {amount}.', { amount: amountIn(listing.maxBudget, shown) });
  if (listing.deadline * 1000n !== BigInt(shown.deadline.getTime())) return t('The ledger holds another deadline.');
  if (listing.shipper !== shown.shipperPubkey)
    return t('On the ledger {poster} posted it.', { poster: listing.shipper });
  return listing.funder === shown.funderPubkey
    ? undefined
    : t('On the ledger the funder is {funder}.', { funder: listing.funder });
}

function tokenDiffers({ asset, decimals, token }: Shown, listed: Token | undefined): string | undefined {
  if (listed === undefined)
    return token === undefined ? undefined : t('On the ledger it is paid in SOL, not in {asset}.', { asset });
  if (token === undefined) return t('On the ledger it is paid in a token, not in SOL.');
  if (listed.mint !== token.mint)
    return t('On the ledger it is paid in the token {mint}, not in {asset}.', { mint: listed.mint, asset });
  return listed.decimals === decimals
    ? undefined
    : t('On the ledger {asset} has {decimals} decimals.', { asset, decimals: listed.decimals });
}
