import { type ShownStatus, Status } from '../ui/Status.js';
import styles from './MarketMap.module.css';
import { type Look, type Route, progress } from './route.js';
import type { Relay } from '@legwork/protocol/contract';
import { useNow } from '../data/clock.js';
import { Amount } from '../ui/Amount.js';
import { WayStatus } from '../ui/WayStatus.js';

const SHOWN: readonly { look: Look; status: ShownStatus; word: string }[] = [
  { look: 'open', status: 'listed', word: 'Open' },
  { look: 'moving', status: 'in_transit', word: 'In transit' },
  { look: 'done', status: 'delivered', word: 'Delivered' },
  { look: 'failed', status: 'failed', word: 'Failed' },
];

/** What the marks on the map mean, of those that are there. */
export function Legend({ routes }: { routes: readonly Route[] }) {
  const looks = new Set(routes.map(({ look }) => look));
  return (
    <ul className={styles.legend}>
      {SHOWN.filter(({ look }) => looks.has(look)).map(({ status, word }) => (
        <li key={status}>
          <Status of={status} word={word} />
        </li>
      ))}
      {looks.has('moving') && (
        <>
          <li className={styles.overdue}>
            <svg width="12" height="12" viewBox="-6 -6 12 12" aria-hidden="true">
              <circle r="4.5" pathLength="8" strokeDasharray="1.15 0.85" />
            </svg>
            Past its estimate
          </li>
          <li>Positions are estimates</li>
        </>
      )}
    </ul>
  );
}

/** Who made the ground; folded where there is little room. */
export function Attribution() {
  return (
    <>
      <p className={styles.sources}>
        <Sources />
      </p>
      <details className={styles.folded}>
        <summary>Map data</summary>
        <p>
          <Sources />
        </p>
      </details>
    </>
  );
}

const Sources = () => (
  <>
    <a href="https://www.naturalearthdata.com/">Natural Earth</a>, <a href="https://www.geonames.org/">GeoNames</a>{' '}
    <a href="https://creativecommons.org/licenses/by/4.0/">CC BY 4.0</a>
  </>
);

/** How much of what is under way is out of sight, and the way to it. @param of how many */
export function Outside({ of, showAll }: { of: number; showAll: () => void }) {
  if (of === 0) return null;
  return (
    <button type="button" className={styles.outside} onClick={showAll}>
      {of} out of view: show all
    </button>
  );
}

/** A relay in three lines, beside its mark. */
export function Told({ relay }: { relay: Relay }) {
  return (
    <>
      <p className={styles.told}>{relay.description}</p>
      <WayStatus of={relay} />
      <p className={styles.toldMore}>
        <More relay={relay} />
      </p>
    </>
  );
}

function More({ relay }: { relay: Relay }) {
  const now = useNow();
  const { totalLegs, completedLegs, legStartedAt, estimatedDurationMin, total, paid } = relay;
  if (relay.status === 'in_transit' && legStartedAt !== null && estimatedDurationMin !== null) {
    const share = progress({ startedAt: legStartedAt.getTime(), durationMs: estimatedDurationMin * 60_000 }, now);
    const estimate = share === 1 ? 'past its estimate of' : `about ${Math.floor(share * 100)} % of`;
    return `Leg ${completedLegs + 1} of ${totalLegs}, ${estimate} ${estimatedDurationMin} min`;
  }
  if (total === null) {
    return (
      <>
        Pays up to <Amount of={relay} amount={relay.maxBudget} />
      </>
    );
  }
  return (
    <>
      {completedLegs < totalLegs && `${completedLegs} of `}
      {totalLegs} {totalLegs === 1 ? 'leg' : 'legs'}, <Amount of={relay} amount={paid} /> paid
    </>
  );
}
