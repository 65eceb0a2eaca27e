// A wallet that signs transfers by hand: fast enough to keep a ledger busy.
import { generateKeyPairSync, sign } from 'node:crypto';
import { getBase58Decoder, getBase58Encoder } from '@solana/kit';

export const base58 = (bytes) => getBase58Decoder().decode(bytes);
export const bytesOf = (text) => Buffer.from(getBase58Encoder().encode(text));

const SYSTEM_PROGRAM = Buffer.alloc(32);
const TRANSFER = 2;

/** @returns {{ address: string, transfer: (recipient: string, lamports: bigint, blockhash: string) => { signature: string, wire: string, lamports: bigint } }} */
export function makeWallet() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const own = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
  const transfer = (recipient, lamports, blockhash) => {
    const data = Buffer.alloc(12);
    data.writeUInt32LE(TRANSFER, 0);
    data.writeBigUInt64LE(lamports, 4);
    const keys = Buffer.concat([own, bytesOf(recipient), SYSTEM_PROGRAM]);
    const instruction = Buffer.of(1, 2, 2, 0, 1, data.length);
    const message = Buffer.concat([
      Buffer.of(0x80, 1, 0, 1, 3),
      keys,
      bytesOf(blockhash),
      instruction,
      data,
      Buffer.of(0),
    ]);
    const signature = sign(null, message, privateKey);
    const wire = Buffer.concat([Buffer.of(1), signature, message]).toString('base64');
    return { signature: base58(signature), wire, lamports };
  };
  return { address: base58(own), transfer };
}
