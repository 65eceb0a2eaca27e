import { createHash } from 'node:crypto';
import { NAMESPACE } from './backend.js';
import { createKeyPairSignerFromPrivateKeyBytes, type KeyPairSigner } from '@solana/kit';

/** Making a keypair takes longer than most transactions: a worker makes that of a name once. */
const made = new Map<string, Promise<KeyPairSigner>>();

/** The keypair of a name: the same in every run, so that addresses and their bumps are too. */
export function keyOf(name: string): Promise<KeyPairSigner> {
  const known = made.get(name);
  if (known) return known;
  const seed = createHash('sha256').update(`${NAMESPACE}${name}`).digest();
  const key = createKeyPairSignerFromPrivateKeyBytes(seed);
  made.set(name, key);
  return key;
}
