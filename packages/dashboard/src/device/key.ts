import { type Address, getAddressDecoder } from '@solana/kit';
import { t } from '../language.js';

/** A key that this browser signs with. Who holds it can sign; its private half can be read by nobody, unless it was imported so. */
export interface DeviceKey {
  readonly address: Address;
  /** The Ed25519 signature of exactly these bytes, 64 of them. */
  readonly sign: (bytes: Uint8Array) => Promise<Uint8Array>;
}

/** A key as a browser keeps it. */
export interface KeptKey {
  readonly address: Address;
  /** A handle of WebCrypto. */
  readonly privateKey: Parameters<typeof crypto.subtle.sign>[1];
}

/** What stands before the 32 bytes of a seed in PKCS #8, for Ed25519 (RFC 8410). */
const PKCS8_HEAD = [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];
const SEED_BYTES = 32;
const ED25519 = { name: 'Ed25519' } as const;

/**
 * The key of a seed, kept by the browser.
 *
 * @param seed 32 bytes, as a secret link or a recovery phrase gives them
 * @param extractable whether scripts can read it again; left out: never
 * @throws {RangeError} when it has another length; {DOMException} where the browser has no Ed25519
 */
export async function importKey(seed: Uint8Array, extractable = false): Promise<KeptKey> {
  if (seed.length !== SEED_BYTES) throw new RangeError(`A seed has ${SEED_BYTES} bytes, and this one ${seed.length}.`);
  const pkcs8 = Uint8Array.from([...PKCS8_HEAD, ...seed]);
  try {
    const importAs = (readable: boolean) => crypto.subtle.importKey('pkcs8', pkcs8, ED25519, readable, ['sign']);
    const [readable, privateKey] = await Promise.all([importAs(true), importAs(extractable)]);
    // Only a key that can be read tells its public half: this one is dropped here.
    const { x } = await crypto.subtle.exportKey('jwk', readable);
    if (x === undefined) throw new TypeError(t('The browser gave no public half of the key.'));
    return { address: getAddressDecoder().decode(fromBase64Url(x)), privateKey };
  } finally {
    pkcs8.fill(0);
  }
}

/** As {@link importKey}, ready to sign. */
export async function importSeed(seed: Uint8Array, extractable = false): Promise<DeviceKey> {
  return signerOf(await importKey(seed, extractable));
}

/** What signs with a key that the browser keeps. */
export function signerOf({ address, privateKey }: KeptKey): DeviceKey {
  return {
    address,
    sign: async (bytes) => new Uint8Array(await crypto.subtle.sign(ED25519, privateKey, Uint8Array.from(bytes))),
  };
}

function fromBase64Url(text: string): Uint8Array {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
}
