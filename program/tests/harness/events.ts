import { expect } from 'vitest';
import { must } from './delivery.js';
import type { Outcome } from './ledger.js';

/** The bytes of the one event of a transaction with one instruction. */
function eventOf(outcome: Outcome): Uint8Array {
  const prefix = 'Program data: ';
  const lines = must(outcome).logs.filter((line) => line.startsWith(prefix));
  expect(lines).toHaveLength(1);
  return Uint8Array.from(Buffer.from(lines[0]?.slice(prefix.length) ?? '', 'base64'));
}

/** The event, which has exactly the bytes of its layout. */
export function decoded<T>(decoder: { readonly fixedSize: number; decode(bytes: Uint8Array): T }, outcome: Outcome): T {
  const bytes = eventOf(outcome);
  expect(bytes).toHaveLength(decoder.fixedSize);
  return decoder.decode(bytes);
}
