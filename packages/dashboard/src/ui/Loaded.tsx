import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import styles from './Loaded.module.css';
import { Problem } from './Problem.js';

/** A question that answers quickly shows no skeleton, milliseconds. */
const SKELETON_AFTER_MS = 200;

interface Props<Data> {
  readonly query: Pick<UseQueryResult<Data>, 'data' | 'error'> & { readonly refetch: () => unknown };
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
  return <Skeleton rows={rows} />;
}

function Skeleton({ rows }: { rows: number }) {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), SKELETON_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className={styles.skeleton} data-late={isLate} aria-busy="true">
      <span className="visually-hidden">Loading</span>
      {Array.from({ length: rows }, (_, row) => (
        <span key={row} className={styles.row} />
      ))}
    </div>
  );
}
