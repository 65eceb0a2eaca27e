import { useNow } from '../data/clock.js';
import { type Connection, useConnection } from '../data/live.js';
import { restsUntil } from '../data/service.js';
import { clockTime } from '../ui/Time.js';
import styles from './ConnectionState.module.css';
import { t } from '../language.js';

/** Whether the page is current; while it is not, since when. */
export function ConnectionState() {
  const connection = useConnection();
  const isSlowedDown = useNow() < restsUntil();
  const { look, words } =
    isSlowedDown && connection.state === 'live' ? { look: 'busy', words: t('Slowed down') } : told(connection);
  return (
    <p role="status" className={styles.state} data-look={look}>
      <span aria-hidden="true" className={styles.dot} />
      <span className={styles.words}>{words}</span>
    </p>
  );
}

function told(connection: Connection): { look: string; words: string } {
  if (connection.state === 'live') return { look: 'live', words: t('Live') };
  if (connection.state === 'connecting') return { look: 'busy', words: t('Connecting') };
  if (connection.state === 'catching up')
    return { look: 'busy', words: t('Catching up ({left})', { left: connection.left }) };
  return { look: 'offline', words: t('Offline, as of {time}', { time: clockTime(connection.since) }) };
}
