import type { AgentBid } from '@legwork/protocol/contract';
import type { ReactNode } from 'react';
import { Amount } from '../../ui/Amount.js';
import { Status } from '../../ui/Status.js';
import { Distance } from '../../ui/Time.js';
import styles from './Agent.module.css';
import { m, type Message, rich, t } from '../../language.js';

/** What became of a bid, and of one that lost, to what. */
export function Fate({ bid }: { bid: AgentBid }) {
  return FATES[bid.fate](bid);
}

const over = (word: Message) => () => <span className={styles.dim}>{t(word)}</span>;

const FATES: Readonly<Record<AgentBid['fate'], (bid: AgentBid) => ReactNode>> = {
  live: ({ expiresAt }) => (
    <>
      <Status of="listed" word={t('Open')} />{' '}
      <span className={styles.note}>
        {rich<ReactNode>('ends {distance}', { distance: <Distance to={expiresAt} /> })}
      </span>
    </>
  ),
  chosen: ({ chosenAs, ...of }) => (
    <>
      <Status of="completed" word={chosenAs ? t('Won leg {number}', { number: chosenAs.legIndex + 1 }) : t('Won')} />{' '}
      {chosenAs && (
        <span className={styles.note}>
          {rich<ReactNode>('pays {amount}', { amount: <Amount of={of} amount={chosenAs.payment} /> })}
        </span>
      )}
    </>
  ),
  lost: ({ lostTo, ...of }) => {
    const lost = (word: ReactNode) => <span className={styles.dim}>{word}</span>;
    if (lostTo === null) return lost(t('Lost'));
    return rich<ReactNode>(
      '<lost>Lost</lost> <note>to {legs, plural, one {one courier} other {a chain of #}} at {cost}</note>',
      {
        lost,
        note: (inside) => <span className={styles.note}>{inside}</span>,
        legs: lostTo.totalLegs,
        cost: <Amount of={of} amount={lostTo.cost} />,
      },
    );
  },
  expired: over(m('Expired')),
  replaced: over(m('Replaced by a later bid')),
  withdrawn: over(m('Withdrawn')),
  excluded: over(m('Excluded')),
};
