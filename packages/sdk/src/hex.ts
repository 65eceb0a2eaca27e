import { getBase16Decoder } from '@solana/kit';
import type { ReadonlyUint8Array } from '@solana/kit';

/** Lower-case hexadecimal text of bytes. */
export function bytesToHex(bytes: ReadonlyUint8Array): string {
  return getBase16Decoder().decode(bytes);
}
