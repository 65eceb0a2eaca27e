import { formatSol } from '@legwork/sdk';
import styles from './Amount.module.css';

/** An amount in SOL, exact to the lamport, in figures that line up. @param isOut it leaves: with a minus before it */
export function Amount({ lamports, isOut = false }: { lamports: bigint; isOut?: boolean }) {
  return (
    <span className={styles.amount}>
      {isOut && lamports > 0n ? '−' : ''}
      {formatSol(lamports)} <span className={styles.unit}>SOL</span>
    </span>
  );
}
