import { useEffect, useSyncExternalStore } from 'react';
import { forgetCode, keepCode, type WaitingCode, waitingCodes } from '../../door/codes.js';
import type { Note } from '../../door/note.js';
import { keyOf, queries } from '../../data/service.js';
import { actingFor, type Session } from '../../wallet/session.js';

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
  if (session === undefined) return 'Kept. Connect your wallet to send it: it pays once the ledger has it.';
  return send(session, code);
}

/** @returns what became of it, in words @throws Error why the ledger does not take it */
export async function send(session: Session, code: WaitingCode): Promise<string> {
  try {
    // A part of the page that does not come is no network either.
    const sender = await sending().catch(() => undefined);
    const signature = await sender?.sendCode(actingFor(session), code);
    if (signature === undefined) return code.note === undefined ? KEPT : `${KEPT} ${NOTE_KEPT}`;
    await Promise.all(
      [keyOf('listTurns'), keyOf('getPackage')].map((queryKey) => queries.invalidateQueries({ queryKey })),
    );
    return SENT[code.handoff.said];
  } finally {
    await reread();
  }
}

const KEPT = 'There is no network. The code is kept here, and can be sent once there is one.';
const NOTE_KEPT =
  'So is what you noted. Show the code to the other phone, which can send it too; the note goes from here alone, so keep it until it is sent.';

/** What sends, which is fetched while there is a network. */
export const sending = () => import('../../door/sendCode.js');

const SENT = {
  'picked up': 'Sent: the ledger has it, and the parcel is yours to carry.',
  'taken over': 'Sent: the ledger has it. Who brought the parcel is paid, and who took it over carries it.',
  received: 'Sent: the ledger has it, and who brought the parcel is paid.',
  accepted: 'Sent: the ledger has it, and the result is paid.',
} as const;

export async function forget(code: WaitingCode): Promise<void> {
  await forgetCode(code.code);
  await reread();
}
