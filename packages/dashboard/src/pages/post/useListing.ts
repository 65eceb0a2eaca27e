import { RelayApiError, type SignedListing, signListing, submitListing } from '@legwork/sdk';
import { useState } from 'react';
import { actingFor, type Session } from '../../wallet/session.js';
import type { Draft } from './draft.js';

/** Lists what a person wants to be carried. */
interface Listing {
  /** It is signed, and whether it is listed is not known: listing it again sends the same bytes, which list one package. */
  readonly isSigned: boolean;
  /** Another one is wanted. */
  readonly forget: () => void;
  /** @returns the id of the package @throws Error what differs in the transaction, or what the wallet or the service refused */
  readonly list: (session: Session, draft: Draft & { readonly deadline: string }) => Promise<string>;
}

export function useListing(): Listing {
  const [signed, setSigned] = useState<SignedListing & { readonly shipper: string }>();
  return {
    isSigned: signed !== undefined,
    forget: () => setSigned(undefined),
    list: async (session, draft) => {
      const { client, signer } = actingFor(session);
      const shipper = signer.address;
      const isSame = signed?.shipper === shipper;
      const listing = isSame ? signed : { ...(await signListing(client, signer, draft)), shipper };
      setSigned(listing);
      try {
        await submitListing(client, listing);
      } catch (error) {
        // What was refused is not listed.
        if (error instanceof RelayApiError) setSigned(undefined);
        throw error;
      }
      return listing.packageId;
    },
  };
}
