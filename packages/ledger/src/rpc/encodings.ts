import { fromBase58 } from '../bank/keys.js';

/** Text that is not in its encoding. The message names the first fault as Agave does. */
export class DecodingError extends Error {
  override readonly name = 'DecodingError';
}

/** Decodes base64 or base58; strict, since a lenient decoder would change what was meant. @throws DecodingError */
export function decodeText(text: string, encoding: 'base58' | 'base64'): Uint8Array {
  return encoding === 'base58' ? decodeBase58(text) : decodeBase64(text);
}

const BASE58 = /^[1-9A-HJ-NP-Za-km-z]*$/;

function decodeBase58(text: string): Uint8Array {
  if (BASE58.test(text)) return fromBase58(text);
  const index = text.search(/[^1-9A-HJ-NP-Za-km-z]/);
  const offset = Buffer.byteLength(text.slice(0, index));
  const character = text.charAt(index);
  throw new DecodingError(
    character > '\u007f'
      ? `NonAsciiCharacter { index: ${offset} }`
      : `InvalidCharacter { character: '${character}', index: ${offset} }`,
  );
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

function decodeBase64(text: string): Uint8Array {
  const bytes = Buffer.from(text, 'base64');
  if (text.length % 4 === 0 && bytes.toString('base64') === text) return bytes;
  throw new DecodingError(base64Fault(text));
}

function base64Fault(text: string): string {
  const digits = /^[A-Za-z0-9+/]*/.exec(text)?.[0] ?? '';
  const [open, padding] = [digits.length % 4, text.length - digits.length];
  // One or two fill a group that has two or three digits.
  const isMisplaced = padding > 0 && (open < 2 || open + padding > 4);
  if (isMisplaced || !BASE64.test(text)) {
    return `InvalidByte(${digits.length}, ${Buffer.from(text)[digits.length] ?? 0})`;
  }
  if (open === 1) return `InvalidLength(${text.length})`;
  if (text.length % 4 !== 0) return 'InvalidPadding';
  return `InvalidLastSymbol(${digits.length - 1}, ${digits.charCodeAt(digits.length - 1)})`;
}
