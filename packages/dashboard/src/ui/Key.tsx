import { type DetailPage, pagePath } from '@legwork/protocol/contract';
import { useState } from 'react';
import { Link } from 'wouter';
import { announce } from './announce.js';
import { CopyIcon } from './icons.js';
import styles from './Key.module.css';
import { shortened } from './shortened.js';
import { t } from '../language.js';

export { shortened };

/**
 * A key, an id, a hash or a signature: shortened, whole on hover, copied by its button.
 *
 * @param page where it leads; left out: nowhere
 * @param name stands in its place
 * @param isWhole it is not shortened
 */
export function Key({
  value,
  page,
  name,
  isWhole = false,
}: {
  value: string;
  page?: DetailPage;
  name?: string | null | undefined;
  isWhole?: boolean;
}) {
  const text = name ?? (isWhole ? value : shortened(value));
  const className = name ? styles.name : styles.value;
  return (
    <span className={styles.key}>
      {page ? (
        <Link href={pagePath(page, value)} className={className} title={value}>
          {text}
        </Link>
      ) : (
        <span className={className} title={value}>
          {text}
        </span>
      )}
      <CopyButton value={value} label={t('Copy {text}', { text })} />
    </span>
  );
}

/** Copies a text, and says that it did. */
export function CopyButton({ value, label }: { value: string; label: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(value);
    setCopied(true);
    announce(t('Copied.'));
    setTimeout(() => setCopied(false), 1_500);
  };
  return (
    <button type="button" className={styles.copy} aria-label={label} title={label} onClick={() => void copy()}>
      {isCopied ? '✓' : <CopyIcon />}
    </button>
  );
}
