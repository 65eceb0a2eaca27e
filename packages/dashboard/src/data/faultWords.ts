import { LegworkApiError, LegworkNetworkError } from '@legwork/sdk';
import { m, t } from '../language.js';

/** For people, who do not make nonces. */
const TOO_LATE = m(
  'A signature is valid for a minute: the wallet took longer, or the clock of this device is wrong. Try again.',
);

const OFFLINE = m('This device is offline. Connect it to a network, then try again.');
const UNREACHABLE = m('The service cannot be reached. Try again.');
const NOTHING_ANSWERS = m('This browser gets no answer from the service or the ledger. Try again.');

/** How browsers say that nothing came: Chromium, Firefox and Safari, for questions and for scripts; Vite says it of styles. */
const NOTHING_CAME = /^(?:Type)?Error: .*(?:fetch|networkerror|load failed|importing a module|unable to preload)/i;

const isOnlineNow = () => (globalThis as { navigator?: { readonly onLine?: boolean } }).navigator?.onLine !== false;

/**
 * What went wrong, for people: no connection, too many questions, what the service refused and what would be right, or else what the
 * error says. Rule D-41.
 *
 * @param otherwise for errors that say nothing
 */
export function faultOf(error: unknown, otherwise: string, isOnline = isOnlineNow()): string {
  if (error instanceof LegworkApiError) return refusalOf(error);
  if (error instanceof LegworkNetworkError) return t(isOnline ? UNREACHABLE : OFFLINE);
  if (isUnanswered(error)) return t(isOnline ? NOTHING_ANSWERS : OFFLINE);
  return error instanceof Error && error.message !== '' ? error.message : otherwise;
}

/** Nothing came for what the browser itself asked: a part of the page, or a question to the ledger. */
export const isUnanswered = (error: unknown): boolean => NOTHING_CAME.test(String(error));

/** Neither network nor service, as far as it goes: the same may be sent later. */
export const isAway = (error: unknown): boolean =>
  error instanceof LegworkNetworkError ||
  isUnanswered(error) ||
  isSlowedDown(error) ||
  (error instanceof LegworkApiError && error.status >= 500);

/** The service wants to be asked less often. */
export const isSlowedDown = (error: unknown): error is LegworkApiError & { readonly status: 429 } =>
  error instanceof LegworkApiError && error.status === 429;

/** @param seconds until it may be asked again */
export function slowedDownWords(seconds: number): string {
  return t('Too many requests. Try again in {seconds} s.', { seconds: Math.max(1, Math.ceil(seconds)) });
}

function refusalOf(error: LegworkApiError): string {
  if (isSlowedDown(error)) return slowedDownWords(error.retryAfterSec ?? USUAL_REST_SEC);
  if (error.code === 'stale_nonce') return t(TOO_LATE);
  const fields = error.errors
    .filter(({ message }) => !error.detail.includes(message))
    .map(({ field, message }) => `${field} ${message}`);
  return fields.length === 0 ? error.detail : `${error.detail.replace(/\.$/, '')}: ${fields.join('; ')}.`;
}

/** Where the service does not say how long it wants to be left alone. */
export const USUAL_REST_SEC = 5;
