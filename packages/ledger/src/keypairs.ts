import { createPrivateKey, createPublicKey, webcrypto, randomBytes } from 'node:crypto';
import type { Address, KeyPairSigner, SignatureBytes } from '@solana/kit';
import { toBase58, fromBase58 } from './bank/keys.js';
import { linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MalformedKeypairFileError } from './errors.js';

/** The bytes before the 32 of an Ed25519 secret key in PKCS #8. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Kit's signer of a secret key of 32 bytes, without kit: loading it would take most of a ledger's start. */
async function signerOf(secret: Uint8Array): Promise<KeyPairSigner> {
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

const KEYPAIR_BYTES = 64;
const SECRET_BYTES = 32;

export type KeypairFile = { readonly path: string; readonly signer: KeyPairSigner };

/** The keypairs in a ledger's data folder: the faucet's, and those that its genesis asks for. */
export type LedgerKeypairs<Name extends string> = Readonly<Record<Name | 'faucet', KeypairFile>>;

/** Reads the keypairs of a data folder and makes those that are missing. Rule L-4. @throws MalformedKeypairFileError */
export async function loadKeypairs<Name extends string>(
  dataDir: string,
  names: readonly Name[],
): Promise<LedgerKeypairs<Name>> {
  const loaded: Record<string, KeypairFile> = {};
  for (const name of ['faucet', ...names]) {
    const path = join(dataDir, `${name}-keypair.json`);
    loaded[name] = { path, signer: await loadOrCreateKeypair(path) };
  }
  return loaded as LedgerKeypairs<Name>;
}

/**
 * Reads a keypair file, or makes a new keypair and stores it there, readable by its owner only (mode 0600). The file
 * appears whole or not at all. When several processes start at once, all get the same keypair.
 *
 * @throws MalformedKeypairFileError
 */
export async function loadOrCreateKeypair(path: string): Promise<KeyPairSigner> {
  try {
    return await readKeypairFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const secret = randomBytes(SECRET_BYTES);
  const signer = await signerOf(secret);
  const bytes = [...secret, ...fromBase58(signer.address)];
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(draft, `${JSON.stringify(bytes)}\n`, { mode: 0o600, flush: true });
  try {
    // Unlike a rename, a link never replaces a keypair that another process has just made.
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(draft);
  }
  return readKeypairFile(path);
}

/**
 * Reads a keypair file as solana-keygen writes it: a JSON array of 64 numbers, the secret key and then the public key.
 *
 * @throws MalformedKeypairFileError, or the system's error when the file cannot be read
 */
export async function readKeypairFile(path: string): Promise<KeyPairSigner> {
  const bytes = parseBytes(path, readFileSync(path, 'utf8'));
  const signer = await signerOf(bytes.subarray(0, SECRET_BYTES));
  const publicKey = fromBase58(signer.address);
  if (!publicKey.every((byte, index) => byte === bytes[SECRET_BYTES + index])) {
    throw new MalformedKeypairFileError(path, 'the public key in its second half does not belong to the secret key');
  }
  return signer;
}

function parseBytes(path: string, text: string): Uint8Array {
  let elements: unknown;
  try {
    elements = JSON.parse(text);
  } catch {
    throw new MalformedKeypairFileError(path, 'it is not JSON');
  }
  if (!Array.isArray(elements)) throw new MalformedKeypairFileError(path, 'it is not an array');
  if (elements.length !== KEYPAIR_BYTES)
    throw new MalformedKeypairFileError(path, `it has ${elements.length} elements`);
  if (!elements.every((element) => Number.isInteger(element) && element >= 0 && element <= 255)) {
    throw new MalformedKeypairFileError(path, 'an element is not a number from 0 to 255');
  }
  return Uint8Array.from(elements);
}
