import type { KeyPairSigner } from '@solana/kit';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type Delivery, keptDelivery, readDelivery, receiverOf, type Sending, sendWaiting } from './door.js';
import { faultOf } from './words.js';
import { m, t } from '../language.js';

/** How often it is asked anew while somebody looks, milliseconds. */
const EVERY_MS = 5_000;
const PATIENCE_MS = 2_000;

/** Does something now, when the network is back, and ever again while somebody looks. @returns ends it */
function again(act: () => void): () => void {
  act();
  const timer = setInterval(() => document.hidden || act(), EVERY_MS);
  addEventListener('online', act);
  return () => {
    clearInterval(timer);
    removeEventListener('online', act);
  };
}

/** Who the link makes somebody: its receiver; or why not, in words. */
export type Holder = { readonly signer: KeyPairSigner } | { readonly lacks: string } | undefined;

/** A delivery, asked again while the page is looked at, and what keeps it from being known. */
export function useDelivery(id: string) {
  const [delivery, setDelivery] = useState<Delivery>();
  const [problem, setProblem] = useState<string>();
  const read = useCallback(async () => {
    // A bad network answers late, if ever: what is known is shown meanwhile.
    const show = (before: Delivery | undefined) => setDelivery((known) => known ?? before);
    const early = setTimeout(
      () => void keptDelivery(id, t('The service has not answered yet.')).then(show),
      PATIENCE_MS,
    );
    try {
      setDelivery(await readDelivery(id));
      setProblem(undefined);
    } catch (error) {
      setProblem(faultOf(error));
    } finally {
      clearTimeout(early);
    }
  }, [id]);
  useEffect(() => again(() => void read()), [read]);
  return { delivery, problem, read };
}

const CUT = m(
  'This link is incomplete: it shows where the package is but cannot sign for it. Ask the shipper for the whole link.',
);
const OTHERS = m(
  'The words of this link belong to another delivery. It shows where this package is but cannot sign for it.',
);
const INSECURE = m('This page came over plain http, where browsers do not sign. Open the link that begins with https.');

/** The key of the link's words, made once the package is known: that takes about a second. */
export function useHolder(delivery: Delivery | undefined, words: string): Holder {
  const [holder, setHolder] = useState<Holder>();
  const parcel = delivery?.parcel;
  const of = parcel && `${parcel.shipperPubkey} ${parcel.terms?.receiverPubkey}`;
  useEffect(() => {
    if (parcel === undefined) return;
    if (!isSecureContext) return setHolder({ lacks: t(INSECURE) });
    receiverOf(parcel, words).then(
      (signer) => setHolder(signer ? { signer } : { lacks: t(OTHERS) }),
      () => setHolder({ lacks: t(CUT) }),
    );
    // The parcel is read again and again, and its keys stay.
  }, [of, words]);
  return holder;
}

/** How far it is with what was signed; undefined: not known yet. */
export interface Signed {
  readonly sending: Sending | undefined;
  /** Sends what was signed just now: until that is known, nothing is said of it. */
  readonly send: () => Promise<void>;
}

/** Sends what was signed without a network, as soon as there is one, wherever the parcel is by then. */
export function useWaiting(id: string, holder: Holder, read: () => Promise<void>): Signed {
  const [sending, setSending] = useState<Sending>();
  const told = useRef<string | undefined>(undefined);
  const signatures = useRef(0);
  const signer = holder && 'signer' in holder ? holder.signer : undefined;
  const resend = useCallback(async () => {
    if (signer === undefined) return;
    const before = signatures.current;
    const now = await sendWaiting(id, signer);
    // A text is refused once its leg is over: where the parcel is by now is known before anything is told as refused.
    if (now.untaken && now.untaken.text !== told.current) await read();
    told.current = now.untaken?.text;
    if (before === signatures.current) setSending(now);
  }, [id, signer, read]);
  useEffect(() => again(() => void resend()), [resend]);
  const send = () => {
    signatures.current += 1;
    setSending(undefined);
    return resend();
  };
  return { sending, send };
}
