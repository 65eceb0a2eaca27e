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
import { m, type Message, t } from '../language.js';

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

const REFUSED: Readonly<Record<CredentialRefusal, Message>> = {
  malformed: m('It is not a reputation credential.'),
  unsupported_alg: m('It is not signed with EdDSA.'),
  unknown_issuer: m('Its issuer is not the coordinator.'),
  bad_signature: m('Its issuer did not sign it.'),
  subject_mismatch: m('It names two subjects.'),
  not_yet_valid: m('It is not valid yet.'),
  expired: m('It has expired.'),
  too_old: m('It is too old.'),
};

/** What is refused although the signature is good. */
const SIGNED: readonly CredentialRefusal[] = ['subject_mismatch', 'not_yet_valid', 'expired', 'too_old'];

const unsigned = (): Finding => ({ couldNot: t('nothing in it counts without a signature') });
const invalid = (): Finding => ({ couldNot: t('it is not valid') });

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
    return { signature: differs(t(REFUSED[refusal])), validity: unsigned(), figures: unsigned(), page: unsigned() };
  }
  const signature = { holds: true, seen: t("EdDSA, by the coordinator's key") } as const;
  if (!checked.valid)
    return { signature, validity: differs(t(REFUSED[checked.reason])), figures: invalid(), page: invalid() };
  const { payload } = checked;
  if (payload.sub !== didOf(agentPubkey)) {
    return {
      signature,
      validity: differs(t('It is about {subject}.', { subject: payload.sub })),
      figures: invalid(),
      page: invalid(),
    };
  }
  return { signature, validity: validityOf(payload), ...(await figuresOf(payload, shown, askLedger)) };
}

function validityOf({ exp }: CredentialPayload): Finding {
  if (exp === undefined) return differs(t('It never expires.'));
  return {
    holds: true,
    seen: t('About this agent, until {time} UTC', {
      time: new Date(exp * 1000).toISOString().slice(0, 16).replace('T', ' '),
    }),
  };
}

async function figuresOf(
  payload: CredentialPayload,
  shown: LedgerReputation,
  askLedger: (payload: CredentialPayload) => Promise<LedgerComparison>,
): Promise<Pick<CredentialFindings, 'figures' | 'page'>> {
  try {
    const comparison = await askLedger(payload);
    const page = 'ledger' in comparison ? compare(shown, comparison) : { couldNot: t('the ledger shows no figures') };
    return { figures: compare(payload.vc.credentialSubject, comparison), page };
  } catch (error) {
    const finding = { couldNot: faultOf(error, t('the ledger did not answer')) };
    return { figures: finding, page: finding };
  }
}

const FIGURES = {
  legsAccepted: m('legs accepted {said}, on the ledger {held}'),
  legsCompleted: m('legs completed {said}, on the ledger {held}'),
  reliabilityScore: m('reliability {said}, on the ledger {held}'),
} as const satisfies Record<keyof LedgerReputation, Message>;

/** Three figures and those of the account. */
function compare(said: LedgerReputation, comparison: LedgerComparison): Outcome {
  if (comparison.status === 'wrong_account')
    return differs(t("It names an account that is not this agent's reputation."));
  if (comparison.status === 'no_account') return differs(t('The ledger has no reputation account of this agent.'));
  const { ledger } = comparison;
  const different = (Object.keys(FIGURES) as (keyof LedgerReputation)[]).filter((name) => said[name] !== ledger[name]);
  if (different.length > 0) {
    return differs(
      `${different.map((name) => t(FIGURES[name], { said: said[name], held: ledger[name] })).join('; ')}.`,
    );
  }
  return {
    holds: true,
    seen: t('{accepted} accepted, {completed} completed, {score} of 100', {
      accepted: ledger.legsAccepted,
      completed: ledger.legsCompleted,
      score: ledger.reliabilityScore,
    }),
  };
}

const differs = (difference: string): Outcome => ({ holds: false, difference });
