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

const TABLE_HEADER_BYTES = 56;

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

/** Where a table says in which slot entries were added last, and which of them was the first. */
const EXTENDED_AT = 12;
const FIRST_ADDED_AT = 20;

/** A lookup table as if its entries had been added in slot 0, so that all of them count. */
export function extendedAtGenesis(table: Account): Account {
  const data = Buffer.from(table.data);
  if (data.length >= TABLE_HEADER_BYTES) data.writeBigUInt64LE(0n, EXTENDED_AT);
  return { ...table, data };
}

/** Reports whether a message names an entry that was added to its table in this slot. */
export function namesFreshEntry(
  message: WireMessage,
  account: (address: Uint8Array) => Account | undefined,
  slot: number,
): boolean {
  return message.lookups.some(({ table, writable, readonly }) => {
    const data = Buffer.from(account(table)?.data ?? []);
    if (data.length < TABLE_HEADER_BYTES || data.readBigUInt64LE(EXTENDED_AT) !== BigInt(slot)) return false;
    const first = data.readUInt8(FIRST_ADDED_AT);
    const entries = (data.length - TABLE_HEADER_BYTES) / 32;
    return [...writable, ...readonly].some((index) => index >= first && index < entries);
  });
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
