import { pagePath } from '@legwork/protocol/contract';
import { LegworkApiError, signDigitalTask, signListing, submitDigitalTask, submitListing } from '@legwork/sdk';
import { useState } from 'react';
import type { Kind } from '../../data/legWords.js';
import { keepWords } from '../../door/receivers.js';
import { service } from '../../data/service.js';
import { actingFor, type Session } from '../../wallet/session.js';
import { forgetPosted, keepListing, type KeptListing, keptListing } from './kept.js';
import type { Draft } from './draft.js';
import { t } from '../../language.js';

/** Lists what a person wants to be carried or done. */
interface Listing {
  /** It is signed, and whether it is listed is not known. Rule D-92. */
  readonly isSigned: boolean;
  /** Another one is wanted. */
  readonly forget: () => void;
  /** The receiver's words, while nothing but this page has them: they are to be copied before it is sent. Rule D-91. */
  readonly unkept: { readonly packageId: string; readonly words: string } | undefined;
  /**
   * @param isForPhone who receives it gets words, whose key is among the terms that are signed
   * @returns the path of its page; undefined: something is to be copied first
   * @throws Error what differs in the transaction, or what the wallet or the service refused
   */
  readonly list: (session: Session, draft: Draft, isForPhone: boolean) => Promise<string | undefined>;
  /** Sends what is signed once more, the same bytes, which list it once: anybody may. */
  readonly send: () => Promise<string>;
}

export function useListing(kind: Kind): Listing {
  const [signed, setSigned] = useState(() => keptListing(kind));
  const [unkept, setUnkept] = useState<Listing['unkept']>();
  const set = (next: KeptListing | undefined) => {
    setSigned(next);
    setUnkept(undefined);
    keepListing(kind, next);
  };
  const send = async (listing: KeptListing) => {
    try {
      await submit(listing);
    } catch (error) {
      if (isRefused(error)) set(undefined);
      throw error;
    }
    forgetPosted(kind);
    return pathOf(listing);
  };
  return {
    isSigned: signed !== undefined,
    unkept,
    forget: () => set(undefined),
    list: async (session, draft, isForPhone) => {
      const receiver = isForPhone ? await receiverFor(session) : undefined;
      const listing = await sign(session, receiver ? received(draft, receiver.pubkey) : draft);
      if (receiver && 'packageId' in listing && !(await keepWords(listing.packageId, receiver.words))) {
        // Only what is sent is listed, so that a page which is closed now has lost nothing.
        setSigned(listing);
        setUnkept({ packageId: listing.packageId, words: receiver.words });
        return undefined;
      }
      set(listing);
      return send(listing);
    },
    send: async () => {
      if (signed === undefined) throw new Error(t('Nothing is signed yet.'));
      return send(signed);
    },
  };
}

/** What was refused is not listed. A service that is in trouble or wants to be left alone has refused nothing. */
const isRefused = (error: unknown) => error instanceof LegworkApiError && error.status < 500 && error.status !== 429;

/** The list of words is long, and few need it. */
const receiverFor = async ({ account }: Session) =>
  (await import('../../door/newReceiver.js')).newReceiver(account.address);

/** The same draft, to be received by this key. */
function received(draft: Draft, receiverPubkey: string): Draft {
  const { terms } = draft;
  if (typeof terms !== 'object') throw new Error(t('Without terms only the shipper can receive it.'));
  return { ...draft, terms: { ...terms, receiverPubkey } };
}

async function sign(session: Session, draft: Draft): Promise<KeptListing> {
  const { client, signer } = actingFor(session);
  if (!('title' in draft)) return signListing(client, signer, draft);
  const { instructions, ...task } = await signDigitalTask(client, signer, draft);
  return { ...task, instructions: [...instructions] };
}

const submit = (listing: KeptListing): Promise<unknown> =>
  'packageId' in listing ? submitListing(service, listing) : submitDigitalTask(service, listing);

const pathOf = (listing: KeptListing): string =>
  'packageId' in listing ? pagePath('package', listing.packageId) : pagePath('task', listing.taskId);
