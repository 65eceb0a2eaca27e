const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const NOT_A_DIGIT = 255;
const DIGIT_OF = new Uint8Array(128).fill(NOT_A_DIGIT);
for (let digit = 0; digit < 58; digit += 1) DIGIT_OF[ALPHABET.charCodeAt(digit)] = digit;

/** All pairs of digits, by their value. */
const PAIRS = ALPHABET.split('').flatMap((high) => ALPHABET.split('').map((low) => high + low));

/** Digits that are worked on at once: 58^5 times 2^16 is still a whole number in floating point. */
const DIGITS = 5;
const FIVE_DIGITS = 58 ** DIGITS;

/** Writes bytes as base58 text: without big integers, which take ten times as long. */
export function toBase58(bytes: Uint8Array): string {
  let zeros = 0;
  while (bytes[zeros] === 0) zeros += 1;
  const limbs = limbsOf(bytes, zeros);
  let text = '';
  for (let i = limbs.length - 1; i >= 0; i -= 1) text += fiveDigits(limbs[i] as number);
  return '1'.repeat(zeros) + text.slice(leadingOnes(text));
}

/** The number that the bytes from `start` on write, in base 58^5, the lowest limb first. */
function limbsOf(bytes: Uint8Array, start: number): number[] {
  const limbs: number[] = [];
  for (let at = start; at < bytes.length; at += 2) {
    const isPair = at + 1 < bytes.length;
    const factor = isPair ? 65_536 : 256;
    let carry = isPair ? (bytes[at] as number) * 256 + (bytes[at + 1] as number) : (bytes[at] as number);
    for (let i = 0; i < limbs.length; i += 1) {
      const value = (limbs[i] as number) * factor + carry;
      carry = Math.floor(value / FIVE_DIGITS);
      limbs[i] = value - carry * FIVE_DIGITS;
    }
    if (carry > 0) limbs.push(carry);
  }
  return limbs;
}

function fiveDigits(limb: number): string {
  const high = Math.floor(limb / PAIRS.length);
  const highest = Math.floor(high / PAIRS.length);
  const pairs = (PAIRS[high - highest * PAIRS.length] as string) + (PAIRS[limb - high * PAIRS.length] as string);
  return (ALPHABET[highest] as string) + pairs;
}

function leadingOnes(text: string): number {
  let ones = 0;
  while (text[ones] === '1') ones += 1;
  return ones;
}

/** Reads base58 text. @throws Error when a character is outside the alphabet */
export function fromBase58(text: string): Uint8Array {
  const zeros = leadingOnes(text);
  const words: number[] = [];
  // The first group is the short one.
  for (let at = zeros, end = zeros + ((text.length - zeros) % DIGITS || DIGITS); at < text.length; end += DIGITS) {
    const factor = 58 ** (end - at);
    let carry = 0;
    for (; at < end; at += 1) carry = carry * 58 + digitAt(text, at);
    for (let i = 0; i < words.length; i += 1) {
      const value = (words[i] as number) * factor + carry;
      carry = Math.floor(value / 65_536);
      words[i] = value - carry * 65_536;
    }
    for (; carry > 0; carry = Math.floor(carry / 65_536)) words.push(carry % 65_536);
  }
  return bytesOf(words, zeros);
}

function digitAt(text: string, at: number): number {
  const digit = DIGIT_OF[text.charCodeAt(at)] ?? NOT_A_DIGIT;
  if (digit === NOT_A_DIGIT) throw new Error(`${JSON.stringify(text[at])} is outside the base58 alphabet`);
  return digit;
}

/** Words of 16 bits, the lowest first, as bytes after `zeros` zero bytes. */
function bytesOf(words: readonly number[], zeros: number): Uint8Array {
  const highest = words.at(-1) ?? 256;
  const skipped = highest < 256 ? 1 : 0;
  const bytes = new Uint8Array(zeros + 2 * words.length - skipped);
  for (let i = 0, at = bytes.length; i < words.length; i += 1) {
    const word = words[i] as number;
    at -= 1;
    bytes[at] = word % 256;
    at -= 1;
    if (at >= zeros) bytes[at] = Math.floor(word / 256);
  }
  return bytes;
}
