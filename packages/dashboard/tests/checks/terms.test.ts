import type { Terms as LedgerTerms } from '@legwork/program-client';
import { SOL, type Terms, toLamports } from '@legwork/protocol/contract';
import { packageTermsHash, taskTermsHash } from '@legwork/protocol/rules';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkTaskTerms, checkTerms, type Listing } from '../../src/checks/terms.js';

const lat = fc.double({ min: -90, max: 90, noNaN: true });
const lng = fc.double({ min: -180, max: 180, noNaN: true });

/** A package as it is shown, and the listing on the ledger that it is of. */
const honest = fc
  .record({
    description: fc.string({ unit: 'grapheme', maxLength: 40 }),
    originLat: lat,
    originLng: lng,
    destLat: lat,
    destLng: lng,
    weightKg: fc.double({ min: 0, max: 100, noNaN: true }),
    volumeLitres: fc.double({ min: 0, max: 100, noNaN: true }),
    maxBudget: fc.bigInt({ min: 1n, max: 10n ** 12n }).map(toLamports),
    deadlineSec: fc.integer({ min: 1, max: 4_000_000_000 }),
    salt: fc.option(
      fc.string({ unit: fc.constantFrom(...'0123456789abcdef'.split('')), minLength: 32, maxLength: 32 }),
    ),
    requirements: fc.option(
      fc.record({ minScore: fc.nat(100), capabilities: fc.array(fc.string(), { minLength: 1 }) }),
    ),
  })
  .map(({ deadlineSec, ...terms }) => {
    const { description, originLat, originLng, destLat, destLng, weightKg, volumeLitres, requirements, salt } = terms;
    const origin = { lat: originLat, lng: originLng };
    const destination = { lat: destLat, lng: destLng };
    const hash = packageTermsHash({ description, origin, destination, weightKg, volumeLitres, requirements, salt });
    const who = { shipperPubkey: 'shipper', funderPubkey: 'funder' };
    const listing: Listing = {
      shipper: 'shipper',
      funder: 'funder',
      maxBudget: terms.maxBudget,
      deadline: BigInt(deadlineSec),
      termsHash: hash.bytes,
      token: undefined,
    };
    return {
      shown: {
        ...terms,
        ...SOL,
        ...who,
        terms: null,
        privateHashes: null,
        termsHash: hash.hex,
        deadline: new Date(deadlineSec * 1000),
      },
      listing,
    };
  });

describe('the terms of a package, against the ledger', () => {
  test('hold when nothing was changed (D-13)', () => {
    fc.assert(
      fc.property(honest, ({ shown, listing }) => {
        expect(checkTerms(shown, listing).holds).toBe(true);
      }),
    );
  });

  test.each([
    ['description', (text: string) => `${text}.`],
    ['originLat', (value: number) => (value === 1 ? 2 : 1)],
    ['originLng', (value: number) => (value === 1 ? 2 : 1)],
    ['destLat', (value: number) => (value === 1 ? 2 : 1)],
    ['destLng', (value: number) => (value === 1 ? 2 : 1)],
    ['weightKg', (value: number) => (value === 1 ? 2 : 1)],
    ['volumeLitres', (value: number) => (value === 1 ? 2 : 1)],
    ['maxBudget', (value: bigint) => toLamports(value + 1n)],
    ['deadline', (value: Date) => new Date(value.getTime() + 1)],
    ['termsHash', (value: string) => value.replace(/^./, (digit) => (digit === '0' ? '1' : '0'))],
    ['salt', (value: string | null) => (value === null ? '0'.repeat(32) : null)],
    ['privateHashes', () => ({ pickup: '0'.repeat(64), dropoff: null })],
    ['requirements', (value: object | null) => (value === null ? { minScore: 1 } : null)],
    ['shipperPubkey', () => 'somebody'],
    ['funderPubkey', () => 'somebody'],
  ] as const)('another %s is found (D-13)', (field, change) => {
    fc.assert(
      fc.property(honest, ({ shown, listing }) => {
        const changed = { ...shown, [field]: (change as (value: unknown) => unknown)(shown[field]) };
        expect(checkTerms(changed, listing).holds).toBe(false);
      }),
      { numRuns: 30 },
    );
  });

  test('terms and hash that were changed together do not hold against the ledger (D-13)', () => {
    fc.assert(
      fc.property(honest, honest, ({ shown }, { listing }) => {
        fc.pre(shown.termsHash !== Buffer.from(Uint8Array.from(listing.termsHash)).toString('hex'));
        const { maxBudget, deadline } = listing;
        const same = {
          ...shown,
          maxBudget: toLamports(maxBudget),
          deadline: new Date(Number(deadline) * 1000),
        };
        expect(checkTerms(same, listing)).toMatchObject({ difference: expect.stringContaining('other terms') });
      }),
      { numRuns: 30 },
    );
  });
});

