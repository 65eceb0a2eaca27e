import { type Handoff, parseHandoffText } from '@legwork/program-client';
import { SIGNED_REQUEST_DOMAIN } from '@legwork/protocol/contract';
import { m, t } from '../language.js';

/** A message that somebody asks the device to sign. */
export interface Message {
  /** As it is shown, with everything visible that would not be. */
  readonly shown: string;
  /** What it says, in sentences. */
  readonly words: readonly string[];
  /** Why not to sign it. */
  readonly doubts: readonly string[];
  /** Undefined: it is not the text of a handoff. */
  readonly handoff: Handoff | undefined;
  /** It only shows this very service who calls: nobody is asked. */
  readonly isOwnCall: boolean;
}

/**
 * Reads a message.
 *
 * Calls to the service whose page this is are signed without a question: who pressed a button meant the call, it moves no lamports, and it serves
 * nowhere else. Asking each time would teach people to agree unread. A claim of rewards is asked for, because it names where money goes. Rule D-72.
 *
 * @param host of the service, as its calls name it
 * @throws {Error} when it is no text: bytes may be a transaction in disguise
 */
export function readMessage(bytes: Uint8Array, host: string): Message {
  const text = textOf(bytes);
  const handoff = parseHandoffText(text);
  const call = callIn(text);
  const isOwn = call?.host === host.toLowerCase();
  return {
    shown: visible(text),
    words: handoff ? wordsOf(handoff) : call ? wordsOfCall(call) : [],
    doubts: call && !isOwn ? [doubtOf(call, host)] : [],
    handoff,
    isOwnCall: isOwn && call !== undefined && !namesMoney(call),
  };
}

/** What a memo or a message is at another place than a call's: a login all the same. */
export const isLogin = (text: string): boolean => text.startsWith(SIGNED_REQUEST_DOMAIN);

function textOf(bytes: Uint8Array): string {
  const text = decoded(bytes);
  // A transaction begins with how many sign it, which is no printable character.
  if (text === undefined || text === '' || HIDDEN.test(text.charAt(0))) {
    throw new Error(t('This is not text, so this device does not sign it as a message.'));
  }
  return text;
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Controls, what turns the order of letters around, and lines that end unseen. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/u;
const EVERY_HIDDEN = new RegExp(`(?!\n)${HIDDEN.source}`, 'gu');

function visible(text: string): string {
  return text.replaceAll(EVERY_HIDDEN, (one) => `‹${one.codePointAt(0)?.toString(16)}›`);
}

interface Call {
  readonly method: string;
  readonly host: string;
  readonly path: string;
}

const LINES = 6;

/** Undefined: it does not begin as a call does. What begins so and goes on otherwise names no host. */
function callIn(text: string): Call | undefined {
  if (!isLogin(text)) return undefined;
  const lines = text.split('\n');
  const [domain, method = '', host = '', path = ''] = lines;
  return { method, path, host: domain === SIGNED_REQUEST_DOMAIN && lines.length === LINES ? host : '' };
}

function doubtOf({ host: other }: Call, host: string): string {
  const place = visible(other);
  return place === ''
    ? t('It acts in your name at a place that it does not name, but this page belongs to {host}.', { host })
    : t('It acts in your name at {place}, but this page belongs to {host}.', { place, host });
}

function wordsOfCall({ method: by, host, path: to }: Call): string[] {
  const [method, path, place] = [visible(by), visible(to), visible(host)];
  return place === ''
    ? [t('A call in your name: {method} {path} at a place that it does not name.', { method, path })]
    : [t('A call in your name: {method} {path} at {place}.', { method, path, place })];
}

/** However the path is written: services read encoded letters as the letters. */
function namesMoney({ method, path }: Call): boolean {
  if (method === 'GET' || method === 'HEAD') return false;
  try {
    return /reward/i.test(decodeURIComponent(path));
  } catch {
    return true;
  }
}

function wordsOf(handoff: Handoff): string[] {
  const number = handoff.legIndex + 1;
  if (handoff.said === 'accepted') {
    return [
      t('You accept the result of leg {number}. It is paid for good as soon as anybody sends this text.', { number }),
    ];
  }
  const how = { number, noted: handoff.noted ? 'yes' : 'no' };
  if (handoff.said === 'picked up') {
    return [
      t(
        'You confirm that the courier of leg {number} has picked the parcel up, ' +
          '{noted, select, yes {with a note of what is wrong with it} other {as described}}. This pays nothing yet.',
        how,
      ),
      t(
        'Let the parcel go only once the ledger shows that the courier has the parcel: until then the courier could leave with it and lose nothing.',
      ),
    ];
  }
  const has =
    handoff.said === 'received'
      ? m(
          'You have received the parcel at the end of leg {number}, ' +
            '{noted, select, yes {with a note of what is wrong with it} other {as described}}.',
        )
      : m(
          'You have taken the parcel over at the end of leg {number}, ' +
            '{noted, select, yes {with a note of what is wrong with it} other {as described}}.',
        );
  return [t(has, how), t('The courier who brought it is paid for good as soon as anybody sends this text.')];
}
