import { useEffect, useRef } from 'react';
import form from '../../wallet/form.module.css';
import styles from './sheet.module.css';
import { t } from '../../language.js';

interface Props {
  /** Something speaks against it: refusing is what a key or a thumb finds first. */
  readonly isDoubted: boolean;
  /** What it would do is not known yet. */
  readonly isWaiting?: boolean;
  readonly onAnswer: (isSigned: boolean) => void;
}

/** What says what a signature does, and what it changes here; one sheet is asked at a time. */
const SAYS = 'sheet-says';
export const CHANGES = 'sheet-changes';

/** Signs or refuses. Refusing comes first and costs nothing. */
export function Answer({ isDoubted, isWaiting = false, onAnswer }: Props) {
  const refuse = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isDoubted) refuse.current?.focus();
  }, [isDoubted]);
  return (
    <div className={styles.buttons}>
      <button
        ref={refuse}
        type="button"
        className={isDoubted ? `${form.button} ${styles.main}` : form.button}
        onClick={() => onAnswer(false)}
      >
        {t('Refuse')}
      </button>
      <button
        type="button"
        className={isDoubted ? form.button : `${form.button} ${styles.main}`}
        aria-disabled={isWaiting ? true : undefined}
        aria-describedby={`${SAYS} ${CHANGES}`}
        // A script can press buttons, and is no person.
        onClick={({ isTrusted }) => {
          if (isTrusted && !isWaiting) onAnswer(true);
        }}
      >
        {isDoubted ? t('Sign it anyway') : t('Sign')}
      </button>
    </div>
  );
}

/** What it says, line by line, and what speaks against it. */
export function Lines({ lines, doubts }: { lines: readonly string[]; doubts: readonly string[] }) {
  return (
    <div id={SAYS}>
      {doubts.length > 0 && (
        <div role="alert">
          <ul className={styles.doubts}>
            {doubts.map((doubt) => (
              <li key={doubt}>{doubt}</li>
            ))}
          </ul>
        </div>
      )}
      {lines.length > 0 && (
        <ul className={styles.lines}>
          {lines.map((line, at) => (
            <li key={at}>{line}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
