/** JSON text to insert into a document as it is. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A number in a request that is no 64-bit integer as written: `1.5`, but also `1.0`, `1e3` and 2^64. */
export class Float {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** A float as serde_json writes it: always with a point or an exponent. */
export function floatText(value: number): string {
  if (Object.is(value, -0)) return '-0.0';
  const size = Math.abs(value);
  if (size >= 1e16 || (size < 1e-5 && size > 0)) return value.toExponential();
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

/** A float as Solana's JSON-RPC answers it, so that no client takes it for an integer. Infinite ones are null. */
export function floatJson(value: number): RawJson | null {
  return Number.isFinite(value) ? new RawJson(floatText(value)) : null;
}

/** Writes JSON with bigints as bare numbers, as Solana's JSON-RPC does (L-19); JSON.stringify refuses bigints. */
export function encodeJson(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null';
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  return typeof value === 'object' ? encodeObject(value) : 'null';
}

function encodeObject(value: object | null): string {
  if (value === null) return 'null';
  if (value instanceof RawJson) return value.text;
  if (Array.isArray(value)) {
    let items = '';
    for (const item of value) items += `${items === '' ? '' : ','}${encodeJson(item)}`;
    return `[${items}]`;
  }
  let fields = '';
  for (const [name, field] of Object.entries(value)) {
    if (field === undefined) continue;
    fields += `${fields === '' ? '' : ','}${JSON.stringify(name)}:${encodeJson(field)}`;
  }
  return `{${fields}}`;
}

const BIG_NUMBER = /\d{16}/;
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
const BIG_INTEGER = /^-?\d{16,}$/;
const MARK = '\u0000number:';
/** As it stands in JSON at the begin of a text. */
const ESCAPED_MARK = JSON.stringify(MARK).slice(0, -1);

/**
 * Reads JSON. Integers beyond 2^53 become bigints: lamports and slots keep every digit.
 *
 * @throws SyntaxError
 */
export function decodeJson(text: string): unknown {
  if (!BIG_NUMBER.test(text)) return JSON.parse(text);
  return decodeMarked(text, (digits) => BIG_INTEGER.test(digits), exactInteger);
}

/** Numbers with a point, an exponent, or more digits than a double keeps; -0 counts as a float too. */
const INEXACT_VALUE = /[[:,]\s*(?:-?(?:\d{16}|\d+[.eE])|-0)/;
const INEXACT = /^(?:-?(?:\d{16,}|\d+[.eE].*)|-0)$/;
const MAX_DEPTH = 127;

/**
 * Reads a request or a list of requests as serde_json does: integers of 64 bits keep every digit, all other numbers become `Float`,
 * and nesting has a limit.
 *
 * @returns also how many fields each request has as written: JSON.parse keeps the last of those with one name
 * @throws SyntaxError
 */
export function decodeRequest(text: string): { readonly document: unknown; readonly fields: readonly number[] } {
  if (ESCAPED_SURROGATE.test(text)) requireWholeCharacters(text);
  const fields = countFields(text);
  const document = INEXACT_VALUE.test(text)
    ? decodeMarked(text, (number) => INEXACT.test(number), exactNumber)
    : (JSON.parse(text) as unknown);
  return { document, fields };
}

const ESCAPED_SURROGATE = /\\u[dD][89a-fA-F]/;
/** Half of a character that takes two units of UTF-16. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** @throws SyntaxError when a text has half a character, which JSON.parse lets through */
function requireWholeCharacters(text: string): void {
  for (const [part] of text.matchAll(STRING_OR_NUMBER)) {
    if (part.startsWith('"') && LONE_SURROGATE.test(JSON.parse(part) as string))
      throw new SyntaxError('lone surrogate');
  }
}

function exactNumber(text: string): number | bigint | Float {
  if (BIG_INTEGER.test(text) && isInteger64(BigInt(text))) return exactInteger(text);
  const value = Number(text);
  if (!Number.isFinite(value)) throw new SyntaxError('number out of range');
  return new Float(value);
}

function isInteger64(integer: bigint): boolean {
  return BigInt.asUintN(64, integer) === integer || BigInt.asIntN(64, integer) === integer;
}

function exactInteger(digits: string): number | bigint {
  const integer = BigInt(digits);
  return Number.isSafeInteger(Number(integer)) ? Number(integer) : integer;
}

/** Reads JSON whose numbers of a kind are read from their text, not as doubles. */
function decodeMarked(text: string, isMarked: (number: string) => boolean, read: (number: string) => unknown): unknown {
  const marked = text.replaceAll(STRING_OR_NUMBER, (part) => {
    // A text of somebody else that begins with our mark gets it once more.
    if (part.startsWith(ESCAPED_MARK)) return `${ESCAPED_MARK}${part.slice(1)}`;
    return part.startsWith('"') || !isMarked(part) ? part : JSON.stringify(`${MARK}${part}`);
  });
  return JSON.parse(marked, (_, value: unknown) => {
    if (typeof value !== 'string' || !value.startsWith(MARK)) return value;
    const rest = value.slice(MARK.length);
    if (rest.startsWith(MARK)) return rest;
    return isMarked(rest) ? read(rest) : value;
  });
}

/** The fields of the outermost object, or of each object in the outermost list. @throws SyntaxError when it is too deep */
function countFields(text: string): number[] {
  const counts: number[] = [];
  const outermost = /^\s*\[/.test(text) ? 2 : 1;
  let [depth, count] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === ':' && depth === outermost) count += 1;
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') {
      if (depth === outermost) {
        counts.push(count);
        count = 0;
      }
      depth -= 1;
    }
    if (depth > MAX_DEPTH) throw new SyntaxError('recursion limit exceeded');
  }
  return counts;
}

/** Where the string ends that begins at `start`. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === '\\') first -= 1;
  return (at - first) % 2 === 1;
}
