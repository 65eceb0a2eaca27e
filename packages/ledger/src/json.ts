/** JSON text to insert into a document as it is. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A float as Solana's JSON-RPC writes it, so that clients that tell 1.0 from 1 do. Infinite ones are null. */
export function floatJson(value: number): RawJson | null {
  if (!Number.isFinite(value)) return null;
  const text = Object.is(value, -0) ? '-0' : String(value);
  return new RawJson(/[.e]/.test(text) ? text : `${text}.0`);
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
const MARK = '\u0000int:';

/**
 * Reads JSON. Integers beyond 2^53 become bigints: lamports and slots keep every digit.
 *
 * @throws SyntaxError
 */
export function decodeJson(text: string): unknown {
  if (!BIG_NUMBER.test(text)) return JSON.parse(text);
  const marked = text.replaceAll(STRING_OR_NUMBER, (part) =>
    BIG_INTEGER.test(part) ? JSON.stringify(`${MARK}${part}`) : part,
  );
  return JSON.parse(marked, (_, value: unknown) => {
    if (typeof value !== 'string' || !value.startsWith(MARK)) return value;
    const digits = value.slice(MARK.length);
    if (!BIG_INTEGER.test(digits)) return value;
    const integer = BigInt(digits);
    return Number.isSafeInteger(Number(integer)) ? Number(integer) : integer;
  });
}
