import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { MAX_CLOCK_SEC, MIN_CLOCK_SEC, requirements, terms, termsChoice } from '../../src/contract/terms.js';

const KEY = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';
const takes = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success;

describe('the terms that a poster asks for', () => {
  it('[T-50] are a name, or an object of fields on top of one', () => {
    expect(['plain', 'standard', 'guarded', 'strict', ''].map((name) => takes(termsChoice, name))).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
    expect(takes(termsChoice, {})).toBe(true);
    expect(takes(termsChoice, { preset: 'guarded', receiverPubkey: KEY, stakeSol: 0.01, cosignedPickup: true })).toBe(
      true,
    );
  });

  it('[T-50] have no fields where there are no terms, and none that nobody knows', () => {
    expect(takes(termsChoice, { preset: 'plain' })).toBe(false);
    expect(takes(termsChoice, { graceSec: 300 })).toBe(false);
    expect(takes(termsChoice, { stakeSol: 0 })).toBe(false);
  });

  it.each(['carrySec', 'handoffSec', 'reviewSec', 'arbitrationSec'])('[T-3] give %s 300 s to 30 days', (clock) => {
    const seconds = [MIN_CLOCK_SEC - 1, MIN_CLOCK_SEC, MAX_CLOCK_SEC, MAX_CLOCK_SEC + 1, 300.5];
    expect([MIN_CLOCK_SEC, MAX_CLOCK_SEC]).toEqual([300, 2_592_000]);
    expect(seconds.map((value) => takes(termsChoice, { [clock]: value }))).toEqual([false, true, true, false, false]);
  });
});

it('[T-1] terms are shown whole or not at all', () => {
  const clocks = { carrySec: 300, handoffSec: 300, reviewSec: 300, arbitrationSec: 300 };
  const whole = {
    receiverPubkey: null,
    arbiterPubkey: KEY,
    stake: '1',
    stakeLamports: 1,
    ...clocks,
    cosignedPickup: false,
  };
  expect(takes(terms, whole)).toBe(true);
  const fields = Object.keys(whole);
  expect(fields.filter((field) => takes(terms, { ...whole, [field]: undefined }))).toEqual([]);
});

describe('what a poster requires of couriers', () => {
  it('[T-53] is something: an empty object is refused', () => {
    expect(takes(requirements, {})).toBe(false);
    expect(takes(requirements, { minScore: undefined })).toBe(false);
    expect(takes(requirements, { minScore: 0 })).toBe(true);
  });

  it('[T-53] is a score in percent, a number of legs, and lists that are not empty', () => {
    const scores = [-1, 0, 100, 101, 50.5].map((minScore) => takes(requirements, { minScore }));
    expect(scores).toEqual([false, true, true, false, false]);
    expect(takes(requirements, { minCompleted: -1 })).toBe(false);
    expect(takes(requirements, { blocked: [] })).toBe(false);
    expect(takes(requirements, { capabilities: [] })).toBe(false);
    expect(takes(requirements, { capabilities: ['half \uD83D'] })).toBe(false);
    expect(takes(requirements, { capabilities: ['cargo bike'], minCompleted: 3 })).toBe(true);
  });

  it('[T-53] refuses at most twenty couriers', () => {
    const blocked = (count: number) => takes(requirements, { blocked: Array.from({ length: count }, () => KEY) });
    expect([1, 20, 21].map(blocked)).toEqual([true, true, false]);
    expect(takes(requirements, { blocked: ['nobody'] })).toBe(false);
  });
});
