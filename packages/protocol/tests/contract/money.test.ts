import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatSol,
  type Lamports,
  lamportsFromWire,
  lamportsToSolNumber,
  lamportsToWire,
  MAX_LAMPORTS,
  MoneyError,
  parseSol,
  sumLamports,
  toLamports,
} from '../../src/contract/money.js';

const anyAmount = fc.bigInt({ min: 0n, max: MAX_LAMPORTS }).map(toLamports);
const resolvableAmount = fc.bigInt({ min: 0n, max: 8_388_608n * 1_000_000_000n }).map(toLamports);

describe('amounts', () => {
  it('[M-1] are integers of lamports from 0 to 2^53 - 1', () => {
    expect(MAX_LAMPORTS).toBe(9_007_199_254_740_991n);
    expect(toLamports(0n)).toBe(0n);
    expect(() => toLamports(-1n)).toThrow(MoneyError);
    expect(() => toLamports(MAX_LAMPORTS + 1n)).toThrow('too large');
    expect(() => sumLamports([MAX_LAMPORTS, toLamports(1n)])).toThrow(MoneyError);
    expect(sumLamports([toLamports(2n), toLamports(3n)])).toBe(5n);
  });

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])(
    '[M-1] refuse %s as lamports on the wire',
    (wire) => {
      expect(() => lamportsFromWire(wire)).toThrow(MoneyError);
    },
  );

  it('[M-1] from elsewhere that are too large do not cross the wire', () => {
    expect(() => lamportsToWire((2n ** 64n) as Lamports)).toThrow('too large');
  });

  it('[M-1] cross the wire as integers unchanged', () => {
    fc.assert(
      fc.property(anyAmount, (amount) => {
        expect(lamportsFromWire(lamportsToWire(amount))).toBe(amount);
      }),
    );
  });
});

describe('amounts in SOL', () => {
  it.each([
    [0, 0n],
    [-0, 0n],
    [0.1, 100_000_000n],
    [0.3, 300_000_000n],
    [1e-9, 1n],
    [1.5e-8, 15n],
    [12.345678901, 12_345_678_901n],
    [8388607.999999999, 8_388_607_999_999_999n],
  ])('[M-2] read %s exactly from its shortest text', (sol, lamports) => {
    expect(parseSol(sol)).toBe(lamports);
  });

  it.each([
    [Number.NaN, 'give a decimal number'],
    [Number.POSITIVE_INFINITY, 'give a decimal number'],
    [Number.NEGATIVE_INFINITY, 'give a decimal number'],
    [-0.5, 'negative'],
    [-1e-9, 'negative'],
    [0.1234567891, 'more than nine decimals'],
    [0.1000000000011, 'more than nine decimals; round it to lamports: 0.1'],
    [0.1000000000999, 'more than nine decimals; round it to lamports: 0.1'],
    [1e-13, 'more than nine decimals; round it to lamports: 0.000000001'],
    [1e-10, 'more than nine decimals; round it to lamports: 0.000000001'],
    [5e-324, 'more than nine decimals'],
    [9007199.254740993, 'largest amount is 9007199.254740991 SOL'],
    [1e7, 'too large'],
    [1e21, 'too large'],
    [Number.MAX_VALUE, 'too large'],
  ])('[M-2] refuse %s and say what would be right', (sol, message) => {
    expect(() => parseSol(sol)).toThrow(MoneyError);
    expect(() => parseSol(sol)).toThrow(message);
  });

  it.each([
    [0.1 + 0.2, 300_000_000n],
    [0.028999999999999998, 29_000_000n],
    [0.1000000000009, 100_000_000n],
    [0.099999999999, 100_000_000n],
  ])(
    '[M-2] read %s, whose arithmetic left a trace of at most a thousandth of a lamport, as what was meant',
    (sol, lamports) => {
      expect(parseSol(sol)).toBe(lamports);
    },
  );

  it('[M-2] survive the arithmetic of floats', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000_000 }), fc.integer({ min: 1, max: 1000 }), (each, times) => {
        const sol = (each / 1e9) * times;
        expect(parseSol(sol)).toBe(BigInt(each) * BigInt(times));
      }),
    );
  });

  it.each([
    [0n, '0'],
    [1n, '0.000000001'],
    [-1n, '-0.000000001'],
    [-1_500_000_000n, '-1.5'],
    [2n ** 64n - 1n, '18446744073.709551615'],
    [300_000_000n, '0.3'],
    [20_000_000_000n, '20'],
    [9_007_199_254_740_991n, '9007199.254740991'],
  ])('[M-3] write %s lamports as %s, whatever type of bigint holds them', (amount, text) => {
    expect(formatSol(amount)).toBe(text);
  });

  it('[M-3] come back from their wire number unchanged up to 8,388,608 SOL', () => {
    fc.assert(
      fc.property(resolvableAmount, (amount) => {
        expect(parseSol(lamportsToSolNumber(amount))).toBe(amount);
      }),
      { numRuns: 2000 },
    );
  });

  it('[M-3] have a wire number at most one lamport away above that', () => {
    fc.assert(
      fc.property(anyAmount, (amount) => {
        const near = parseSol(Math.min(lamportsToSolNumber(amount), 9007199.254740991));
        expect([-1n, 0n, 1n]).toContain(near - amount);
      }),
    );
  });

  it('[M-3] say in text exactly what the lamports are', () => {
    fc.assert(
      fc.property(anyAmount, (amount) => {
        const [whole = '', fraction = ''] = formatSol(amount).split('.');
        expect(BigInt(whole + fraction.padEnd(9, '0'))).toBe(amount);
      }),
    );
  });
});
