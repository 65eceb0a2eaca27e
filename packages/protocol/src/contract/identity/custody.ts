import { CREDENTIAL_CONTEXT, type CredentialHeader } from './credential.js';
import { didOf, keyIdOf } from './did.js';

/** The type of credential that says who had a package when. */
export const CUSTODY_TYPE = 'LegworkCustodyCredential';

/** The content of a custody credential, its issuer and its instant. */
export interface CustodyParts {
  /** The coordinator's key, base58. */
  readonly issuerPubkey: string;
  readonly packageId: string;
  /** Every receipt, and which listing they are of. */
  readonly custody: Readonly<Record<string, unknown>>;
  /** Milliseconds since 1970; the credential counts whole seconds. */
  readonly issuedAtMs: number;
}

/**
 * Header and claims of a custody credential, to be signed as a compact JWT.
 * Rule S-213. The past does not change: it does not expire, and says as of when it is.
 *
 * @throws {RangeError} when the key has no DID
 */
export function custodyClaims({ issuerPubkey, packageId, custody, issuedAtMs }: CustodyParts) {
  const iss = didOf(issuerPubkey);
  const sub = `urn:uuid:${packageId}`;
  const iat = Math.floor(issuedAtMs / 1000);
  const header: CredentialHeader = { alg: 'EdDSA', typ: 'JWT', kid: keyIdOf(iss) };
  const vc = {
    '@context': [CREDENTIAL_CONTEXT],
    type: ['VerifiableCredential', CUSTODY_TYPE],
    issuer: iss,
    issuanceDate: new Date(iat * 1000).toISOString(),
    credentialSubject: { id: sub, ...custody },
  };
  return { header, payload: { iss, sub, iat, nbf: iat, vc } };
}
