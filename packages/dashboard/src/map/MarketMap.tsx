import { lazy, type ReactNode, Suspense, useMemo } from 'react';
import { queries } from '../data/service.js';
import { Boundary } from '../ui/Boundary.js';
import { Attribution, Legend } from './Legend.js';
import styles from './MarketMap.module.css';
import { type OnMap, routesOf } from './route.js';
import { Sketch } from './Sketch.js';
import { t } from '../language.js';

const LOOK_EVERY_MS = 50;
const WAIT_AT_MOST_MS = 2_000;

/** MapLibre takes the processor for a third of a second: what is written beside it is asked for and painted first. */
const Ground = lazy(async () => {
  const began = performance.now();
  do await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  while (queries.isFetching() > 0 && performance.now() - began < WAIT_AT_MOST_MS);
  await new Promise(requestAnimationFrame);
  return import('./Ground.js');
});

interface Props<Shown> {
  readonly label?: string;
  readonly relays: readonly Shown[];
  /** What is told beside the mark of one; left out: its page says it. */
  readonly tellOf?: (relay: Shown) => ReactNode;
  /** The id of the relay that stands out. */
  readonly selected?: string | undefined;
  /** Undefined: none. */
  readonly onSelect?: (id: string | undefined) => void;
}

const nothing = () => {};

/**
 * Relays on a map: a picture of the list that stands beside it, which says the same to those who do not see it. Without
 * WebGL, or when the map's code does not come, a sketch of the same relays.
 */
export function MarketMap<Shown extends OnMap>({
  label = t('Map of the relays, which are also listed beside it'),
  relays,
  tellOf,
  selected,
  onSelect = nothing,
}: Props<Shown>) {
  const routes = useMemo(() => routesOf(relays), [relays]);
  const tell = (id: string) => {
    const relay = relays.find((each) => each.id === id);
    return relay && tellOf?.(relay);
  };
  // What is selected on a page may be something else.
  const chosen = routes.some(({ id }) => id === selected) ? selected : undefined;
  const shown = { label, routes, selected: chosen, onSelect };
  return (
    <figure className={styles.figure}>
      <div className={styles.map}>
        <Boundary instead={<Sketch {...shown} />}>
          <Suspense>
            <Ground {...shown} tell={tell} />
          </Suspense>
        </Boundary>
      </div>
      <figcaption className={styles.caption}>
        <Legend routes={routes} />
        <Attribution />
      </figcaption>
    </figure>
  );
}
