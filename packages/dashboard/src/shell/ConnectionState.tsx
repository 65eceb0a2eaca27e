import { useConnection } from '../data/live.js';
import { clockTime } from '../ui/Time.js';
import styles from './ConnectionState.module.css';

/** Whether the page is current; while it is not, since when. */
export function ConnectionState() {
  const connection = useConnection();
  return (
    <p role="status" className={styles.state} data-state={connection.state}>
      <span aria-hidden="true" className={styles.dot} />
      {connection.state === 'live' && 'Live'}
      {connection.state === 'connecting' && 'Connecting'}
      {connection.state === 'offline' && `Offline, as of ${clockTime(connection.since)}`}
    </p>
  );
}
