import { base58 } from '@scure/base';
import type { z } from 'zod';
import type { didDocument as didDocumentContract } from '../operations/did.js';
import { decodeBase58, formatPubkey, keyFault, parsePubkey, PUBKEY_LENGTH } from '../pubkey.js';

/** The method of this service's DIDs. Rule M-62. */
export const DID_METHOD = 'svc';

const PREFIX = `did:${DID_METHOD}:`;
const MAX_PUBKEY_TEXT = 44;

/** The multicodec code of Ed25519 public keys, as a varint. Rule M-62. */
const ED25519_CODEC = [0xed, 0x01] as const;
/** `z` and the base58btc of 34 bytes that begin with 0xed01: always 48 characters. */
const MULTIBASE_LENGTH = 48;

const CONTEXTS = ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/multikey/v1'];

/** A DID document. Rule S-63. */
export type DidDocument = z.output<typeof didDocumentContract>;

/** What a document is made of. */
export interface DidDocumentParts {
  /** Base58; the key that the DID names. */
  readonly pubkey: string;
  /** Base58; keys under which the same coordinator issued credentials before, in any order. Rule S-66. */
  readonly formerKeys?: readonly string[];
  /** Where the reputation credential about the key is had, an absolute URL; left out: the document names no service. */
  readonly credentialEndpoint?: string;
}

/** Whether a base58 text names a key that has a DID: 32 bytes, a canonical point, not of small order. Rule M-62. */
export function isDidKey(pubkey: string): boolean {
  const bytes = decodeBase58(pubkey, MAX_PUBKEY_TEXT);
  return bytes?.length === PUBKEY_LENGTH && keyFault(bytes) === undefined;
}

/** The DID of a key. Rule M-62. @throws {RangeError} when the key has none */
export function didOf(pubkey: string): string {
  if (!isDidKey(pubkey)) {
    throw new RangeError(`"${pubkey.slice(0, MAX_PUBKEY_TEXT)}" has no DID; give an Ed25519 public key in base58`);
  }
  return PREFIX + pubkey;
}

/** The base58 key that a DID names; undefined for anything else, a DID URL with a fragment included. Rule M-62. */
export function parseDid(did: string): string | undefined {
  if (!did.startsWith(PREFIX)) return undefined;
  const pubkey = did.slice(PREFIX.length);
  return isDidKey(pubkey) ? pubkey : undefined;
}

/** The id of a DID's own key, which a credential's `kid` names. Rules M-62, M-63. */
export function keyIdOf(did: string): string {
  return `${did}#key-1`;
}

/** The Multikey text of a base58 public key: `z` and the base58btc of 0xed, 0x01 and its 32 bytes. Rule M-62. */
export function encodeMultibaseKey(pubkey: string): string {
  return `z${base58.encode(Uint8Array.of(...ED25519_CODEC, ...parsePubkey(pubkey)))}`;
}

/** The base58 public key of a Multikey text; undefined unless it is that of a key which has a DID. Rule M-62. */
export function decodeMultibaseKey(text: string): string | undefined {
  if (text.length !== MULTIBASE_LENGTH || !text.startsWith('z')) return undefined;
  const bytes = decodeBase58(text.slice(1), MULTIBASE_LENGTH);
  if (bytes?.length !== ED25519_CODEC.length + PUBKEY_LENGTH) return undefined;
  if (ED25519_CODEC.some((byte, index) => bytes[index] !== byte)) return undefined;
  const pubkey = formatPubkey(bytes.subarray(ED25519_CODEC.length));
  return isDidKey(pubkey) ? pubkey : undefined;
}

/** Where a service answers the credential about a key. @param serviceUrl its public address; a path prefix is kept */
export function credentialEndpointOf(serviceUrl: string, pubkey: string): string {
  return `${serviceUrl.replace(/\/+$/, '')}/did/${pubkey}/reputation`;
}

/**
 * The DID document of a key. Rule S-63.
 *
 * `verificationMethod[0]` is the key of the DID; only that one signs in its name, so only that one is in `authentication` and
 * `assertionMethod`. Former keys follow as further verification methods, so that a verifier sees which other issuers spoke for
 * this coordinator. Each is controlled by the DID of its own, the `iss` of what it signed, whose document vouches for it: listed
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
 * The base58 keys of a document, that of its DID first: of the coordinator's, whoever issued its credentials. Entries of
 * another form are left out.
 */
export function keysOfDocument({ verificationMethod }: Pick<DidDocument, 'verificationMethod'>): string[] {
  return verificationMethod
    .map(({ publicKeyMultibase }) => decodeMultibaseKey(publicKeyMultibase))
    .filter((key) => key !== undefined);
}

function multikey(id: string, controller: string, pubkey: string): DidDocument['verificationMethod'][number] {
  return { id, type: 'Multikey', controller, publicKeyMultibase: encodeMultibaseKey(pubkey) };
}
