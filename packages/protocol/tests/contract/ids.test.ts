import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesToUuid, createUuid, derivedUuid, isUuid, uuidToBytes } from '../../src/contract/ids.js';

describe('ids', () => {
  it('[M-4] are UUIDs of version 7 that sort by creation', () => {
    const ids = Array.from({ length: 200 }, createUuid);
    expect(ids).toEqual([...ids].sort());
    expect(new Set(ids).size).toBe(200);
    for (const id of ids) {
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }
  });

  it('[M-4] are their 16 big-endian bytes on-chain', () => {
    const bytes = uuidToBytes('0189dcd5-5311-7d40-8db0-9496a2eef37b');
    expect([...bytes]).toEqual([...Buffer.from('0189dcd553117d408db09496a2eef37b', 'hex')]);
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (any) => {
        expect(uuidToBytes(bytesToUuid(any))).toEqual(any);
      }),
    );
  });

  it.each(['', '0189dcd553117d408db09496a2eef37b', '0189DCD5-5311-7D40-8DB0-9496A2EEF37B', 'not-a-uuid'])(
    '[M-4] refuse "%s"',
    (text) => {
      expect(isUuid(text)).toBe(false);
      expect(() => uuidToBytes(text)).toThrow(RangeError);
    },
  );

  it('[M-4] refuse any number of bytes but 16', () => {
    expect(() => bytesToUuid(new Uint8Array(15))).toThrow('16 bytes, not 15');
  });
});

it('what the ledger shows gets the same id each time, sorted by its instant (S-258)', () => {
  const [early, late] = [new Date('2026-01-01T00:00:00.001Z'), new Date('2026-01-01T00:00:00.002Z')];
  const id = derivedUuid(early, 'a');
  expect(derivedUuid(new Date(early), 'a')).toBe(id);
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(derivedUuid(early, 'b')).not.toBe(id);
  expect([derivedUuid(late, 'a'), derivedUuid(late, 'b')].every((other) => other > id)).toBe(true);
  expect(parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(early.getTime());
});
