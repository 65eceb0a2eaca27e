import { DataReader } from './dataReader.js';
import type { Parsed } from './parsed.js';

const HEADER_BYTES = 56;

/** An address lookup table. */
export function parseLookupTable(data: Uint8Array): Parsed | undefined {
  const reader = new DataReader(data);
  const state = reader.u32();
  if (state === 0) return { type: 'uninitialized' };
  if (state !== 1 || data.length < HEADER_BYTES || (data.length - HEADER_BYTES) % 32 !== 0) return undefined;
  const deactivationSlot = String(reader.u64());
  const lastExtendedSlot = String(reader.u64());
  const lastExtendedSlotStartIndex = reader.u8();
  const authority = reader.option(() => reader.key()) ?? undefined;
  const entries = new DataReader(data.subarray(HEADER_BYTES));
  const addresses = Array.from({ length: (data.length - HEADER_BYTES) / 32 }, () => entries.key());
  return {
    type: 'lookupTable',
    info: { addresses, authority, deactivationSlot, lastExtendedSlot, lastExtendedSlotStartIndex },
  };
}
