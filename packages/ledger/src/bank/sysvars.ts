import type { Account } from './account.js';
import { BLOCKHASH_AGE } from './commitment.js';
import { fromBase58 } from './keys.js';

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
const SLOT_HASHES = fromBase58('SysvarS1otHashes111111111111111111111111111');
const SLOT_HISTORY = fromBase58('SysvarS1otHistory11111111111111111111111111');
const RECENT_BLOCKHASHES = fromBase58('SysvarRecentB1ockHashes11111111111111111111');

/** Sysvars that say the same for ever. */
export const CONSTANT_SYSVARS = [
  'SysvarRent111111111111111111111111111111111',
  'SysvarEpochSchedu1e111111111111111111111111',
  'SysvarEpochRewards1111111111111111111111111',
  'SysvarLastRestartS1ot1111111111111111111111',
  'SysvarStakeHistory1111111111111111111111111',
].map(fromBase58);

const SLOT_HASHES_KEPT = 512;
const BLOCKHASHES_KEPT = Number(BLOCKHASH_AGE);
/** Slots whose blocks the history tells, one bit each, in words of 64. */
const HISTORY_SLOTS = 1024 * 1024;
const LAMPORTS_PER_SIGNATURE = 5000n;

/** Takes a sysvar's data: the engine. */
type SysvarSink = { setSysvar(address: Uint8Array, data: Uint8Array): void };

/** The sysvars that move with the slot, as they are on a cluster on which each slot has a block. Rule L-28. */
export class Sysvars {
  readonly #to: SysvarSink;
  readonly #blockhashOf: (slot: number) => Uint8Array;
  /** Blockhashes of the latest slots, newest first. */
  #recent: { readonly slot: number; readonly hash: Uint8Array }[] = [];

  constructor(to: SysvarSink, blockhashOf: (slot: number) => Uint8Array) {
    this.#to = to;
    this.#blockhashOf = blockhashOf;
  }

  moveTo(moment: Moment): void {
    const { slot } = moment;
    const newest = this.#recent[0]?.slot ?? -1;
    for (let begun = Math.max(newest + 1, slot - SLOT_HASHES_KEPT + 1, 0); begun <= slot; begun += 1) {
      this.#recent.unshift({ slot: begun, hash: this.#blockhashOf(begun) });
    }
    this.#recent.length = Math.min(this.#recent.length, SLOT_HASHES_KEPT);
    this.#to.setSysvar(CLOCK, clockBytes(moment));
    this.#to.setSysvar(SLOT_HASHES, this.#slotHashes());
    this.#to.setSysvar(RECENT_BLOCKHASHES, this.#recentBlockhashes());
    this.#to.setSysvar(SLOT_HISTORY, historyBytes(slot));
  }

  /** The newest is the current slot's: clients name it at once when they make a lookup table. */
  #slotHashes(): Uint8Array {
    const bytes = Buffer.alloc(8 + 40 * SLOT_HASHES_KEPT);
    bytes.writeBigUInt64LE(BigInt(this.#recent.length), 0);
    this.#recent.forEach(({ slot, hash }, index) => {
      bytes.writeBigUInt64LE(BigInt(slot), 8 + 40 * index);
      bytes.set(hash, 16 + 40 * index);
    });
    return bytes;
  }

  #recentBlockhashes(): Uint8Array {
    const bytes = Buffer.alloc(8 + 40 * BLOCKHASHES_KEPT);
    const kept = this.#recent.slice(0, BLOCKHASHES_KEPT);
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

export function clockBytes({ slot, epoch, epochStart, now }: Moment): Uint8Array {
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
