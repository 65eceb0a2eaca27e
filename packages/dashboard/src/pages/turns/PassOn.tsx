import { joinPath } from '../../data/joinPath.js';
import { serviceUrl } from '../../data/shell.js';
import { CopyButton } from '../../ui/Key.js';
import form from '../../wallet/form.module.css';
import type { Shared, Subject } from './makeMove.js';
import styles from './turns.module.css';

/** Where the other side signs what was begun here. */
export function PassOn({ subject: { parcel, leg }, shared }: { subject: Subject; shared: Shared }) {
  const link = serviceUrl + joinPath(parcel.id, leg.id, shared);
  return (
    <div className={form.notice} role="status">
      <p>
        The other side has to sign it too, within a minute, here <CopyButton value={link} label="Copy the link" />
      </p>
      <p className={styles.link}>
        <code>{link}</code>
      </p>
    </div>
  );
}