const USDC = { mint: 'usdc mint', decimals: 6 };

const BOUND: Terms = {
  receiverPubkey: 'verifier',
  arbiterPubkey: 'arbiter',
  stake: toLamports(40_000_000n),
  stakeLamports: toLamports(40_000_000n),
  carrySec: 4_200,
  handoffSec: 1_800,
  reviewSec: 3_600,
  arbitrationSec: 86_400,
  cosignedPickup: false,
};
const ON_LEDGER = {
  receiver: 'verifier',
  arbiter: 'arbiter',
  stake: 40_000_000n,
  carry: 4_200,
  handoff: 1_800,
  review: 3_600,
  arbitration: 86_400,
  flags: 0,
} as LedgerTerms;

describe('the terms of a digital task, against the ledger', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 40 });

  test('hold when nothing was changed, and are found out by each text, requirement and term that was (D-13)', () => {
    fc.assert(
      fc.property(text, text, fc.array(text, { minLength: 1, maxLength: 4 }), text, fc.nat(5), (...drawn) => {
        const [title, description, instructions, other, at] = drawn;
        const salt = '0'.repeat(32);
        const requirements = { minScore: 40 };
        const hash = taskTermsHash({ title, description, instructions, requirements, salt });
        const facts = { shipper: 'poster', funder: 'funder', maxBudget: 1n, deadline: 5n, token: undefined };
        const listing = { ...facts, termsHash: hash.bytes, terms: ON_LEDGER };
        const task = {
          title,
          description,
          legs: instructions.map((instruction) => ({ instruction })),
          termsHash: hash.hex,
          salt,
          requirements,
          terms: BOUND,
          ...SOL,
          maxBudget: toLamports(1n),
          deadline: new Date(5_000),
          shipperPubkey: 'poster',
          funderPubkey: 'funder',
        };
        expect(checkTaskTerms(task, listing)).toMatchObject({ holds: true });
        // As many units of a token are another budget.
        expect(checkTaskTerms(task, { ...listing, token: USDC })).toMatchObject({ holds: false });
        const inUsdc = { ...task, asset: 'usdc', decimals: 6, token: USDC };
        expect(checkTaskTerms(inUsdc, { ...listing, token: USDC })).toMatchObject({ holds: true });
        for (const token of [undefined, { ...USDC, mint: 'another' }, { ...USDC, decimals: 9 }]) {
          expect(checkTaskTerms(inUsdc, { ...listing, token })).toMatchObject({ holds: false });
        }
        const leg = at % instructions.length;
        const changed = [
          { ...task, title: `${title}${other}x` },
          { ...task, description: `${description}${other}x` },
          {
            ...task,
            legs: task.legs.map((one, index) => (index === leg ? { instruction: `${one.instruction}x` } : one)),
          },
          { ...task, legs: [...task.legs, { instruction: other }] },
          { ...task, salt: null },
          { ...task, shipperPubkey: 'somebody else' },
          { ...task, requirements: { minScore: 39 } },
          { ...task, requirements: null },
          { ...task, terms: null },
          { ...task, terms: { ...BOUND, stake: toLamports(1_781_760n) } },
          { ...task, terms: { ...BOUND, receiverPubkey: null } },
        ];
        expect(changed.map((shown) => checkTaskTerms(shown, listing).holds)).toEqual(changed.map(() => false));
      }),
    );
  });
});
