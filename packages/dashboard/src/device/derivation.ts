/** Where Solana wallets have the first account of a phrase: m/44'/501'/0'/0'. */
const PATH = [44, 501, 0, 0];
const HARDENED = 0x8000_0000;
const HALF = 32;

/**
 * The seed of the first account that Solana wallets make of a recovery phrase, by SLIP-0010 for Ed25519.
 *
 * @param master 64 bytes that BIP-39 makes of the phrase
 * @param path each step is hardened: Ed25519 has no other
 * @returns 32 bytes
 */
export async function accountSeed(master: Uint8Array, path: readonly number[] = PATH): Promise<Uint8Array> {
  let node = await hmacSha512(new TextEncoder().encode('ed25519 seed'), master);
  for (const step of path) {
    const data = new Uint8Array(1 + HALF + 4);
    data.set(node.subarray(0, HALF), 1);
    new DataView(data.buffer).setUint32(1 + HALF, step + HARDENED);
    node = await hmacSha512(node.subarray(HALF), data);
  }
  return node.slice(0, HALF);
}

async function hmacSha512(key: Uint8Array, data: Uint8Array): Promise<Uint8Array> {
  const hmac = { name: 'HMAC', hash: 'SHA-512' };
  const imported = await crypto.subtle.importKey('raw', Uint8Array.from(key), hmac, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, Uint8Array.from(data)));
}
