import { parseSol } from '@legwork/protocol/contract';
import type { Terms, TermsChoice } from '@legwork/protocol/contract';
import { checkTerms, chosenTerms, packageCarrySec } from '@legwork/protocol/rules';
import type { RuleFault } from '@legwork/protocol/rules';
import type { PackageDraft } from './listPackage.js';
import type { ServiceConfig } from './serviceConfig.js';

/** What a draft asks for, and the terms that it means; null: none. */
export interface ListingTerms {
  readonly choice: TermsChoice;
  readonly terms: Terms | null;
}

/** What is asked for where the draft names nothing and the service has an arbiter. */
const USUAL: TermsChoice = { preset: 'standard', cosignedPickup: true };

/**
 * The terms that a draft means. One that names none gets `standard` with a pickup that the shipper signs too, if the service has an
 * arbiter and the draft's parties and budget allow it, else none.
 *
 * @throws {RangeError} when the draft names terms that the program would refuse
 */
export function listingTerms(draft: PackageDraft, shipper: string, config: ServiceConfig): ListingTerms {
  const plain = { choice: 'plain', terms: null } as const;
  if (draft.terms === undefined && config.arbiterPubkey === null) return plain;
  const choice = draft.terms ?? USUAL;
  const meant = meantBy(choice, draft, shipper, config);
  if (!(meant instanceof RangeError)) return { choice, terms: meant };
  if (draft.terms === undefined) return plain;
  throw meant;
}

function meantBy(
  choice: TermsChoice,
  draft: PackageDraft,
  shipper: string,
  { arbiterPubkey, coordinatorPubkey }: ServiceConfig,
): Terms | null | RangeError {
  const budgetLamports = parseSol(draft.maxBudgetSol);
  const origin = { lat: draft.originLat, lng: draft.originLng };
  const destination = { lat: draft.destLat, lng: draft.destLng };
  const carrySec = packageCarrySec(origin, destination);
  const terms = chosenTerms(choice, { kind: 'package', budgetLamports, carrySec, arbiterPubkey });
  if (terms === null) return null;
  if ('code' in terms) return refusal(terms);
  const parties = { shipperPubkey: shipper, funderPubkey: shipper, coordinatorPubkey, budgetLamports };
  const fault = checkTerms(terms, { kind: 'package', ...parties });
  return fault === undefined ? terms : refusal(fault);
}

const refusal = ({ field, message }: RuleFault) => new RangeError(`${field}: ${message}`);
