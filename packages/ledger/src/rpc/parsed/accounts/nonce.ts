import { DataReader } from './dataReader.js';
import type { Parsed } from './parsed.js';

/** A durable nonce. An account that merely has its length is not shown as one. */
export function parseNonce(data: Uint8Array): Parsed | undefined {
  const reader = new DataReader(data);
  const version = reader.u32();
  const state = reader.u32();
  if (version > 1 || state !== 1) return undefined;
  return {
    type: 'initialized',
    info: {
      authority: reader.key(),
      blockhash: reader.key(),
      feeCalculator: { lamportsPerSignature: String(reader.u64()) },
    },
  };
}
