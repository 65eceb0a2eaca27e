import type { FailureReason } from '@legwork/protocol/contract';
import styles from './Status.module.css';

/** What a status is called, and which of four looks it has; each has a hue and a shape. */
const LOOKS = {
  listed: { word: 'Listed', look: 'open' },
  swarm_forming: { word: 'Forming', look: 'open' },
  in_transit: { word: 'In transit', look: 'moving' },
  in_progress: { word: 'In progress', look: 'moving' },
  pending: { word: 'Open', look: 'open' },
  delivered: { word: 'Delivered', look: 'done' },
  completed: { word: 'Completed', look: 'done' },
  failed: { word: 'Failed', look: 'failed' },
} as const;

export type ShownStatus = keyof typeof LOOKS;

/** What a failed package or task is called, by its reason. */
const ENDED: Readonly<Record<FailureReason, string>> = { cancelled: 'Cancelled', reclaimed: 'Reclaimed' };

/**
 * A status by word, hue and shape.
 *
 * @param reason why it failed, which says more than that it did
 * @param word in place of the usual one
 */
export function Status({
  of,
  reason,
  word,
}: {
  of: ShownStatus;
  reason?: FailureReason | null;
  word?: string | undefined;
}) {
  const { word: usual, look } = LOOKS[of];
  return (
    <span className={styles.status} data-look={look}>
      <span aria-hidden="true" className={styles.mark} />
      {word ?? (reason ? ENDED[reason] : usual)}
    </span>
  );
}
