import { isHandoffCode, readHandoffCode } from '@legwork/sdk';
import type { Handoff } from '@legwork/program-client';
import { del, entries, get, set, update } from 'idb-keyval';
import type { Note } from './note.js';
import { storeOf } from './store.js';
import { t } from '../language.js';

/** Codes that were scanned or signed here, and that the ledger does not have yet, by their texts. They outlive the page. Rule D-84. */
const store = storeOf('legwork-door', 'codes');

/** A code that waits to be sent. */
export interface WaitingCode {
  readonly code: string;
  readonly handoff: Handoff;
  /** When it came, milliseconds since 1970. */
  readonly since: number;
  /** Why the ledger does not take it; undefined: it was not asked yet, or there was no network. */
  readonly refused?: string | undefined;
  /** What it notes, for the evidence of the leg, before the code is sent: there was no network when it was signed. */
  readonly note?: (Note & { /** Why the service does not take it. */ readonly refused?: string }) | undefined;
  /** The ledger has it; the note is not where it should be. */
  readonly isSent?: true;
}

type Kept = Omit<WaitingCode, 'code'>;

/** @param note that is to be sent before it @throws Error in words: it is none, or this browser keeps nothing */
export async function keepCode(code: string, note?: Note): Promise<WaitingCode> {
  const signed = await readHandoffCode(code);
  if (signed === undefined) throw new Error(faultOfCode(code));
  let kept: Kept = { handoff: signed.handoff, since: Date.now(), note };
  // Who scans it once more does not lose what was to go with it.
  await update<Kept>(code.trim(), (before) => (kept = { ...kept, note: note ?? before?.note }), store).catch(
    (error: unknown) => {
      throw new Error(t('This browser has no space to store the code. Free some, then scan or sign it again.'), {
        cause: error,
      });
    },
  );
  return { code: code.trim(), ...kept };
}

/** What a text is that is no handoff. */
export function faultOfCode(text: string): string {
  if (isHandoffCode(text)) return t('This code is incomplete or altered. Ask the other person to show it again.');
  if (/\/track\//u.test(text)) {
    return t('This is a delivery link. Ask the receiver to open it and sign: then it shows the code for the courier.');
  }
  return t(
    'This is a different code. The code you need is on the phone of the person who hands the parcel over or receives it.',
  );
}

/** What waits, the oldest first. */
export async function waitingCodes(): Promise<WaitingCode[]> {
  const kept = await entries<string, Kept>(store).catch(() => []);
  return kept.map(([code, one]) => ({ code, ...one })).toSorted((one, other) => one.since - other.since);
}

export const forgetCode = (code: string): Promise<void> => del(code, store);

/** Keeps what became of a code beside it, unless another tab has sent it meanwhile. */
export async function changeCode(code: string, part: Partial<Kept>): Promise<void> {
  const before = await get<Kept>(code, store);
  if (before !== undefined) await set(code, { ...before, ...part }, store);
}
