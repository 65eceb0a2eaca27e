import { ed25519 } from '@noble/curves/ed25519.js';
import { z } from 'zod';
import { bytesToSign, readCarried, writeCarried } from './carrier.js';
import { parseNonce } from './nonce.js';
import type { InputOf, Operation } from './operations/index.js';
import { decodeBase58, keyFault, PUBKEY_LENGTH } from './pubkey.js';
import { type QuickCheck, SIGNED_REQUEST_DOMAIN, signedRequestText } from './signing.js';

/** A signed request as it is kept, so that anybody can check later what its key signed. Rule S-95. */
export interface SignedCall {
  /** Base58. */
  readonly pubkey: string;
  /** Base58; `tx:` before it: of a transaction with the text. */
  readonly signature: string;
  /** The six lines that were signed. */
  readonly text: string;
  /** The raw body whose hash is the last of them. */
  readonly body: string;
}

/** The content of a kept call, proven if its signature is good. */
export interface ProvenCall {
  readonly pubkey: string;
  readonly method: string;
  /** With its query, and with the prefix of the public address, if there was one. */
  readonly path: string;
  readonly body: string;
  /** By the clock of the signer, which the service accepted; milliseconds since 1970. */
  readonly signedAtMs: number;
}

/** Returns what the call proves; undefined unless signature, text and body belong together. */
export function proveCall(call: SignedCall, isSurelyGood: QuickCheck = () => false): ProvenCall | undefined {
  const key = decodeBase58(call.pubkey, 44);
  if (key?.length !== PUBKEY_LENGTH || keyFault(key) !== undefined) return undefined;
  return isGood(call, key, isSurelyGood) ? readCall(call) : undefined;
}

/**
 * When the key signed the call, whatever became of its body: of a call about erased data only the six lines are kept. Milliseconds
 * since 1970; undefined unless the signature is the key's.
 */
export function signedAt(call: SignedCall, isSurelyGood: QuickCheck = () => false): number | undefined {
  const key = decodeBase58(call.pubkey, 44);
  const [domain, , , , nonce = ''] = call.text.split('\n');
  if (key?.length !== PUBKEY_LENGTH || keyFault(key) !== undefined || domain !== SIGNED_REQUEST_DOMAIN)
    return undefined;
  return isGood(call, key, isSurelyGood) ? parseNonce(nonce)?.unixMs : undefined;
}

/** Returns what the call says, no matter which key signed it; undefined unless text and body belong together. */
export function readCall(call: SignedCall): ProvenCall | undefined {
  const [domain, method = '', host = '', path = '', nonce = ''] = call.text.split('\n');
  const parsed = parseNonce(nonce);
  if (domain !== SIGNED_REQUEST_DOMAIN || parsed === undefined || !isText(call, { method, host, path }, nonce)) {
    return undefined;
  }
  return { pubkey: call.pubkey, method, path, body: call.body, signedAtMs: parsed.unixMs };
}

function isText({ text, body }: SignedCall, parts: { method: string; host: string; path: string }, nonce: string) {
  try {
    return signedRequestText({ ...parts, body }, nonce) === text;
  } catch {
    return false;
  }
}

function isGood({ text, signature }: SignedCall, key: Uint8Array, isSurelyGood: QuickCheck): boolean {
  const carried = readCarried(signature);
  if (carried === undefined || writeCarried(carried) !== signature) return false;
  const message = bytesToSign(carried.carrier, key, new TextEncoder().encode(text));
  if (message === undefined) return false;
  return isSurelyGood(carried.bytes, message, key) || ed25519.verify(carried.bytes, message, key, { zip215: false });
}

/**
 * The decoded inputs of the call for the operation: one over REST, one for each time
 * that a request to `/mcp` calls its tool, none when the call is about something else.
 */
export function inputsFor<O extends Operation>(operation: O, call: ProvenCall): InputOf<O>[] {
  return (restInput(operation, call) ?? toolArguments(operation, call)).flatMap((given) => {
    const params = decode(operation.params, given);
    const body = decode(operation.body, given);
    return params && body ? [{ ...params, ...body } as InputOf<O>] : [];
  });
}

type Fields = Readonly<Record<string, unknown>>;

/** The fields of the schema, of those given; undefined unless they have its form. */
function decode(schema: Operation['body'], given: Fields): Fields | undefined {
  if (schema === undefined) return {};
  const own = Object.entries(given).filter(([name]) => Object.hasOwn(schema.shape, name));
  return z.safeDecode(schema, Object.fromEntries(own)).data;
}

/** Undefined: the request is not one to the operation's own path. */
function restInput({ method, path }: Operation, call: ProvenCall): Fields[] | undefined {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const form = new RegExp(`^(?:/[^?]*)?${path.replace(/:\w+/g, '([^/?]+)')}(?:\\?.*)?$`, 'u');
  const match = form.exec(call.path);
  if (match === null || call.method !== method) return undefined;
  const params = names.map((name, index) => [name, match[index + 1]]);
  const body = call.body === '' ? {} : parse(call.body);
  return isFields(body) ? [{ ...body, ...Object.fromEntries(params) }] : [];
}

/** The arguments of each call of the operation's tool, over `/mcp/call` or `/mcp`. */
function toolArguments({ tool }: Operation, call: ProvenCall): Fields[] {
  if (tool === undefined || call.method !== 'POST') return [];
  const [path = ''] = call.path.split('?');
  const body = parse(call.body);
  if (path.endsWith('/mcp/call')) return isFields(body) && body['tool'] === tool.name ? argumentsOf(body) : [];
  if (!path.endsWith('/mcp')) return [];
  return [body].flat().flatMap((message) => {
    const params = isFields(message) && message['method'] === 'tools/call' ? message['params'] : undefined;
    return isFields(params) && params['name'] === tool.name ? argumentsOf(params) : [];
  });
}

const argumentsOf = ({ arguments: given }: Fields): Fields[] => (isFields(given) ? [given] : []);

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}
