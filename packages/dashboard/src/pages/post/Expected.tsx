import form from '../../wallet/form.module.css';
import type { Quoted } from './useQuoted.js';
import { figureIn, t } from '../../language.js';

/** What the like was paid lately, beside the field of the budget. It says nothing while that is not known. */
export function Expected({ of, isInSol }: { of: Quoted; isInSol: boolean }) {
  if (!isInSol)
    return <small className={form.hint}>{t('What is left comes back. Price estimates exist only in SOL.')}</small>;
  if (of === undefined) return null;
  const { expected, low, high, settled, days } = of;
  return (
    <small className={form.hint}>
      {t(
        'Similar ones cost {expected} SOL, mostly {low} to {high}: {settled} in the last {days} days. What is left comes back.',
        { expected: figureIn(expected), low: figureIn(low), high: figureIn(high), settled, days },
      )}
    </small>
  );
}
