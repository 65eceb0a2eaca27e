import { z } from 'zod';
import { isUuid } from '../ids.js';
import { didOf, keyIdOf, parseDid } from './did.js';

/** How long a credential is valid, in seconds: 24 hours. */
export const CREDENTIAL_LIFETIME_SEC = 86_400;

/** The context of W3C credentials, version 1. */
export const CREDENTIAL_CONTEXT = 'https://www.w3.org/2018/credentials/v1';

const BASE_TYPE = 'VerifiableCredential';
/** The type of credential that this service issues. */
export const CREDENTIAL_TYPE = 'SvcReputationCredential';

const seconds = z.int().min(0);
const count = z.int().min(0);

/**
 * The claims of a reputation credential. Further claims pass: the signature says that the issuer meant them. `exp`
 * may be missing, as in credentials of an earlier edition.
 */
export const credentialPayload = z
  .looseObject({
    iss: z.string(),
    sub: z.string().refine((did) => parseDid(did) !== undefined),
    iat: seconds,
    nbf: seconds,
    exp: seconds.optional(),
    jti: z.string().regex(/^urn:uuid:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
    vc: z.looseObject({
      '@context': z.array(z.string()).refine(([first]) => first === CREDENTIAL_CONTEXT),
      type: z.array(z.string()).refine((types) => types.includes(BASE_TYPE) && types.includes(CREDENTIAL_TYPE)),
      issuer: z.string(),
      issuanceDate: z.iso.datetime(),
      credentialSubject: z.looseObject({
        id: z.string(),
        legsAccepted: count,
        legsCompleted: count,
        reliabilityScore: z.int().min(0).max(100),
        onChainPDA: z.string(),
        mirroredAt: z.iso.datetime(),
      }),
    }),
  })
  .refine(({ iss, vc }) => vc.issuer === iss);

/** The claims of a reputation credential. */
export type CredentialPayload = z.output<typeof credentialPayload>;

/** The JOSE header of a reputation credential. */
export interface CredentialHeader {
  alg: 'EdDSA';
  typ: 'JWT';
  /** `<iss>#key-1` */
  kid: string;
}

/** The content of a credential, its subject and its issuer. */
export interface CredentialParts {
  /** The coordinator's key, base58. */
  readonly issuerPubkey: string;
  /** Base58. */
  readonly agentPubkey: string;
  readonly reputation: {
    readonly legsAccepted: number;
    readonly legsCompleted: number;
    /** Integer 0 to 100. */
    readonly reliabilityScore: number;
    /** Address of the agent's reputation account, base58. */
    readonly onChainPDA: string;
    readonly mirroredAt: Date;
  };
  /** A UUID, one of its own for each credential. */
  readonly id: string;
  /** Milliseconds since 1970; the credential counts whole seconds. */
  readonly issuedAtMs: number;
}

/**
 * Header and claims of a reputation credential, to be signed as a compact JWT. Rule M-63. `issuanceDate` is the instant of
 * `iat`: verifiers that know only one of the two read the same.
 *
 * @throws {RangeError} when a key has no DID, or the id is no UUID
 */
export function credentialClaims(parts: CredentialParts): { header: CredentialHeader; payload: CredentialPayload } {
  const { reputation, id, issuedAtMs } = parts;
  if (!isUuid(id)) throw new RangeError(`"${id}" is not the id of a credential; give a UUID in lower case`);
  const iss = didOf(parts.issuerPubkey);
  const sub = didOf(parts.agentPubkey);
  const iat = Math.floor(issuedAtMs / 1000);
  return {
    header: { alg: 'EdDSA', typ: 'JWT', kid: keyIdOf(iss) },
    payload: {
      iss,
      sub,
      iat,
      nbf: iat,
      exp: iat + CREDENTIAL_LIFETIME_SEC,
      jti: `urn:uuid:${id}`,
      vc: {
        '@context': [CREDENTIAL_CONTEXT],
        type: [BASE_TYPE, CREDENTIAL_TYPE],
        issuer: iss,
        issuanceDate: new Date(iat * 1000).toISOString(),
        credentialSubject: {
          id: sub,
          legsAccepted: reputation.legsAccepted,
          legsCompleted: reputation.legsCompleted,
          reliabilityScore: reputation.reliabilityScore,
          onChainPDA: reputation.onChainPDA,
          mirroredAt: reputation.mirroredAt.toISOString(),
        },
      },
    },
  };
}
