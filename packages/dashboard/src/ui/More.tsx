import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import styles from './More.module.css';
import { t } from '../language.js';

/** Asks for the next page of a list; nothing when there is none. */
export function More({
  of: list,
}: {
  of: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>;
}) {
  if (!list.hasNextPage) return null;
  return (
    <button
      type="button"
      className={styles.more}
      aria-disabled={list.isFetchingNextPage || undefined}
      onClick={() => void (list.isFetchingNextPage || list.fetchNextPage())}
    >
      {t('Show more')}
    </button>
  );
}
