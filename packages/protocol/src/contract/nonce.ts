/** How far a nonce's time may lie from the verifier's clock, either way, in milliseconds. */
export const NONCE_WINDOW_MS = 60_000;

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 16;
const NONCE = /^(0|[1-9][0-9]{0,14})-([0-9A-Za-z]{8,64})$/;

/** A nonce's two parts. */
export interface ParsedNonce {
  /** When it was made, milliseconds since 1970. */
  readonly unixMs: number;
  /** 8 to 64 base62 characters. */
  readonly random: string;
}

/** Makes `<unix ms>-<16 random base62 characters>`. Rule M-32. */
export function createNonce(nowMs: number): string {
  return `${Math.floor(nowMs)}-${randomBase62(RANDOM_LENGTH)}`;
}

/** The parts of a nonce, or undefined when it is malformed. */
export function parseNonce(nonce: string): ParsedNonce | undefined {
  const match = NONCE.exec(nonce);
  return match?.[1] === undefined || match[2] === undefined
    ? undefined
    : { unixMs: Number(match[1]), random: match[2] };
}

/** Reports whether the nonce was made within {@link NONCE_WINDOW_MS} of this clock, before or after. */
export function isFreshNonce(nonce: ParsedNonce, nowMs: number): boolean {
  return Math.abs(nowMs - nonce.unixMs) <= NONCE_WINDOW_MS;
}

function randomBase62(length: number): string {
  // 248 = 4 * 62: larger bytes are dropped, so that every character is equally likely.
  let text = '';
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      if (byte < 248 && text.length < length) {
        text += BASE62.charAt(byte % 62);
      }
    }
  }
  return text;
}
