import { LegworkApiError } from '@legwork/sdk';
import { faultOf } from '../data/faultWords.js';
import styles from './Problem.module.css';
import { t } from '../language.js';

/** What went wrong, in the words of who refused, and the way to try again. */
export function Problem({ error, retry }: { error: unknown; retry?: (() => void) | undefined }) {
  return (
    <div role="alert" className={styles.problem}>
      <p>{faultOf(error, t('This could not be shown.'))}</p>
      {retry && !isFinal(error) && (
        <button type="button" onClick={retry}>
          {t('Try again')}
        </button>
      )}
    </div>
  );
}

/** The same question would get the same answer. */
const isFinal = (error: unknown): boolean => error instanceof LegworkApiError && [400, 404].includes(error.status);
