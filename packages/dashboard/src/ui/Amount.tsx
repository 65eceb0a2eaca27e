import { type Asset, formatAmount } from '@legwork/sdk';
import styles from './Amount.module.css';

interface Props {
  readonly amount: bigint;
  /** What it counts: a listing, or SOL. */
  readonly of: Asset;
  /** It leaves: with a minus before it. */
  readonly isOut?: boolean;
}

/** An amount, exact to the base unit, in figures that line up. */
export function Amount({ amount, of, isOut = false }: Props) {
  const [figure, unit] = formatAmount(amount, of).split(' ');
  return (
    <span className={styles.amount}>
      {isOut && amount > 0n ? '−' : ''}
      {figure} <span className={styles.unit}>{unit}</span>
    </span>
  );
}
