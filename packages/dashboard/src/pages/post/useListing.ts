import { pagePath } from '@legwork/protocol/contract';
import { LegworkApiError, signDigitalTask, signListing, submitDigitalTask, submitListing } from '@legwork/sdk';
import { useState } from 'react';
import { actingFor, type Session } from '../../wallet/session.js';
import type { Draft } from './draft.js';

/** Lists what a person wants to be carried or done. */
interface Listing {
  /** It is signed, and whether it is listed is not known: listing it again sends the same bytes, which list it once. */
  readonly isSigned: boolean;
  /** Another one is wanted. */
  readonly forget: () => void;
  /** @returns the path of its page @throws Error what differs in the transaction, or what the wallet or the service refused */
  readonly list: (session: Session, draft: Draft) => Promise<string>;
}

interface Signed {
  readonly lister: string;
  readonly path: string;
  readonly submit: () => Promise<unknown>;
}

export function useListing(): Listing {
  const [signed, setSigned] = useState<Signed>();
  return {
    isSigned: signed !== undefined,
    forget: () => setSigned(undefined),
    list: async (session, draft) => {
      const isSame = signed?.lister === session.account.address;
      const listing = isSame ? signed : await sign(session, draft);
      setSigned(listing);
      try {
        await listing.submit();
      } catch (error) {
        // What was refused is not listed.
        if (error instanceof LegworkApiError) setSigned(undefined);
        throw error;
      }
      return listing.path;
    },
  };
}

async function sign(session: Session, draft: Draft): Promise<Signed> {
  const { client, signer } = actingFor(session);
  const lister = signer.address;
  if ('title' in draft) {
    const task = await signDigitalTask(client, signer, draft);
    return { lister, path: pagePath('task', task.taskId), submit: () => submitDigitalTask(client, task) };
  }
  const parcel = await signListing(client, signer, draft);
  return { lister, path: pagePath('package', parcel.packageId), submit: () => submitListing(client, parcel) };
}
