import { lamportsOf } from './assets.js';
import {
  getLegSize,
  getPackageSize,
  getTaskLegSize,
  getTaskSize,
  getTermsEncoder,
  getTurnEncoder,
  type Terms as LedgerTerms,
  type TermsArgs,
} from '@legwork/program-client';
import { lamportsToWire, type Terms, toLamports } from '@legwork/protocol/contract';
import { type Address, address } from '@solana/kit';
import type { PackageRow, TermsJson } from '../db/schema.js';

/** Stands on the ledger where terms name no receiver. */
const NOBODY: Address = address('11111111111111111111111111111111');
const COSIGNED_PICKUP = 1;

const TERMS_BYTES = getTermsEncoder().fixedSize;
const TURN_BYTES = getTurnEncoder().fixedSize;

/** Bytes of a package's account on the ledger, and of the account of one of its legs. */
export const packageBytes = (terms: TermsJson | null) => getPackageSize() + (terms === null ? 0 : TERMS_BYTES);
export const legBytes = (terms: TermsJson | null) => getLegSize() + (terms === null ? 0 : TURN_BYTES);
/** The same of a digital task. */
export const taskBytes = (terms: TermsJson | null) => getTaskSize() + (terms === null ? 0 : TERMS_BYTES);
export const taskLegBytes = (terms: TermsJson | null) => getTaskLegSize() + (terms === null ? 0 : TURN_BYTES);

/** Terms as a row keeps them; always with their fields in this order, as decisions are compared as text. */
export function termsJson(terms: Terms): TermsJson {
  return {
    receiverPubkey: terms.receiverPubkey,
    arbiterPubkey: terms.arbiterPubkey,
    // In base units, whatever the asset: what stands in a row and in its decision keeps its form.
    stakeLamports: lamportsToWire(terms.stake),
    carrySec: terms.carrySec,
    handoffSec: terms.handoffSec,
    reviewSec: terms.reviewSec,
    arbitrationSec: terms.arbitrationSec,
    cosignedPickup: terms.cosignedPickup,
  };
}

/** Terms of a row. */
export function readTerms(json: TermsJson, listing: { asset: number }): Terms {
  const stake = toLamports(BigInt(json.stakeLamports));
  return { ...json, stake, stakeLamports: lamportsOf(listing, stake) };
}

/** The terms of a listing that has some. */
export function termsOf(listing: Pick<PackageRow, 'id' | 'terms' | 'asset'>): Terms {
  const { id, terms } = listing;
  if (terms === null) throw new Error(`${id} has no terms`);
  return readTerms(terms, listing);
}

/** The clocks that the choice of a chain goes by. */
export const clocksOf = ({ carrySec, handoffSec }: TermsJson) => ({ carrySec, handoffSec });

/** Terms as list_package and list_task take them. */
export function ledgerTerms(terms: TermsJson): TermsArgs {
  return {
    receiver: terms.receiverPubkey === null ? NOBODY : address(terms.receiverPubkey),
    arbiter: address(terms.arbiterPubkey),
    stake: terms.stakeLamports,
    carry: terms.carrySec,
    handoff: terms.handoffSec,
    review: terms.reviewSec,
    arbitration: terms.arbitrationSec,
    flags: terms.cosignedPickup ? COSIGNED_PICKUP : 0,
  };
}

/** Terms as a row keeps them, of a listing that only the ledger knows. */
export function termsShown({
  receiver,
  arbiter,
  stake,
  carry,
  handoff,
  review,
  arbitration,
  flags,
}: LedgerTerms): TermsJson {
  return {
    receiverPubkey: receiver === NOBODY ? null : receiver,
    arbiterPubkey: arbiter,
    stakeLamports: lamportsToWire(toLamports(stake)),
    carrySec: carry,
    handoffSec: handoff,
    reviewSec: review,
    arbitrationSec: arbitration,
    cosignedPickup: (flags & COSIGNED_PICKUP) !== 0,
  };
}

/** Each of the terms with what the ledger shows and what a row says; all of them where only one of the two has terms. */
export function termsCompared(
  found: LedgerTerms | null,
  row: TermsJson | null,
): [name: string, found: unknown, wanted: unknown][] {
  const wanted = row && ledgerTerms(row);
  if (found === null && wanted === null) return [];
  const names = ['receiver', 'arbiter', 'stake', 'carry', 'handoff', 'review', 'arbitration', 'flags'] as const;
  return names.map((name) => [name, found && String(found[name]), wanted && String(wanted[name])]);
}
