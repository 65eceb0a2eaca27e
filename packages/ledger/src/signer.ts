import { createPrivateKey, createPublicKey, webcrypto } from 'node:crypto';
import type { Address, KeyPairSigner, SignatureBytes } from '@solana/kit';
import { toBase58 } from './bank/keys.js';

/** What precedes the 32 bytes of an Ed25519 secret key in PKCS #8. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Kit's signer of a secret key of 32 bytes, without kit: loading it would take most of a ledger's start. */
export async function signerOf(secret: Uint8Array): Promise<KeyPairSigner> {
  const pkcs8 = Buffer.concat([PKCS8_HEAD, secret]);
  const publicBytes = publicKeyOf(pkcs8);
  const [privateKey, publicKey] = await Promise.all([
    webcrypto.subtle.importKey('pkcs8', pkcs8, 'Ed25519', false, ['sign']),
    webcrypto.subtle.importKey('raw', publicBytes, 'Ed25519', true, ['verify']),
  ]);
  const address = toBase58(publicBytes) as Address;
  const sign = async (bytes: Uint8Array) =>
    Object.freeze({
      [address]: new Uint8Array(await webcrypto.subtle.sign('Ed25519', privateKey, bytes)) as SignatureBytes,
    });
  return Object.freeze({
    address,
    keyPair: Object.freeze({ privateKey, publicKey }),
    signMessages: async (messages) => Promise.all(messages.map(async ({ content }) => sign(content))),
    signTransactions: async (transactions) =>
      Promise.all(transactions.map(async ({ messageBytes }) => sign(messageBytes as unknown as Uint8Array))),
  } satisfies KeyPairSigner);
}

function publicKeyOf(pkcs8: Buffer): Uint8Array {
  const publicKey = createPublicKey(createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' }));
  return Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
}
