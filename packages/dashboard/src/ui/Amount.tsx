import type { Asset } from '@legwork/sdk';
import styles from './Amount.module.css';
import { amountIn } from '../language.js';

interface Props {
  readonly amount: bigint;
  /** What it counts: a listing, or SOL. */
  readonly of: Asset;
  /** It leaves: with a minus before it. */
  readonly isOut?: boolean;
  /** To the base unit: of what is signed, moved or checked. */
  readonly isExact?: boolean;
}

/** An amount in figures that line up; rounded, the exact one shows where a pointer rests. Rule D-8. */
export function Amount({ amount, of, isOut = false, isExact = false }: Props) {
  const exact = amountIn(amount, of);
  const shown = isExact ? exact : amountIn(roundedTo(amount, of), of);
  const [figure, unit] = shown.split(' ');
  return (
    <span className={styles.amount} title={shown === exact ? undefined : exact}>
      {isOut && amount > 0n ? '−' : ''}
      {figure} <span className={styles.unit}>{unit}</span>
    </span>
  );
}

/** Digits after the point, and those that count where it begins with more zeros. */
const [DIGITS, LEAST_DIGITS] = [4, 2];

function roundedTo(amount: bigint, { decimals }: Asset): bigint {
  const zeros = Math.max(0, decimals - String(amount).length);
  const cut = decimals - Math.max(DIGITS, zeros + LEAST_DIGITS);
  if (cut <= 0) return amount;
  const step = 10n ** BigInt(cut);
  return ((amount + step / 2n) / step) * step;
}
