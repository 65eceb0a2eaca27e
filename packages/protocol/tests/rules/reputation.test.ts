import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reliabilityScore, rho } from '../../src/rules/reputation.js';

describe('the reliability score', () => {
  it.each([
    [0n, 0n, 0],
    [0n, 5n, 0],
    [1n, 3n, 33],
    [2n, 3n, 66],
    [199n, 200n, 99],
    [7n, 7n, 100],
    [2n ** 64n - 2n, 2n ** 64n - 1n, 99],
  ])('[M-11] of %s completed of %s accepted is %s', (completed, accepted, score) => {
    expect(reliabilityScore(completed, accepted)).toBe(score);
  });

  it('[M-11] refuses more completed than accepted, and negative counts', () => {
    expect(() => reliabilityScore(2n, 1n)).toThrow(RangeError);
    expect(() => reliabilityScore(-1n, 1n)).toThrow(RangeError);
  });
});

describe('rho', () => {
  it('[M-12] is the score of an agent with history, be it 0', () => {
    expect(rho({ reliabilityScore: 88, hasHistory: true, trustAdjustment: 0 })).toBe(88);
    expect(rho({ reliabilityScore: 0, hasHistory: true, trustAdjustment: 0 })).toBe(0);
  });

  it('[M-13] is the newcomer prior without history, whatever the score, and at most 60', () => {
    expect(rho({ reliabilityScore: 0, hasHistory: false, trustAdjustment: 0 })).toBe(50);
    expect(rho({ reliabilityScore: 100, hasHistory: false, trustAdjustment: 0 })).toBe(50);
    expect(rho({ reliabilityScore: 0, hasHistory: false, trustAdjustment: 0 }, 30)).toBe(30);
    expect(rho({ reliabilityScore: 0, hasHistory: false, trustAdjustment: 0 }, 90)).toBe(60);
  });

  it('[M-14] carries the trust adjustment after the ceiling, within 0 to 100', () => {
    expect(rho({ reliabilityScore: 88, hasHistory: true, trustAdjustment: -10 })).toBe(78);
    expect(rho({ reliabilityScore: 4, hasHistory: true, trustAdjustment: -10 })).toBe(0);
    expect(rho({ reliabilityScore: 0, hasHistory: false, trustAdjustment: -10 }, 90)).toBe(50);
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 100 }),
        fc.boolean(),
        fc.integer({ min: -10, max: 0 }),
        (score, hasHistory, trustAdjustment) => {
          const percent = rho({ reliabilityScore: score, hasHistory, trustAdjustment });
          return percent >= 0 && percent <= 100 && Number.isInteger(percent);
        },
      ),
    );
  });

  it.each([
    { reliabilityScore: 101, hasHistory: true, trustAdjustment: 0 },
    { reliabilityScore: 50.5, hasHistory: true, trustAdjustment: 0 },
    { reliabilityScore: 50, hasHistory: true, trustAdjustment: -11 },
    { reliabilityScore: 50, hasHistory: true, trustAdjustment: 1 },
  ])('[M-14] refuses %o', (standing) => {
    expect(() => rho(standing)).toThrow(RangeError);
  });
});
