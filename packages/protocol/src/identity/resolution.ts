import type { DidDocument } from './did.js';

/** Media type of a resolution result, which a caller asks for by Accept. Rule S-63. */
export const DID_RESOLUTION_TYPE = 'application/did-resolution';

/** Media type of the documents themselves. */
const DOCUMENT_TYPE = 'application/did+ld+json';

/** Why a DID was not resolved. */
export type DidResolutionError = 'invalidDid';

/** What resolving a DID gives, in the form of W3C DID resolution. Rule S-63. */
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

/** A DID that was resolved. Rule S-63. */
export function resolvedDid(didDocument: DidDocument): DidResolution {
  return { didDocument, didResolutionMetadata: { contentType: DOCUMENT_TYPE }, didDocumentMetadata: {} };
}

/** A DID that was not. Rule S-63. @param message what was wrong and what would be right */
export function unresolvedDid(error: DidResolutionError, message: string): DidResolution {
  return { didDocument: null, didResolutionMetadata: { error, message }, didDocumentMetadata: {} };
}
