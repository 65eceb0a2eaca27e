import { type ShownStatus, Status } from '../ui/Status.js';
import styles from './MarketMap.module.css';
import type { Look, Route } from './route.js';

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
