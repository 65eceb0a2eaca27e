import { faultOf } from '../data/faultWords.js';
import { didOf } from '@legwork/protocol/contract';
import {
  type CredentialPayload,
  type CredentialRefusal,
  type LedgerComparison,
  type LedgerReputation,
  verifyReputationCredential,
} from '@legwork/sdk';
import type { Outcome } from './outcome.js';

/** What one question came to; one that depends on another that failed is not asked. */
export type Finding = Outcome | { readonly couldNot: string };

/** A credential, and what it is checked by. */
export interface CredentialQuestion {
  readonly jwt: string;
  /** Whom it has to be about. */
  readonly agentPubkey: string;
  /** The keys of the coordinator's DID document, base58. */
  readonly issuerPubkeys: readonly string[];
  /** The figures that the page shows. */
  readonly shown: LedgerReputation;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/** What was found about each thing that counts. */
export interface CredentialFindings {
  /** EdDSA by a key of the coordinator. */
  readonly signature: Finding;
  /** About this agent, and not expired. */
  readonly validity: Finding;
  /** Its three figures are those of the account. */
  readonly figures: Finding;
  /** The three figures of the page are those of the account. */
  readonly page: Finding;
}

const REFUSED: Readonly<Record<CredentialRefusal, string>> = {
  malformed: 'It is not a reputation credential.',
  unsupported_alg: 'It is not signed with EdDSA.',
  unknown_issuer: 'Its issuer is not the coordinator.',
  bad_signature: 'Its issuer did not sign it.',
  subject_mismatch: 'It names two subjects.',
  not_yet_valid: 'It is not valid yet.',
  expired: 'It has expired.',
  too_old: 'It is too old.',
};

/** What is refused although the signature is good. */
const SIGNED: readonly CredentialRefusal[] = ['subject_mismatch', 'not_yet_valid', 'expired', 'too_old'];

const UNSIGNED = { couldNot: 'nothing in it counts without a signature' } as const;
const INVALID = { couldNot: 'it is not valid' } as const;

/**
 * Looks at a credential: who signed it, whether it is valid now and about this agent, and whether its figures and those of the
 * page are what the ledger holds. Rule D-15.
 *
 * @param askLedger compares its figures with the account; asked only about a valid one
 */
export async function checkCredential(
  { jwt, agentPubkey, issuerPubkeys, shown, nowMs }: CredentialQuestion,
  askLedger: (payload: CredentialPayload) => Promise<LedgerComparison>,
): Promise<CredentialFindings> {
  const checked = verifyReputationCredential(jwt, { issuerPubkeys, nowMs });
  const refusal = checked.valid ? undefined : checked.reason;
  if (refusal !== undefined && !SIGNED.includes(refusal)) {
    return { signature: differs(REFUSED[refusal]), validity: UNSIGNED, figures: UNSIGNED, page: UNSIGNED };
  }
  const signature = { holds: true, seen: "EdDSA, by the coordinator's key" } as const;
  if (!checked.valid) return { signature, validity: differs(REFUSED[checked.reason]), figures: INVALID, page: INVALID };
  const { payload } = checked;
  if (payload.sub !== didOf(agentPubkey)) {
    return { signature, validity: differs(`It is about ${payload.sub}.`), figures: INVALID, page: INVALID };
  }
  return { signature, validity: validityOf(payload), ...(await figuresOf(payload, shown, askLedger)) };
}

function validityOf({ exp }: CredentialPayload): Finding {
  if (exp === undefined) return differs('It never expires.');
  return {
    holds: true,
    seen: `About this agent, until ${new Date(exp * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`,
  };
}

async function figuresOf(
  payload: CredentialPayload,
  shown: LedgerReputation,
  askLedger: (payload: CredentialPayload) => Promise<LedgerComparison>,
): Promise<Pick<CredentialFindings, 'figures' | 'page'>> {
  try {
    const comparison = await askLedger(payload);
    const page = 'ledger' in comparison ? compare(shown, comparison) : { couldNot: 'the ledger shows no figures' };
    return { figures: compare(payload.vc.credentialSubject, comparison), page };
  } catch (error) {
    const finding = { couldNot: faultOf(error, 'the ledger did not answer') };
    return { figures: finding, page: finding };
  }
}

const FIGURES = {
  legsAccepted: 'legs accepted',
  legsCompleted: 'legs completed',
  reliabilityScore: 'reliability',
} as const satisfies Record<keyof LedgerReputation, string>;

/** Three figures and those of the account. */
function compare(said: LedgerReputation, comparison: LedgerComparison): Outcome {
  if (comparison.status === 'wrong_account') return differs("It names an account that is not this agent's reputation.");
  if (comparison.status === 'no_account') return differs('The ledger has no reputation account of this agent.');
  const { ledger } = comparison;
  const different = (Object.keys(FIGURES) as (keyof LedgerReputation)[]).filter((name) => said[name] !== ledger[name]);
  if (different.length > 0) {
    return differs(
      `${different.map((name) => `${FIGURES[name]} ${said[name]}, on the ledger ${ledger[name]}`).join('; ')}.`,
    );
  }
  return {
    holds: true,
    seen: `${ledger.legsAccepted} accepted, ${ledger.legsCompleted} completed, ${ledger.reliabilityScore} of 100`,
  };
}

const differs = (difference: string): Outcome => ({ holds: false, difference });
