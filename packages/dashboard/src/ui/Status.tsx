import type { FailureReason } from '@legwork/protocol/contract';
import styles from './Status.module.css';
import { m, type Message, t } from '../language.js';

/** What a status is called, and which of four looks it has; each has a hue and a shape. */
const LOOKS = {
  listed: { word: m('Listed'), look: 'open' },
  swarm_forming: { word: m('Forming'), look: 'open' },
  in_transit: { word: m('In transit'), look: 'moving' },
  in_progress: { word: m('In progress'), look: 'moving' },
  pending: { word: m('Open'), look: 'open' },
  delivered: { word: m('Delivered'), look: 'done' },
  completed: { word: m('Completed'), look: 'done' },
  failed: { word: m('Failed'), look: 'failed' },
} as const;

export type ShownStatus = keyof typeof LOOKS;

/** What a failed package or task is called, by its reason. */
const ENDED: Readonly<Record<FailureReason, Message>> = {
  cancelled: m('Cancelled'),
  reclaimed: m('Reclaimed'),
};

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
      {word ?? t(reason ? ENDED[reason] : usual)}
    </span>
  );
}
