import { createHash } from 'node:crypto';
import { NAMESPACE } from './backend.js';
import { createKeyPairSignerFromPrivateKeyBytes, type KeyPairSigner } from '@solana/kit';

/** The keypair of a name: the same in every run, so that addresses and their bumps are too. */
export function keyOf(name: string): Promise<KeyPairSigner> {
  return createKeyPairSignerFromPrivateKeyBytes(createHash('sha256').update(`${NAMESPACE}${name}`).digest());
}
