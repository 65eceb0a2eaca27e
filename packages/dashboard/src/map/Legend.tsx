import { type ShownStatus, Status } from '../ui/Status.js';
import styles from './MarketMap.module.css';
import { type Look, type Route, progress } from './route.js';
import type { Relay } from '@legwork/protocol/contract';
import { useNow } from '../data/clock.js';
import { Amount } from '../ui/Amount.js';
import { WayStatus } from '../ui/WayStatus.js';
import { m, type Message, rich, t } from '../language.js';

const SHOWN: readonly { look: Look; status: ShownStatus; word: Message }[] = [
  { look: 'open', status: 'listed', word: m('Open') },
  { look: 'moving', status: 'in_transit', word: m('In transit') },
  { look: 'done', status: 'delivered', word: m('Delivered') },
  { look: 'failed', status: 'failed', word: m('Failed') },
];

/** What the marks on the map mean, of those that are there. */
export function Legend({ routes }: { routes: readonly Route[] }) {
  const looks = new Set(routes.map(({ look }) => look));
  return (
    <ul className={styles.legend}>
      {SHOWN.filter(({ look }) => looks.has(look)).map(({ status, word }) => (
        <li key={status}>
          <Status of={status} word={t(word)} />
        </li>
      ))}
      {looks.has('moving') && (
        <>
          <li className={styles.overdue}>
            <svg width="12" height="12" viewBox="-6 -6 12 12" aria-hidden="true">
              <circle r="4.5" pathLength="8" strokeDasharray="1.15 0.85" />
            </svg>
            {t('Past its estimate')}
          </li>
          <li>{t('Positions are estimates')}</li>
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
        <summary>{t('Map data')}</summary>
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
      {t('{count} out of view: show all', { count: of })}
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
    const leg = { number: completedLegs + 1, legs: totalLegs, minutes: estimatedDurationMin };
    if (share === 1) return t('Leg {number} of {legs}, past its estimate of {minutes} min', leg);
    const percent = Math.floor(share * 100);
    return t('Leg {number} of {legs}, about {percent} % of {minutes} min', { ...leg, percent });
  }
  if (total === null) {
    return rich('Pays up to {amount}', { amount: <Amount of={relay} amount={relay.maxBudget} /> });
  }
  const amount = <Amount of={relay} amount={paid} />;
  return completedLegs < totalLegs
    ? rich('{done} of {legs, plural, one {# leg} other {# legs}}, {amount} paid', {
        done: completedLegs,
        legs: totalLegs,
        amount,
      })
    : rich('{legs, plural, one {# leg} other {# legs}}, {amount} paid', { legs: totalLegs, amount });
}
