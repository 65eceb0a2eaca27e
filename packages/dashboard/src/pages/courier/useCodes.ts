import { useEffect, useSyncExternalStore } from 'react';
import { forgetCode, keepCode, type WaitingCode, waitingCodes } from '../../door/codes.js';
import type { Note } from '../../door/note.js';
import { keyOf, queries } from '../../data/service.js';
import { actingFor, type Session } from '../../wallet/session.js';
import { m, t } from '../../language.js';

let codes: readonly WaitingCode[] = [];
const listeners = new Set<() => void>();

async function reread(): Promise<void> {
  codes = await waitingCodes();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The codes that wait on this device to be sent. Another tab may have sent some meanwhile. */
export function useCodes(): readonly WaitingCode[] {
  useEffect(() => {
    const look = () => void reread();
    look();
    addEventListener('focus', look);
    return () => removeEventListener('focus', look);
  }, []);
  return useSyncExternalStore(subscribe, () => codes);
}

/** @param note that is to be sent before it @returns what became of it, in words @throws Error in words */
export async function takeCode(session: Session | undefined, text: string, note?: Note): Promise<string> {
  const code = await keepCode(text, note);
  await reread();
  if (session === undefined) return t('Saved. Connect your wallet to send it: it pays once it is on the ledger.');
  return send(session, code);
}

/** @returns what became of it, in words @throws Error why the ledger does not take it */
export async function send(session: Session, code: WaitingCode): Promise<string> {
  try {
    // A part of the page that does not come is no network either.
    const sender = await sending().catch(() => undefined);
    const signature = await sender?.sendCode(actingFor(session), code);
    if (signature === undefined) return code.note === undefined ? t(KEPT) : t(NOTE_KEPT);
    await Promise.all(
      [keyOf('listTurns'), keyOf('getPackage')].map((queryKey) => queries.invalidateQueries({ queryKey })),
    );
    return t(SENT[code.handoff.said]);
  } finally {
    await reread();
  }
}

const KEPT = m('There is no network. The code is saved here. Send it once you are back online.');
const NOTE_KEPT = m(
  'There is no network. The code is saved here. Send it once you are back online. ' +
    'So is your note. The other phone can send the code too if you show it; only this phone can send the note, so keep it until then.',
);

/** What sends, which is fetched while there is a network. */
export const sending = () => import('../../door/sendCode.js');

const SENT = {
  'picked up': m('Sent. It is on the ledger, and the parcel is yours to carry.'),
  'taken over': m('Sent. It is on the ledger: the previous courier is paid, and the next one carries the parcel.'),
  received: m('Sent. It is on the ledger, and the last courier is paid.'),
  accepted: m('Sent. It is on the ledger, and the result is paid.'),
} as const;

export async function forget(code: WaitingCode): Promise<void> {
  await forgetCode(code.code);
  await reread();
}
