import { getTransactionDecoder, getTransactionEncoder, type SignatureBytes } from '@solana/kit';
import type { DeviceKey } from './key.js';
import { t } from '../language.js';

/**
 * Puts the key's signature into a transaction and changes nothing else of it: others may have signed before.
 *
 * @param wire a transaction as it is sent
 * @throws {Error} when the bytes are no transaction, or it is not this key's to sign
 */
export async function signWire({ address, sign }: DeviceKey, wire: Uint8Array): Promise<Uint8Array> {
  const transaction = getTransactionDecoder().decode(wire);
  if (!Object.hasOwn(transaction.signatures, address)) {
    throw new Error(t('This transaction is not for {key} to sign.', { key: address }));
  }
  const signature = (await sign(Uint8Array.from(transaction.messageBytes))) as SignatureBytes;
  const signatures = { ...transaction.signatures, [address]: signature };
  return Uint8Array.from(getTransactionEncoder().encode({ ...transaction, signatures }));
}
