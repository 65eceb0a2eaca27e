import { m, type Message, t } from '../language.js';

const NO_KEYS = m(
  'This browser cannot make keys of this kind (Ed25519). Update it, use Chrome 137, Firefox 129, Safari 17 or a newer one, or install a wallet, such as Phantom or Solflare.',
);
const NO_ROOM_FOR_KEYS = m(
  'This browser stores nothing for this page, as in some private windows or where sites may not store data. Open the page in a normal window, ' +
    'allow it to store data, or install a wallet, such as Phantom or Solflare.',
);
const FULL = m('This device has no space left to store a key. Free some, then try again: no key was made.');

/** By what browsers call them. */
const FAULTS: Readonly<Record<string, Message>> = {
  NotSupportedError: NO_KEYS,
  DataError: NO_KEYS,
  DataCloneError: NO_ROOM_FOR_KEYS,
  InvalidStateError: NO_ROOM_FOR_KEYS,
  SecurityError: NO_ROOM_FOR_KEYS,
  UnknownError: NO_ROOM_FOR_KEYS,
  QuotaExceededError: FULL,
};

/** What does not work with the key of this device, and what to do about it. Rule D-73. */
export function faultOfDevice(error: unknown): string {
  if (typeof indexedDB === 'undefined' || error instanceof ReferenceError) return t(NO_ROOM_FOR_KEYS);
  if (error instanceof DOMException) {
    const fault = FAULTS[error.name];
    return fault ? t(fault) : t('This browser did not store the key: {why}', { why: error.message });
  }
  return error instanceof Error ? error.message : t(NO_KEYS);
}
