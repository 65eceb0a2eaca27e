import { keyOf } from './keys.js';
import type { TransactionConfig, WireInstruction, WireMessage } from './wire.js';
import { insane, type Reader } from './wireReader.js';

/** The first byte of a message of version 1, and so of a transaction: its signatures come last. */
export const V1_PREFIX = 0x81;

/** The largest transaction of version 1, in bytes. */
export const MAX_V1_BYTES = 4096;

/** Three counts, which values of the configuration there are, the blockhash, and two counts. */
const HEAD_BYTES = 41;
const MASK_AT = 3;
const BLOCKHASH_AT = 7;

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
 * Reads a message of version 1 (SIMD-0385) after its first byte: no lookup tables, limits and price beside the instructions instead of among them.
 *
 * @throws MalformedTransactionError
 */
export function readMessageV1(reader: Reader): Omit<WireMessage, 'bytes'> {
  const head = Buffer.from(reader.slice(HEAD_BYTES));
  const [numRequiredSignatures = 0, numReadonlySigned = 0, numReadonlyUnsigned = 0] = head;
  const mask = head.readUInt32LE(MASK_AT);
  const feeBits = mask & FEE_BITS;
  if ((mask & ~KNOWN_BITS) !== 0 || (feeBits !== 0 && feeBits !== FEE_BITS)) {
    throw reader.fail('Invalid value: invalid transaction config mask');
  }
  const blockhash = head.subarray(BLOCKHASH_AT, BLOCKHASH_AT + 32);
  const [numInstructions = 0, numAddresses = 0] = head.subarray(BLOCKHASH_AT + 32);
  const staticKeys = reader.slices(numAddresses, 32);
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
  return reader.slices(count, 4).map((header) => ({
    programIndex: header[0] ?? 0,
    accounts: reader.slice(header[1] ?? 0),
    data: reader.slice(Buffer.from(header).readUInt16LE(2)),
  }));
}

function isHeapSize(size: number | null): boolean {
  return size === null || (size % HEAP_STEP === 0 && size >= MIN_HEAP && size <= MAX_HEAP);
}
