import { base64urlnopad } from '@scure/base';
import { utf8ToBytes } from '@noble/hashes/utils.js';

/** A compact JWS, taken apart and not yet believed. */
export interface CompactJws {
  readonly header: Readonly<Record<string, unknown>>;
  readonly payload: Readonly<Record<string, unknown>>;
  /** The bytes that are signed: the first two parts and the dot between them. */
  readonly signingInput: Uint8Array;
  readonly signature: Uint8Array;
}

const JSON_TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/g;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Takes a compact JWS apart: three parts in canonical base64url without padding, of which the first two are JSON objects in
 * UTF-8. An object that names a member twice is refused, because parsers differ in which one they take.
 *
 * @returns undefined for text of another form; it never throws
 */
export function parseCompactJws(text: string): CompactJws | undefined {
  const parts = text.split('.');
  const [header = '', payload = '', signature = ''] = parts;
  if (parts.length !== 3) return undefined;
  try {
    return {
      header: parseObject(header),
      payload: parseObject(payload),
      signingInput: utf8ToBytes(`${header}.${payload}`),
      signature: base64urlnopad.decode(signature),
    };
  } catch {
    return undefined;
  }
}

/** The compact form of a header and claims, without signature: what is to be signed. */
export function signingInputOf(header: object, payload: object): string {
  return [header, payload].map((part) => base64urlnopad.encode(utf8ToBytes(JSON.stringify(part)))).join('.');
}

function parseObject(part: string): Record<string, unknown> {
  const text = utf8.decode(base64urlnopad.decode(part));
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new RangeError('no JSON object');
  if (namesTwice(text)) throw new RangeError('a member is named twice');
  return value as Record<string, unknown>;
}

/** Reports whether an object within valid JSON text names a member twice, however the names are escaped. */
function namesTwice(json: string): boolean {
  const open: Set<string>[] = [];
  let last = '';
  for (const [token] of json.matchAll(JSON_TOKEN)) {
    if (token === '{' || token === '[') open.push(new Set());
    if (token === '}' || token === ']') open.pop();
    if (token === ':') {
      const name: unknown = JSON.parse(last);
      const names = open.at(-1);
      if (typeof name !== 'string' || names === undefined || names.has(name)) return true;
      names.add(name);
    }
    last = token;
  }
  return false;
}
