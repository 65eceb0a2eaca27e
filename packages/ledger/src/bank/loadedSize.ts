import type { AccountKeys } from './accountKeys.js';
import { keyOf, type Key } from './keys.js';
import type { Outline } from './outlines.js';
import type { WireMessage } from './wire.js';

/** Bytes that every account counts in addition to its data. */
const ACCOUNT_BASE_SIZE = 64;
/** Bytes that a lookup table counts, whatever it holds. */
const TABLE_SIZE = 8248;

/**
 * Bytes of the accounts that a transaction loads, as SIMD-0186 counts them: the code of an upgradeable program too, once, whether the
 * program is called or only named.
 */
export function loadedSizeOf(
  { lookups }: WireMessage,
  { all, names }: Pick<AccountKeys, 'all' | 'names'>,
  outline: (address: Uint8Array, name: Key) => Outline | undefined,
): number {
  let size = TABLE_SIZE * lookups.length;
  const codes = new Set<Key>();
  const add = (address: Uint8Array, name: Key): Uint8Array | undefined => {
    const found = outline(address, name);
    if (found !== undefined) size += ACCOUNT_BASE_SIZE + found.bytes;
    return found?.code;
  };
  all.forEach((address, index) => {
    const code = add(address, names[index] ?? '');
    const name = code && keyOf(code);
    if (code === undefined || name === undefined || names.includes(name) || codes.has(name)) return;
    codes.add(name);
    add(code, name);
  });
  return size;
}
