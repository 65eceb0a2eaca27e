import { CopyButton } from '../../ui/Key.js';
import styles from './developers.module.css';

/** Text to copy. @param label of its button @param isLong it scrolls within the page */
export function Code({ label, text, isLong = false }: { label: string; text: string; isLong?: boolean }) {
  return (
    <div className={styles.code}>
      <pre tabIndex={0} data-long={isLong}>
        <code>{text}</code>
      </pre>
      <CopyButton value={text} label={label} />
    </div>
  );
}
