import { formatSol } from '@legwork/sdk';
import form from '../../wallet/form.module.css';
import type { Quoted } from './useQuoted.js';

/** What the like was paid lately, beside the field of the budget. It says nothing while that is not known. */
export function Expected({ of, isInSol }: { of: Quoted; isInSol: boolean }) {
  if (!isInSol) return <small className={form.hint}>What is left comes back. Price estimates exist only in SOL.</small>;
  if (of === undefined) return null;
  const { expected, low, high, settled, days } = of;
  return (
    <small className={form.hint}>
      Similar ones cost {formatSol(expected)} SOL, mostly {formatSol(low)} to {formatSol(high)}: {settled} in the last{' '}
      {days} days. What is left comes back.
    </small>
  );
}
