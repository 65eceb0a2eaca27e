import { z } from 'zod';
import { decodeMultibaseKey, didOf, encodeMultibaseKey, keyIdOf } from './did.js';

const CONTEXTS = ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/multikey/v1'];

const didText = z.string().meta({ description: 'did:svc: and a Solana public key in base58' });
const didUrl = z.string().meta({ description: 'a DID and, after #, a part of its document' });

/** A DID document. */
export const didDocumentSchema = z.strictObject({
  '@context': z.array(z.string()),
  id: didText,
  verificationMethod: z
    .array(
      z.strictObject({
        id: didUrl,
        type: z.literal('Multikey'),
        controller: didText,
        publicKeyMultibase: z.string().meta({ description: 'z and base58btc of 0xed01 and the 32 bytes of the key' }),
      }),
    )
    .min(1),
  authentication: z.array(didUrl),
  assertionMethod: z.array(didUrl),
  service: z.array(z.strictObject({ id: didUrl, type: z.string(), serviceEndpoint: z.url() })),
});
export type DidDocument = z.output<typeof didDocumentSchema>;

/** The parts of a DID document. */
export interface DidDocumentParts {
  /** Base58; the key that the DID names. */
  readonly pubkey: string;
  /** Base58; keys under which the same coordinator issued credentials before, in any order. Rule S-66. */
  readonly formerKeys?: readonly string[];
  /** URL of the reputation credential about the key, absolute; left out: the document names no service. */
  readonly credentialEndpoint?: string;
}

/** The URL at which a service returns the credential about a key. @param serviceUrl its public address; a path prefix is kept */
export function credentialEndpointOf(serviceUrl: string, pubkey: string): string {
  return `${serviceUrl.replace(/\/+$/, '')}/did/${pubkey}/reputation`;
}

/**
 * The DID document of a key. Rule S-63.
 *
 * `verificationMethod[0]` is the key of the DID; only that one signs in its name, so only that one is in `authentication` and
 * `assertionMethod`. Former keys follow as further verification methods, so that a verifier sees which other issuers spoke for
 * this coordinator. Each is controlled by its own DID, the `iss` of what it signed, whose document vouches for it: listed
 * in `assertionMethod` here, a former key that leaked could sign new credentials in the present issuer's name. Their ids
 * are made of the keys themselves and therefore stay when keys change again.
 *
 * @throws {RangeError} when a key has no DID
 */
export function didDocument({ pubkey, formerKeys = [], credentialEndpoint }: DidDocumentParts): DidDocument {
  const did = didOf(pubkey);
  const keyId = keyIdOf(did);
  const former = [...new Set(formerKeys)].filter((key) => key !== pubkey).sort();
  return {
    '@context': [...CONTEXTS],
    id: did,
    verificationMethod: [
      multikey(keyId, did, pubkey),
      ...former.map((key) => multikey(`${did}#${encodeMultibaseKey(key)}`, didOf(key), key)),
    ],
    authentication: [keyId],
    assertionMethod: [keyId],
    service:
      credentialEndpoint === undefined
        ? []
        : [{ id: `${did}#reputation`, type: 'SvcReputationCredential', serviceEndpoint: credentialEndpoint }],
  };
}

/**
 * The base58 keys of a document, that of its DID first. In the coordinator's document these are all keys that issued its
 * credentials. Entries of another form are left out.
 */
export function keysOfDocument({ verificationMethod }: Pick<DidDocument, 'verificationMethod'>): string[] {
  return verificationMethod
    .map(({ publicKeyMultibase }) => decodeMultibaseKey(publicKeyMultibase))
    .filter((key) => key !== undefined);
}

function multikey(id: string, controller: string, pubkey: string): DidDocument['verificationMethod'][number] {
  return { id, type: 'Multikey', controller, publicKeyMultibase: encodeMultibaseKey(pubkey) };
}

/** A document with what is known of its resolution, or why there is none. */
export const didResolutionSchema = z.strictObject({
  didDocument: didDocumentSchema.nullable(),
  didResolutionMetadata: z.strictObject({
    contentType: z.string().optional(),
    error: z.literal('invalidDid').optional(),
    message: z.string().optional(),
  }),
  didDocumentMetadata: z.strictObject({}),
});

/** Media type of a resolution result, which a caller asks for by Accept. */
export const DID_RESOLUTION_TYPE = 'application/did-resolution';

/** Media type of the documents themselves. */
const DOCUMENT_TYPE = 'application/did+ld+json';

/** Why a DID was not resolved. */
export type DidResolutionError = 'invalidDid';

/** The result of resolving a DID, in the form of W3C DID resolution. */
export type DidResolution =
  | {
      didDocument: DidDocument;
      didResolutionMetadata: { contentType: string };
      didDocumentMetadata: Record<string, never>;
    }
  | {
      didDocument: null;
      didResolutionMetadata: { error: DidResolutionError; message: string };
      didDocumentMetadata: Record<string, never>;
    };

/** A DID that was resolved. */
export function resolvedDid(didDocument: DidDocument): DidResolution {
  return { didDocument, didResolutionMetadata: { contentType: DOCUMENT_TYPE }, didDocumentMetadata: {} };
}

/** A DID that was not. @param message the fault and its remedy */
export function unresolvedDid(error: DidResolutionError, message: string): DidResolution {
  return { didDocument: null, didResolutionMetadata: { error, message }, didDocumentMetadata: {} };
}
