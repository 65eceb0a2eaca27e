import type { Terms as LedgerTerms } from '@legwork/program-client';
import { formatPubkey, type Terms, toLamports } from '@legwork/protocol/contract';
import { address } from '@solana/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boundDiffers } from '../../src/checks/outcome.js';

const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(formatPubkey);
const clock = fc.integer({ min: 300, max: 2_592_000 });
const terms: fc.Arbitrary<Terms> = fc.record({
  receiverPubkey: fc.option(key),
  arbiterPubkey: key,
  stake: fc.bigInt({ min: 1n, max: 10n ** 12n }).map(toLamports),
  stakeLamports: fc.constant(null),
  carrySec: clock,
  handoffSec: clock,
  reviewSec: clock,
  arbitrationSec: clock,
  cosignedPickup: fc.boolean(),
});

/** Terms as list_package takes them. */
const onLedger = (of: Terms): LedgerTerms => ({
  receiver: address(of.receiverPubkey ?? '11111111111111111111111111111111'),
  arbiter: address(of.arbiterPubkey),
  stake: of.stake,
  carry: of.carrySec,
  handoff: of.handoffSec,
  review: of.reviewSec,
  arbitration: of.arbitrationSec,
  flags: of.cosignedPickup ? 1 : 0,
});

test('terms that are the same on the ledger are (D-13)', () => {
  fc.assert(
    fc.property(terms, (shown) => {
      expect(boundDiffers(shown, onLedger(shown))).toBeUndefined();
    }),
  );
  expect(boundDiffers(null, null)).toBeUndefined();
});

test('each of the terms that differs is found (D-13)', () => {
  fc.assert(
    fc.property(terms, terms, (shown, other) => {
      const found = onLedger(shown);
      for (const [name, value] of Object.entries(onLedger(other))) {
        const isSame = String(value) === String(found[name as keyof LedgerTerms]);
        expect(boundDiffers(shown, { ...found, [name]: value }) === undefined).toBe(isSame);
      }
      expect(boundDiffers(shown, { ...found, flags: 2 })).toBeDefined();
    }),
  );
});

test('terms that are there where none are shown, or not there, are found (D-13)', () => {
  fc.assert(
    fc.property(terms, (some) => {
      expect(boundDiffers(null, onLedger(some))).toBeDefined();
      expect(boundDiffers(some, null)).toBeDefined();
    }),
    { numRuns: 5 },
  );
});
