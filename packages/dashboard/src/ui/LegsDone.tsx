import styles from './LegsDone.module.css';
import { t } from '../language.js';

/** How many legs of how many are done: a mark each, and the numbers. @param isMoving whether the next one is on its way */
export function LegsDone({ done, of, isMoving }: { done: number; of: number; isMoving: boolean }) {
  return (
    <span className={styles.legs}>
      <span aria-hidden="true" className={styles.marks}>
        {Array.from({ length: of }, (_, at) => (
          <span key={at} data-look={at < done ? 'done' : at === done && isMoving ? 'moving' : 'open'} />
        ))}
      </span>
      {t('{done} of {of}', { done, of })}
    </span>
  );
}
