import { budgetOf } from './assets.js';
import { termsChoice } from '@legwork/protocol/contract';
import type { Terms } from '@legwork/protocol/contract';
import {
  checkTerms,
  chosenTerms,
  DEFAULT_CLAIM_TIMEOUT_SEC,
  packageCarrySec,
  SOL_ASSET,
  taskCarrySec,
} from '@legwork/protocol/rules';
import type { PayableAsset, RuleFault } from '@legwork/protocol/rules';
import type { Terms as LedgerTerms } from '@legwork/program-client';
import type { DigitalTaskDraft } from './listDigitalTask.js';
import type { PackageDraft } from './listPackage.js';
import type { ServiceConfig } from './client.js';
import type { Term } from './signedListing.js';

/** The terms as the draft asks for them, and as they come out; null: none. */
interface ListingTerms {
  /** Undefined: none, so that a service without terms understands it. */
  readonly choice: Draft['terms'];
  readonly terms: Terms | null;
}

type Draft = PackageDraft | DigitalTaskDraft;

/** The terms to ask for where the draft names none and the service has an arbiter. */
const USUAL = {
  package: { preset: 'standard', cosignedPickup: true },
  task: { preset: 'standard' },
} as const satisfies Record<string, Draft['terms']>;

/**
 * The terms that a draft means. One that names none gets `standard`, of a package with a pickup that the shipper signs too, if the
 * service has an arbiter and the draft's parties and budget allow it, else none.
 *
 * @param lister its shipper or poster
 * @throws {RangeError} when the draft names terms that the program would refuse
 */
export function listingTerms(
  draft: Draft,
  lister: string,
  config: ServiceConfig,
  asset: PayableAsset = SOL_ASSET,
): ListingTerms {
  const plain = { choice: undefined, terms: null };
  if (draft.terms === 'plain' || (draft.terms === undefined && config.arbiterPubkey === null)) return plain;
  const choice = draft.terms ?? USUAL[kindOf(draft)];
  const meant = meantBy(choice, draft, lister, config, asset);
  if (!(meant instanceof RangeError)) return { choice, terms: meant };
  if (draft.terms === undefined) return plain;
  throw meant;
}

const kindOf = (draft: Draft): 'package' | 'task' => ('title' in draft ? 'task' : 'package');

function meantBy(
  choice: NonNullable<Draft['terms']>,
  draft: Draft,
  lister: string,
  { arbiterPubkey, coordinatorPubkey }: ServiceConfig,
  asset: PayableAsset,
): Terms | null | RangeError {
  const kind = kindOf(draft);
  const budgetLamports = budgetOf(draft);
  const terms = chosenTerms(termsChoice.parse(choice), {
    kind,
    budgetLamports,
    asset,
    carrySec: carrySecOf(draft),
    arbiterPubkey,
  });
  if (terms === null) return null;
  if ('code' in terms) return refusal(terms);
  const parties = { shipperPubkey: lister, funderPubkey: lister, coordinatorPubkey, budgetLamports, asset };
  const fault = checkTerms(terms, { kind, ...parties });
  return fault === undefined ? terms : refusal(fault);
}

function carrySecOf(draft: Draft): number {
  if ('title' in draft) return taskCarrySec(draft.claimTimeoutSec ?? DEFAULT_CLAIM_TIMEOUT_SEC);
  const origin = { lat: draft.originLat, lng: draft.originLng };
  return packageCarrySec(origin, { lat: draft.destLat, lng: draft.destLng });
}

const refusal = ({ field, message }: RuleFault) => new RangeError(`${field}: ${message}`);

/** Stands for no receiver in the program's terms. */
const NOBODY = '11111111111111111111111111111111';
/** The lister signs the first pickup too. */
export const COSIGNED_PICKUP = 1;

/**
 * Each field of the terms that the ledger has or would have, beside the one that is wanted. Rule T-1.
 *
 * @param found null: none
 * @param wanted null: none
 */
export function termsCompared(found: LedgerTerms | null, wanted: Terms | null): readonly Term[] {
  if (found === null || wanted === null) return [['terms', presence(found), presence(wanted)]];
  return [
    ['receiver', found.receiver, wanted.receiverPubkey ?? NOBODY],
    ['arbiter', found.arbiter, wanted.arbiterPubkey],
    ['stake (base units)', found.stake, wanted.stake],
    ['carry clock (seconds)', found.carry, wanted.carrySec],
    ['handoff clock (seconds)', found.handoff, wanted.handoffSec],
    ['review clock (seconds)', found.review, wanted.reviewSec],
    ['arbitration clock (seconds)', found.arbitration, wanted.arbitrationSec],
    ['flags', found.flags, wanted.cosignedPickup ? COSIGNED_PICKUP : 0],
  ];
}

const presence = (terms: object | null) => (terms === null ? 'none' : 'some');
