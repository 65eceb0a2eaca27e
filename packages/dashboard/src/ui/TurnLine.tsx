import type { ReactNode } from 'react';
import { CheckAll } from './Checks.js';
import type { Move } from './LegSentence.js';
import { Distance, Time } from './Time.js';
import styles from './TurnLine.module.css';
import { rich, t } from '../language.js';

/** What of a turn is said in the same way of everything that is carried or done. */
type Turn = Pick<Move, 'action' | 'until' | 'silence'>;

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
        <p role="status">{sentence}</p>
        {turn && (
          <p className={styles.dim}>
            {turn.until && (
              <>
                {rich('Until {time}, {distance}.', {
                  time: <Time at={turn.until} />,
                  distance: <Distance to={turn.until} />,
                })}{' '}
              </>
            )}
            {/* Where a clock has ended, what follows is the sentence. */}
            {turn.action !== 'crank' && t('If nothing happens, {silence}.', { silence: t(turn.silence) })}
          </p>
        )}
      </div>
      <CheckAll />
    </div>
  );
}
