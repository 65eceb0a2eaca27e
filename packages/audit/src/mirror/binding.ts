import type { Terms } from '@legwork/program-client';
import type { ListingFacts } from '@legwork/program-client/facts';
import type { TermsJson } from '@legwork/server/schema';
import type { Value } from '../findings.js';

/** Stands on the ledger where terms name no receiver. */
const NOBODY = '11111111111111111111111111111111';
/** Of the flags: the lister signs the first pickup too. */
const COSIGNED_PICKUP = 1;

/** Terms as a row keeps them. */
function termsAsKept(terms: Terms): TermsJson {
  return {
    receiverPubkey: terms.receiver === NOBODY ? null : terms.receiver,
    arbiterPubkey: terms.arbiter,
    stakeLamports: Number(terms.stake),
    carrySec: terms.carry,
    handoffSec: terms.handoff,
    reviewSec: terms.review,
    arbitrationSec: terms.arbitration,
    cosignedPickup: (terms.flags & COSIGNED_PICKUP) !== 0,
  };
}

const FIELDS = [
  'receiverPubkey',
  'arbiterPubkey',
  'stakeLamports',
  'carrySec',
  'handoffSec',
  'reviewSec',
  'arbitrationSec',
  'cosignedPickup',
] as const satisfies (keyof TermsJson)[];

/** Each of the terms that differs, with what the row and the ledger say. Rule T-1. */
export function differingTerms(
  row: { terms: TermsJson | null },
  { terms }: ListingFacts,
): [field: string, here: Value, ledger: Value][] {
  if (row.terms === null || terms === null) {
    return row.terms === terms ? [] : [['terms', row.terms && 'some', terms && 'some']];
  }
  const [here, ledger] = [row.terms, termsAsKept(terms)];
  const valueOf = (value: TermsJson[keyof TermsJson]) => (typeof value === 'boolean' ? String(value) : value);
  return FIELDS.filter((field) => here[field] !== ledger[field]).map((field) => {
    return [`${field} of its terms`, valueOf(here[field]), valueOf(ledger[field])];
  });
}
