import { type ClockedListing, legTurn } from '@legwork/protocol/rules';
import { useNow } from '../data/clock.js';
import styles from './Bound.module.css';
import { Distance } from './Time.js';
import { rich } from '../language.js';

/** Until when the clock of a leg runs; nothing where none does. @param listing null: no leg has one */
export function LegClock({ listing, index }: { listing: ClockedListing | null; index: number }) {
  const now = useNow();
  const until = listing && legTurn(listing, index, now)?.until;
  if (!until) return null;
  return (
    <p className={styles.clock}>
      {until.getTime() > now
        ? rich('clock ends {when}', { when: <Distance to={until} /> })
        : rich('clock ended {when}', { when: <Distance to={until} /> })}
    </p>
  );
}
