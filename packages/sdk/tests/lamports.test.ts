import { formatSol, type Lamports, parseSol, toLamports } from '@legwork/sdk';
import { isLamports, lamports, type Lamports as KitLamports } from '@legwork/sdk/kit';
import { describe, expect, expectTypeOf, it } from 'vitest';

describe('lamports', () => {
  it("[M-1] are of kit's type, there and back", () => {
    expectTypeOf<Lamports>().toEqualTypeOf<KitLamports>();
    const theirs: KitLamports = parseSol(0.1);
    const ours: Lamports = lamports(100_000_000n);
    expect(isLamports(theirs)).toBe(true);
    expect(theirs).toBe(ours);
    expect(formatSol(toLamports(ours))).toBe('0.1');
  });
});
