import { credentialEndpointOf, didDocument, parseDid, resolvedDid, unresolvedDid } from '@legwork/protocol/contract';
import type { DidResolution } from '@legwork/protocol/contract';
import { parseServiceUrl } from './client.js';

/**
 * A resolver of `did:svc` in the form that `did-resolver` takes: `new Resolver(svcDidResolver())`. The key is in the DID, so
 * nobody is asked and nobody need be trusted: the document names that key and no other. The keys that a coordinator had before
 * resolve in the same way, each by its own DID; which of them count is for the verifier to decide.
 *
 * @param options.url address of a service; given, documents say where it answers the credential about their key
 * @throws {TypeError} when the address is not an http or https URL
 */
export function svcDidResolver({ url }: { readonly url?: string } = {}): {
  svc: (did: string) => Promise<DidResolution>;
} {
  const service = url === undefined ? undefined : parseServiceUrl(url);
  return {
    svc: async (did) => {
      const pubkey = parseDid(did);
      if (pubkey === undefined) {
        return unresolvedDid('invalidDid', 'did:svc: must be followed by an Ed25519 public key in base58');
      }
      const parts = service && { credentialEndpoint: credentialEndpointOf(service.href, pubkey) };
      return resolvedDid(didDocument({ pubkey, ...parts }));
    },
  };
}
