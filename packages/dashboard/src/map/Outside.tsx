import styles from './MarketMap.module.css';

/** How much of what is under way is out of sight, and the way to it. @param of how many */
export function Outside({ of, showAll }: { of: number; showAll: () => void }) {
  if (of === 0) return null;
  return (
    <button type="button" className={styles.outside} onClick={showAll}>
      {of} out of sight: show all
    </button>
  );
}
