import type { Account } from './account.js';
import { BLOCKHASH_AGE, FINALITY_SLOTS } from './commitment.js';
import { fromBase58, keyOf, type Key } from './keys.js';

/** The moment as programs see it. */
export type Moment = {
  readonly slot: number;
  readonly epoch: number;
  /** Seconds since 1970. */
  readonly epochStart: number;
  readonly now: number;
};

/** A slot's moment on a ledger. */
export function momentOf(
  slot: number,
  ledger: {
    readonly engine: { readonly slotsPerEpoch: bigint };
    /** When a slot began, in seconds since 1970. */
    blockTime(slot: number): number;
  },
): Moment {
  const slotsPerEpoch = Number(ledger.engine.slotsPerEpoch);
  const epoch = Math.floor(slot / slotsPerEpoch);
  return { slot, epoch, epochStart: ledger.blockTime(epoch * slotsPerEpoch), now: ledger.blockTime(slot) };
}

export const SYSVAR_OWNER = fromBase58('Sysvar1111111111111111111111111111111111111');

export const CLOCK = fromBase58('SysvarC1ock11111111111111111111111111111111');
export const SLOT_HASHES = fromBase58('SysvarS1otHashes111111111111111111111111111');
const SLOT_HISTORY = fromBase58('SysvarS1otHistory11111111111111111111111111');
const RECENT_BLOCKHASHES = fromBase58('SysvarRecentB1ockHashes11111111111111111111');

/** The stake of the epochs that are over: it changes when one ends. */
export const STAKE_HISTORY = fromBase58('SysvarStakeHistory1111111111111111111111111');

/** Sysvars that do not move with the slot. */
export const CONSTANT_SYSVARS = [
  'SysvarRent111111111111111111111111111111111',
  'SysvarEpochSchedu1e111111111111111111111111',
  'SysvarEpochRewards1111111111111111111111111',
  'SysvarLastRestartS1ot1111111111111111111111',
  'SysvarStakeHistory1111111111111111111111111',
].map(fromBase58);

const SLOT_HASHES_KEPT = 512;
const BLOCKHASHES_KEPT = Number(BLOCKHASH_AGE);
/** Slots of which the blockhash is kept: for the sysvars of the latest slot and of the final one. */
const SLOTS_KEPT = SLOT_HASHES_KEPT + Number(FINALITY_SLOTS) + 1;
/** Slots whose blocks the history tells, one bit each, in words of 64. */
const HISTORY_SLOTS = 1024 * 1024;
const LAMPORTS_PER_SIGNATURE = 5000n;

/** Takes a sysvar's data: the engine. */
type SysvarSink = { setSysvar(address: Uint8Array, data: Uint8Array): void };

/** The sysvars that move with the slot, as they are on a cluster on which each slot has a block. Rule L-28. */
export class Sysvars {
  readonly #to: SysvarSink;
  readonly #blockhashOf: (slot: number) => Uint8Array;
  readonly #momentOf: (slot: number) => Moment;
  /** Blockhashes of the latest slots, newest first. */
  #recent: { readonly slot: number; readonly hash: Uint8Array }[] = [];
  /** Those of this slot and of the final one, with their addresses, once they were set. */
  readonly #known = new Map<number, (readonly [Uint8Array, Uint8Array])[]>();

  constructor(to: SysvarSink, blockhashOf: (slot: number) => Uint8Array, momentOf: (slot: number) => Moment) {
    this.#to = to;
    this.#blockhashOf = blockhashOf;
    this.#momentOf = momentOf;
  }

  /** Begins a slot. */
  moveTo(slot: number): void {
    const newest = this.#recent[0]?.slot ?? -1;
    for (let begun = Math.max(newest + 1, slot - SLOTS_KEPT + 1, 0); begun <= slot; begun += 1) {
      this.#recent.unshift({ slot: begun, hash: this.#blockhashOf(begun) });
    }
    this.#recent.length = Math.min(this.#recent.length, SLOTS_KEPT);
    this.#known.clear();
    this.set();
  }

