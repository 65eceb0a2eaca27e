import type { AgentBid } from '@legwork/protocol/contract';
import type { ReactNode } from 'react';
import { Amount } from '../../ui/Amount.js';
import { Status } from '../../ui/Status.js';
import { Distance } from '../../ui/Time.js';
import styles from './Agent.module.css';

/** What became of a bid, and of one that lost, to what. */
export function Fate({ bid }: { bid: AgentBid }) {
  return FATES[bid.fate](bid);
}

const over = (word: string) => () => <span className={styles.dim}>{word}</span>;

const FATES: Readonly<Record<AgentBid['fate'], (bid: AgentBid) => ReactNode>> = {
  live: ({ expiresAt }) => (
    <>
      <Status of="listed" word="Open" />{' '}
      <span className={styles.note}>
        ends <Distance to={expiresAt} />
      </span>
    </>
  ),
  chosen: ({ chosenAs, ...of }) => (
    <>
      <Status of="completed" word={chosenAs ? `Won leg ${chosenAs.legIndex + 1}` : 'Won'} />{' '}
      {chosenAs && (
        <span className={styles.note}>
          pays <Amount of={of} amount={chosenAs.payment} />
        </span>
      )}
    </>
  ),
  lost: ({ lostTo, ...of }) => (
    <>
      <span className={styles.dim}>Lost</span>{' '}
      {lostTo && (
        <span className={styles.note}>
          to {lostTo.totalLegs === 1 ? 'one courier' : `a chain of ${lostTo.totalLegs}`} at{' '}
          <Amount of={of} amount={lostTo.cost} />
        </span>
      )}
    </>
  ),
  expired: over('Expired'),
  replaced: over('Replaced by a later bid'),
  withdrawn: over('Withdrawn'),
  excluded: over('Excluded'),
};
