import type { Relay } from '@legwork/protocol/contract';
import { useNow } from '../data/clock.js';
import { statusWord } from '../data/legWords.js';
import { Amount } from '../ui/Amount.js';
import { Status } from '../ui/Status.js';
import styles from './MarketMap.module.css';
import { progress } from './route.js';

/** A relay in three lines, beside its mark. */
export function Told({ relay }: { relay: Relay }) {
  return (
    <>
      <p className={styles.told}>{relay.description}</p>
      <Status of={relay.status} word={statusWord(relay)} />
      <p className={styles.toldMore}>
        <More relay={relay} />
      </p>
    </>
  );
}

function More({ relay }: { relay: Relay }) {
  const now = useNow();
  const { totalLegs, completedLegs, legStartedAt, estimatedDurationMin, totalLamports, paidLamports } = relay;
  if (relay.status === 'in_transit' && legStartedAt !== null && estimatedDurationMin !== null) {
    const share = progress({ startedAt: legStartedAt.getTime(), durationMs: estimatedDurationMin * 60_000 }, now);
    const estimate = share === 1 ? 'past its estimate of' : `about ${Math.floor(share * 100)} % of`;
    return `Leg ${completedLegs + 1} of ${totalLegs}, ${estimate} ${estimatedDurationMin} min`;
  }
  if (totalLamports === null) {
    return (
      <>
        Pays up to <Amount lamports={relay.maxBudgetLamports} />
      </>
    );
  }
  return (
    <>
      {completedLegs < totalLegs && `${completedLegs} of `}
      {totalLegs} {totalLegs === 1 ? 'leg' : 'legs'}, <Amount lamports={paidLamports} /> paid
    </>
  );
}
