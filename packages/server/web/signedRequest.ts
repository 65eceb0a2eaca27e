import { encodeBase58 } from './base58.js';

/** A key that signs, wherever its secret is. */
export interface SigningKey {
  /** Base58 public key. */
  readonly address: string;
  /** The 64-byte ed25519 signature of the message. */
  sign(message: Uint8Array): Promise<Uint8Array>;
}

/** What of a request is signed. */
export interface ToSign {
  readonly method: string;
  readonly url: URL;
  readonly body: string;
}

const encoder = new TextEncoder();

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function sha256(text: string): Promise<string> {
  return hex(new Uint8Array(await crypto.subtle.digest('SHA-256', encoder.encode(text))));
}

function createNonce(): string {
  return `${Date.now()}-${hex(crypto.getRandomValues(new Uint8Array(8)))}`;
}

/** The headers of a signed request, as rules M-31 and M-32 have them. */
export async function signedHeaders(key: SigningKey, { method, url, body }: ToSign): Promise<Record<string, string>> {
  const nonce = createNonce();
  const path = url.pathname + url.search;
  const text = ['svc-auth-v1', method, url.host, path, nonce, await sha256(body)].join('\n');
  const signature = await key.sign(encoder.encode(text));
  return { 'X-Pubkey': key.address, 'X-Nonce': nonce, 'X-Signature': encodeBase58(signature) };
}
