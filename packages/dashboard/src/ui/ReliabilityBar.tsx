import styles from './ReliabilityBar.module.css';
import { t } from '../language.js';

/** A percentage as a bar and a number. @param percent undefined: there is no history to make one of */
export function ReliabilityBar({ percent }: { percent: number | undefined }) {
  if (percent === undefined) return <span className={styles.none}>{t('No history')}</span>;
  return (
    <span className={styles.reliability}>
      <svg className={styles.bar} viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        <rect width="100" height="6" className={styles.ground} />
        <rect width={percent} height="6" className={styles.filled} />
      </svg>
      {percent}
    </span>
  );
}
