import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { useNow } from '../data/clock.js';
import { isSlowedDown, slowedDownWords } from '../data/faultWords.js';
import { restsUntil } from '../data/service.js';
import styles from './Loaded.module.css';
import { Problem } from './Problem.js';
import { t } from '../language.js';

/** A question that answers quickly shows no skeleton, milliseconds. */
const SKELETON_AFTER_MS = 200;

interface Props<Data> {
  readonly query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'failureReason'> & { readonly refetch: () => unknown };
  readonly children: (data: Data) => ReactNode;
  /** Rows of the skeleton: about as many as will be there. */
  readonly rows?: number;
}

/**
 * What a question to the service answered; until then a skeleton, and what went wrong in its place. What is there stays
 * when asking again fails: the state of the connection says how old it is.
 */
export function Loaded<Data>({ query, children, rows = 3 }: Props<Data>) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <Problem error={query.error} retry={() => void query.refetch()} />;
  return isSlowedDown(query.failureReason) ? <SlowedDown /> : <Skeleton rows={rows} />;
}

/** The question is asked again by itself once the service may be asked. */
function SlowedDown() {
  const now = useNow();
  return (
    <p role="status" className={styles.slowed}>
      {slowedDownWords((restsUntil() - now) / 1000)} {t('This page does so by itself.')}
    </p>
  );
}

function Skeleton({ rows }: { rows: number }) {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), SKELETON_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className={styles.skeleton} data-late={isLate} aria-busy="true">
      <span className="visually-hidden">{t('Loading')}</span>
      {Array.from({ length: rows }, (_, row) => (
        <span key={row} className={styles.row} />
      ))}
    </div>
  );
}
