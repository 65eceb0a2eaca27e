import type { Account } from './account.js';
import { keyOf, type Key } from './keys.js';
import { isWritableStatic, type TableLookup, type WireMessage } from './wire.js';

/** The accounts of a transaction, in index order. */
export type AccountKeys = {
  readonly all: readonly Uint8Array[];
  /** The same as keys of maps. */
  readonly names: readonly Key[];
  readonly isWritable: (index: number) => boolean;
  readonly loaded: { readonly writable: readonly Uint8Array[]; readonly readonly: readonly Uint8Array[] };
};

export const TABLE_HEADER_BYTES = 56;

/** Resolves a message's accounts, including those from lookup tables; an entry that a table lacks is left out. */
export function resolveAccountKeys(
  message: WireMessage,
  account: (address: Uint8Array) => Account | undefined,
): AccountKeys {
  const writable = message.lookups.flatMap((lookup) => pick(lookup, lookup.writable, account));
  const readonly = message.lookups.flatMap((lookup) => pick(lookup, lookup.readonly, account));
  const statics = message.staticKeys.length;
  const all = [...message.staticKeys, ...writable, ...readonly];
  return {
    all,
    names: all.map(keyOf),
    isWritable: (index) => (index < statics ? isWritableStatic(message, index) : index < statics + writable.length),
    loaded: { writable, readonly },
  };
}

/** Where a table says in which slot entries were added last. */
export const EXTENDED_AT = 12;

/** A lookup table as if its entries had been added in slot 0, so that all of them count. */
export function extendedAtGenesis(table: Account): Account {
  const data = Buffer.from(table.data);
  if (data.length >= TABLE_HEADER_BYTES) data.writeBigUInt64LE(0n, EXTENDED_AT);
  return { ...table, data };
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

/** Reads the accounts that a transaction may write. */
export function readWritable(
  keys: AccountKeys,
  read: (address: Uint8Array, name: Key) => Account | undefined,
): Map<Key, Account | undefined> {
  const accounts = new Map<Key, Account | undefined>();
  keys.all.forEach((address, index) => {
    const name = keys.names[index] ?? '';
    if (keys.isWritable(index)) accounts.set(name, read(address, name));
  });
  return accounts;
}
