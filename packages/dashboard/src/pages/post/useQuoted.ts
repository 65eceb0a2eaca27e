import type { Lamports } from '@legwork/sdk';
import { useEffect, useState } from 'react';
import { useRead } from '../../data/service.js';
import { type Typed, wishOf } from './draft.js';

/** What the like was paid lately; undefined: not known. */
export type Quoted =
  | {
      readonly expected: Lamports;
      readonly low: Lamports;
      readonly high: Lamports;
      readonly settled: number;
      readonly days: number;
    }
  | undefined;

/** Nothing is asked while somebody types, milliseconds. */
const PAUSE_MS = 500;

export function useQuoted(typed: Typed): Quoted {
  const wish = JSON.stringify(wishOf(typed) ?? null);
  const [asked, setAsked] = useState('null');
  useEffect(() => {
    const timer = setTimeout(() => setAsked(wish), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [wish]);
  const input = JSON.parse(asked) as ReturnType<typeof wishOf> | null;
  const { data } = useRead('quote', input ?? 'nothing');
  if (asked !== wish || !data) return undefined;
  const { expectedLamports: expected, lowLamports: low, highLamports: high, basis } = data;
  if (expected === null || low === null || high === null) return undefined;
  return { expected, low, high, settled: basis.settled, days: basis.days };
}