  /**
   * Sets them as they are in a slot: the latest, or one that is no older than the final one.
   *
   * @param named if given, the accounts that a transaction names. SlotHistory, which is large and nothing but an account, may be left out then
   */
  set(slot: number = this.#recent[0]?.slot ?? 0, named?: ReadonlySet<Key>): void {
    const known = this.#known.get(slot) ?? this.#at(slot);
    this.#known.set(slot, known);
    for (const [address, data] of known) {
      if (address !== SLOT_HISTORY || named === undefined || named.has(keyOf(address)))
        this.#to.setSysvar(address, data);
    }
  }

  #at(slot: number): (readonly [Uint8Array, Uint8Array])[] {
    return [
      [CLOCK, clockBytes(this.#momentOf(slot))],
      [SLOT_HASHES, this.#slotHashes(slot)],
      [RECENT_BLOCKHASHES, this.#recentBlockhashes(slot)],
      [SLOT_HISTORY, historyBytes(slot)],
    ];
  }

  /** A slot has a hash when its block is complete, so the newest is that of the slot before. */
  #slotHashes(slot: number): Uint8Array {
    const bytes = Buffer.alloc(8 + 40 * SLOT_HASHES_KEPT);
    const kept = this.#recent.filter((one) => one.slot < slot).slice(0, SLOT_HASHES_KEPT);
    bytes.writeBigUInt64LE(BigInt(kept.length), 0);
    kept.forEach((one, index) => {
      bytes.writeBigUInt64LE(BigInt(one.slot), 8 + 40 * index);
      bytes.set(one.hash, 16 + 40 * index);
    });
    return bytes;
  }

  #recentBlockhashes(slot: number): Uint8Array {
    const bytes = Buffer.alloc(8 + 40 * BLOCKHASHES_KEPT);
    const kept = this.#recent.filter((one) => one.slot <= slot).slice(0, BLOCKHASHES_KEPT);
    bytes.writeBigUInt64LE(BigInt(kept.length), 0);
    kept.forEach(({ hash }, index) => {
      bytes.set(hash, 8 + 40 * index);
      bytes.writeBigUInt64LE(LAMPORTS_PER_SIGNATURE, 40 + 40 * index);
    });
    return bytes;
  }
}

/** A sysvar's account, with the least that keeps it. */
export function sysvarAccount(data: Uint8Array, lamports: bigint): Account {
  return { lamports, data, owner: SYSVAR_OWNER, executable: false, rentEpoch: 0n };
}

function clockBytes({ slot, epoch, epochStart, now }: Moment): Uint8Array {
  const bytes = Buffer.alloc(40);
  bytes.writeBigUInt64LE(BigInt(slot), 0);
  bytes.writeBigInt64LE(BigInt(epochStart), 8);
  bytes.writeBigUInt64LE(BigInt(epoch), 16);
  bytes.writeBigUInt64LE(BigInt(epoch + 1), 24);
  bytes.writeBigInt64LE(BigInt(now), 32);
  return bytes;
}

/** Every slot so far has a block; older than the window, a bit stands for the slot that took its place. */
function historyBytes(slot: number): Uint8Array {
  const words = 9;
  const bytes = Buffer.alloc(words + HISTORY_SLOTS / 8 + 16);
  bytes.writeUInt8(1, 0);
  bytes.writeBigUInt64LE(BigInt(HISTORY_SLOTS / 64), 1);
  const set = Math.min(slot + 1, HISTORY_SLOTS);
  bytes.fill(0xff, words, words + Math.floor(set / 8));
  if (set % 8 !== 0) bytes.writeUInt8(2 ** (set % 8) - 1, words + Math.floor(set / 8));
  bytes.writeBigUInt64LE(BigInt(HISTORY_SLOTS), words + HISTORY_SLOTS / 8);
  bytes.writeBigUInt64LE(BigInt(slot + 1), words + HISTORY_SLOTS / 8 + 8);
  return bytes;
}
