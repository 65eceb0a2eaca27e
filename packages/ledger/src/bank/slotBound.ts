import type { Account } from './account.js';
import { EXTENDED_AT, resolveAccountKeys, TABLE_HEADER_BYTES } from './accountKeys.js';
import type { ChangedAccount } from './accounts.js';
import { fromBase58, keyOf, type Key } from './keys.js';
import { isRenewed } from './nonces.js';
import { codeAddressOf, deployedIn } from './programs.js';
import { SLOT_HASHES } from './sysvars.js';
import type { WireInstruction, WireMessage } from './wire.js';

type AccountReader = (address: Uint8Array) => Account | undefined;

/** Where a lookup table says which of its entries was the first that was added last. */
const FIRST_ADDED_AT = 20;

const TABLE_PROGRAM = keyOf(fromBase58('AddressLookupTab1e1111111111111111111111111'));
/** The number of its instruction that makes a table, which names a recent slot after it. */
const CREATE_TABLE = 0;
const NAMED_SLOT_AT = 4;

const SLOT_HASHES_KEY = keyOf(SLOT_HASHES);

/**
 * What counts from the slot after the one in which it happened. A client of a cluster that has seen something confirmed is in a later
 * slot by then; here it may well be in the same one, and so its transaction has to wait. Rule L-29.
 */
export class SlotBound {
  readonly #account: AccountReader;
  readonly #slot: () => number;
  /** Nonces that this slot advanced, and code that it deployed or removed. */
  readonly #changed = new Set<Key>();

  /** @param slot the current one */
  constructor(account: AccountReader, slot: () => number) {
    this.#account = account;
    this.#slot = slot;
  }

  /** Notes what a transaction of this slot changed. */
  note(changed: readonly ChangedAccount[]): void {
    for (const { address, account, before } of changed) {
      if (isRenewed(before, account) || deployedIn(before) !== deployedIn(account)) this.#changed.add(address);
    }
  }

  /** Begins a slot. */
  clear(): void {
    this.#changed.clear();
  }

  /** Reports whether a message that arrived in slot `arrived` names what counts only after the current one. */
  isTooEarly(message: WireMessage, arrived: number): boolean {
    const slot = this.#slot();
    return (
      this.#namesChanged(message) ||
      namesFreshEntry(message, this.#account, slot) ||
      namesSlotHash(message, slot, arrived)
    );
  }

  #namesChanged(message: WireMessage): boolean {
    if (this.#changed.size === 0) return false;
    return resolveAccountKeys(message, this.#account).all.some((address) => {
      if (this.#changed.has(keyOf(address))) return true;
      const code = codeAddressOf(this.#account(address));
      return code !== undefined && this.#changed.has(keyOf(code));
    });
  }
}

/** Reports whether a message names an entry that was added to its table in this slot. */
function namesFreshEntry(message: WireMessage, account: AccountReader, slot: number): boolean {
  return message.lookups.some(({ table, writable, readonly }) => {
    const data = Buffer.from(account(table)?.data ?? []);
    if (data.length < TABLE_HEADER_BYTES || data.readBigUInt64LE(EXTENDED_AT) !== BigInt(slot)) return false;
    const first = data.readUInt8(FIRST_ADDED_AT);
    const entries = (data.length - TABLE_HEADER_BYTES) / 32;
    return [...writable, ...readonly].some((index) => index >= first && index < entries);
  });
}

/** Reports whether a message may need the hash of the slot in which it arrived, or makes a lookup table that names the current slot. */
function namesSlotHash({ staticKeys, instructions }: WireMessage, slot: number, arrived: number): boolean {
  const names = staticKeys.map(keyOf);
  if (arrived === slot && names.includes(SLOT_HASHES_KEY)) return true;
  const table = names.indexOf(TABLE_PROGRAM);
  return table !== -1 && instructions.some((one) => one.programIndex === table && slotNamedBy(one) === BigInt(slot));
}

function slotNamedBy({ data }: WireInstruction): bigint | undefined {
  const bytes = Buffer.from(data);
  const names = bytes.length >= NAMED_SLOT_AT + 8 && bytes.readUInt32LE(0) === CREATE_TABLE;
  return names ? bytes.readBigUInt64LE(NAMED_SLOT_AT) : undefined;
}
