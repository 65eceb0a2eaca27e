import type { Account } from './account.js';
import { isWritableStatic, type TableLookup, type WireMessage } from './wire.js';

/** The accounts of a transaction, in index order. */
export type AccountKeys = {
  readonly all: readonly Uint8Array[];
  readonly isWritable: (index: number) => boolean;
  readonly loaded: { readonly writable: readonly Uint8Array[]; readonly readonly: readonly Uint8Array[] };
};

const TABLE_HEADER_BYTES = 56;

/** Resolves a message's accounts, including those from lookup tables; an entry that a table lacks is left out. */
export function resolveAccountKeys(
  message: WireMessage,
  account: (address: Uint8Array) => Account | undefined,
): AccountKeys {
  const writable = message.lookups.flatMap((lookup) => pick(lookup, lookup.writable, account));
  const readonly = message.lookups.flatMap((lookup) => pick(lookup, lookup.readonly, account));
  const statics = message.staticKeys.length;
  return {
    all: [...message.staticKeys, ...writable, ...readonly],
    isWritable: (index) => (index < statics ? isWritableStatic(message, index) : index < statics + writable.length),
    loaded: { writable, readonly },
  };
}

function pick(
  lookup: TableLookup,
  indexes: Uint8Array,
  account: (address: Uint8Array) => Account | undefined,
): Uint8Array[] {
  const data = account(lookup.table)?.data ?? new Uint8Array();
  return [...indexes].flatMap((index) => {
    const start = TABLE_HEADER_BYTES + 32 * index;
    return start + 32 <= data.length ? [data.subarray(start, start + 32)] : [];
  });
}
