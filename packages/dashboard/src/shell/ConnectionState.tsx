import { useNow } from '../data/clock.js';
import { type Connection, useConnection } from '../data/live.js';
import { restsUntil } from '../data/service.js';
import { clockTime } from '../ui/Time.js';
import styles from './ConnectionState.module.css';

/** Whether the page is current; while it is not, since when. */
export function ConnectionState() {
  const connection = useConnection();
  const isSlowedDown = useNow() < restsUntil();
  const { look, words } = isSlowedDown && connection.state === 'live' ? SLOWED_DOWN : told(connection);
  return (
    <p role="status" className={styles.state} data-look={look}>
      <span aria-hidden="true" className={styles.dot} />
      <span className={styles.words}>{words}</span>
    </p>
  );
}

const SLOWED_DOWN = { look: 'busy', words: 'Slowed down' };

function told(connection: Connection): { look: string; words: string } {
  if (connection.state === 'live') return { look: 'live', words: 'Live' };
  if (connection.state === 'connecting') return { look: 'busy', words: 'Connecting' };
  if (connection.state === 'catching up') return { look: 'busy', words: `Catching up (${connection.left})` };
  return { look: 'offline', words: `Offline, as of ${clockTime(connection.since)}` };
}
