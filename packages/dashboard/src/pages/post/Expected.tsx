import { formatSol } from '@legwork/sdk';
import { useEffect, useState } from 'react';
import { useRead } from '../../data/service.js';
import form from '../../wallet/form.module.css';
import { type Typed, wishOf } from './draft.js';

/** Nothing is asked while somebody types, milliseconds. */
const PAUSE_MS = 500;

/** What the like was paid lately, beside the field of the budget. It says nothing while that is not known. */
export function Expected({ typed }: { typed: Typed }) {
  const wish = JSON.stringify(wishOf(typed) ?? null);
  const [asked, setAsked] = useState('null');
  useEffect(() => {
    const timer = setTimeout(() => setAsked(wish), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [wish]);
  const input = JSON.parse(asked) as ReturnType<typeof wishOf> | null;
  const { data } = useRead('quote', input ?? 'nothing');
  if (asked !== wish || !data) return null;
  const { expectedLamports: expected, lowLamports: low, highLamports: high, basis } = data;
  if (expected === null || low === null || high === null) return null;
  return (
    <small className={form.hint}>
      The like costs {formatSol(expected)} SOL, mostly {formatSol(low)} to {formatSol(high)}: of {basis.settled} in{' '}
      {basis.days} days.
    </small>
  );
}
