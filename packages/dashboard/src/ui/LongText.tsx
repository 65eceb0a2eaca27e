import { useState } from 'react';
import { startOf } from './foldedText.js';
import styles from './LongText.module.css';
import { locale, t } from '../language.js';

/**
 * A text of somebody else's, as it is: never read as markup, and folded when it is long.
 *
 * @param isFixed in a fixed-width face, as results are
 */
export function LongText({ text, isFixed = false }: { text: string; isFixed?: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const start = startOf(text);
  const isFolded = start.length < text.length;
  return (
    <div className={styles.text}>
      <div className={isFixed ? styles.fixed : styles.words} dir="auto" data-cut={isFolded && !isOpen}>
        {isOpen ? text : start}
      </div>
      {isFolded && (
        <button type="button" className={styles.fold} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? t('Show less') : t('Show all {count} characters', { count: text.length.toLocaleString(locale) })}
        </button>
      )}
    </div>
  );
}
