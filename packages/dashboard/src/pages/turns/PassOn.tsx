import { PAGES } from '@legwork/protocol/contract';
import { serviceUrl } from '../../data/shell.js';
import { CopyButton } from '../../ui/Key.js';
import form from '../../wallet/form.module.css';
import styles from './turns.module.css';

/** The link with which somebody else signs what was begun here. */
export function PassOn({ query }: { query: string }) {
  const link = `${serviceUrl}${PAGES.turns}?${query}`;
  return (
    <div className={form.notice} role="status">
      <p>
        The other side has to sign it too, within a minute. Send this link{' '}
        <CopyButton value={link} label="Copy the link" />
      </p>
      <p className={styles.link}>
        <code>{link}</code>
      </p>
    </div>
  );
}
