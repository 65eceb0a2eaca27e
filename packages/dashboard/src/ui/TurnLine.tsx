import type { ReactNode } from 'react';
import { CheckAll } from './Checks.js';
import { Distance, Time } from './Time.js';
import styles from './TurnLine.module.css';

/** What of a turn is said in the same way of everything that is carried or done. */
interface Turn {
  readonly until: Date | null;
  /** What happens if nobody does anything, a clause; null: the sentence says it. */
  readonly silence: string | null;
}

/**
 * Whose move it is, until when, and what silence costs; of what is over, how it ended. Beside it, the check of all that the
 * page says.
 *
 * @param sentence who is to do what, or how it ended
 * @param turn null: it is over
 */
export function TurnLine({ sentence, turn }: { sentence: ReactNode; turn: Turn | null }) {
  return (
    <div className={styles.turn}>
      <div className={styles.words}>
        <p>{sentence}</p>
        {turn && (
          <p className={styles.dim}>
            {turn.until && (
              <>
                Until <Time at={turn.until} />, <Distance to={turn.until} />.{' '}
              </>
            )}
            {turn.silence && `If nothing happens, ${turn.silence}.`}
          </p>
        )}
      </div>
      <CheckAll />
    </div>
  );
}
