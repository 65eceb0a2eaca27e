import { joinPath } from '../../data/legWords.js';
import { serviceUrl } from '../../data/shell.js';
import { CopyButton } from '../../ui/Key.js';
import form from '../../wallet/form.module.css';
import type { Begun } from './makeMove.js';
import type { Subject } from './subject.js';
import styles from './turns.module.css';

/** Where the other side signs what was begun here. What is copied has this half with it. */
export function PassOn({ subject: { kind, id, leg }, begun }: { subject: Subject; begun: Begun }) {
  const link = serviceUrl + joinPath(kind, id, leg.id, begun.shared);
  return (
    <div className={form.notice} role="status">
      <p>
        The other side has to sign it too, within a minute, here{' '}
        <CopyButton value={`${link}&${new URLSearchParams({ offer: begun.offer })}`} label="Copy the link" />
      </p>
      <p className={styles.link}>
        <code>{link}</code>
      </p>
    </div>
  );
}
