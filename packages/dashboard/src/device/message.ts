import { type Handoff, parseHandoffText } from '@legwork/program-client';
import { SIGNED_REQUEST_DOMAIN } from '@legwork/protocol/contract';
import { letGoOnce } from '@legwork/protocol/rules';

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
    doubts: call && !isOwn ? [`It acts in your name at ${placeOf(call)}, but this page belongs to ${host}.`] : [],
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
    throw new Error('This is not text, so this device does not sign it as a message.');
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

const placeOf = ({ host }: Pick<Call, 'host'>) => visible(host) || 'a place that it does not name';

function wordsOfCall({ method, host, path }: Call): string[] {
  return [`A call in your name: ${visible(method)} ${visible(path)} at ${placeOf({ host })}.`];
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
  const leg = `leg ${handoff.legIndex + 1}`;
  if (handoff.said === 'accepted')
    return [`You accept the result of ${leg}. It is paid for good as soon as anybody sends this text.`];
  const how = handoff.noted ? 'with a note of what is wrong with it' : 'as described';
  if (handoff.said === 'picked up') {
    return [
      `You confirm that the courier of ${leg} has picked the parcel up, ${how}. This pays nothing yet.`,
      `${letGoOnce('the ledger shows that the courier has the parcel')}.`,
    ];
  }
  const has = handoff.said === 'received' ? 'You have received the parcel' : 'You have taken the parcel over';
  return [
    `${has} at the end of ${leg}, ${how}.`,
    'The courier who brought it is paid for good as soon as anybody sends this text.',
  ];
}
