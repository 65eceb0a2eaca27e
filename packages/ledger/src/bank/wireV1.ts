import { keyOf } from './keys.js';
import type { TransactionConfig, WireInstruction, WireMessage } from './wire.js';
import { insane, type Reader } from './wireReader.js';

/** The first byte of a message of version 1, and so of a transaction: its signatures come last. */
export const V1_PREFIX = 0x81;

/** The largest transaction of version 1, in bytes. */
export const MAX_V1_BYTES = 4096;

const MAX_SIGNATURES = 12;
const MAX_ADDRESSES = 64;
const MAX_INSTRUCTIONS = 64;
const HEAP_STEP = 1024;
const MIN_HEAP = 32 * HEAP_STEP;
const MAX_HEAP = 256 * HEAP_STEP;

/** Which of the configuration's values are there, lowest bit first; the fee has two bits, which go together. */
const FEE_BITS = 0b11;
const UNITS_BIT = 0b100;
const LOADED_BIT = 0b1000;
const HEAP_BIT = 0b1_0000;
const KNOWN_BITS = 0b1_1111;

/**
 * Reads a message of version 1 (SIMD-0385): no lookup tables, limits and price beside the instructions instead of among them.
 *
 * @throws MalformedTransactionError
 */
export function readMessageV1(reader: Reader): Omit<WireMessage, 'bytes'> {
  reader.byte();
  const numRequiredSignatures = reader.byte();
  const numReadonlySigned = reader.byte();
  const numReadonlyUnsigned = reader.byte();
  const mask = reader.number(4);
  const feeBits = mask & FEE_BITS;
  if ((mask & ~KNOWN_BITS) !== 0 || (feeBits !== 0 && feeBits !== FEE_BITS)) {
    throw reader.fail('Invalid value: invalid transaction config mask');
  }
  const blockhash = reader.slice(32);
  const numInstructions = reader.byte();
  const staticKeys = Array.from({ length: reader.byte() }, () => reader.slice(32));
  const config = readConfig(reader, mask);
  const instructions = readInstructions(reader, numInstructions);
  if (
    numRequiredSignatures > MAX_SIGNATURES ||
    staticKeys.length > MAX_ADDRESSES ||
    numInstructions > MAX_INSTRUCTIONS ||
    new Set(staticKeys.map(keyOf)).size !== staticKeys.length ||
    !isHeapSize(config.heapSize)
  ) {
    throw insane();
  }
  const header = { numRequiredSignatures, numReadonlySigned, numReadonlyUnsigned };
  return { version: 1, ...header, staticKeys, blockhash, instructions, lookups: [], config };
}

function readConfig(reader: Reader, mask: number): TransactionConfig {
  const u32 = (bit: number): number | null => ((mask & bit) === 0 ? null : reader.number(4));
  return {
    priorityFee: (mask & FEE_BITS) === 0 ? null : Buffer.from(reader.slice(8)).readBigUInt64LE(),
    computeUnitLimit: u32(UNITS_BIT),
    loadedAccountsDataSizeLimit: u32(LOADED_BIT),
    heapSize: u32(HEAP_BIT),
  };
}

/** All headers come first, then all accounts and data. */
function readInstructions(reader: Reader, count: number): WireInstruction[] {
  const headers = Array.from({ length: count }, () => ({
    programIndex: reader.byte(),
    accounts: reader.byte(),
    data: reader.number(2),
  }));
  return headers.map(({ programIndex, accounts, data }) => ({
    programIndex,
    accounts: reader.slice(accounts),
    data: reader.slice(data),
  }));
}

function isHeapSize(size: number | null): boolean {
  return size === null || (size % HEAP_STEP === 0 && size >= MIN_HEAP && size <= MAX_HEAP);
}
