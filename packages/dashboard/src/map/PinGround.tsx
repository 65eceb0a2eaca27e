import type { Coordinate } from '@legwork/protocol/rules';
import { Map } from 'maplibre-gl';
import { useEffect, useRef } from 'react';
import { addDetail } from './detail.js';
import { mercator, worldAt } from './geometry.js';
import styles from './MarketMap.module.css';
import pin from './Pin.module.css';
import { coloursOf, groundStyle } from './style.js';
import { t } from '../language.js';

interface Props {
  readonly label: string;
  /** Undefined: the whole world. */
  readonly from: Coordinate | undefined;
  /** Where its middle is, after each move. */
  readonly onMove: (at: Coordinate) => unknown;
}

const [NEAR_ZOOM, WORLD_ZOOM] = [11, 0.5];

/** The ground with a pin in its middle. @throws GPUInitializationError without WebGL 2, for the boundary around it */
export function PinGround({ label, from, onMove }: Props) {
  const container = useRef<HTMLDivElement>(null);
  const map = useRef<Map>(null);
  const told = useRef(onMove);
  const start = useRef(from);
  useEffect(() => {
    told.current = onMove;
  }, [onMove]);
  useEffect(() => {
    if (!container.current) return undefined;
    const made = begun(container.current, label, start.current);
    map.current = made;
    made.on('moveend', ({ originalEvent }: { originalEvent?: unknown }) => {
      // A window that changed its size has not moved the pin.
      if (originalEvent !== undefined) told.current(made.getCenter());
    });
    return () => made.remove();
  }, [label]);
  useEffect(() => {
    if (map.current && from && !isAt(map.current.getCenter(), from)) map.current.jumpTo({ center: from });
  }, [from]);
  return (
    <>
      <div ref={container} className={`${styles.ground} ${pin.ground}`} />
      <span className={pin.pin} aria-hidden="true" />
      <div className={styles.buttons}>
        <button type="button" aria-label={t('Zoom in')} onClick={() => map.current?.zoomIn()}>
          +
        </button>
        <button type="button" aria-label={t('Zoom out')} onClick={() => map.current?.zoomOut()}>
          −
        </button>
      </div>
    </>
  );
}

/** What a pin says is rounded, and moves nothing. */
const isAt = (one: Coordinate, other: Coordinate): boolean =>
  Math.abs(one.lat - other.lat) < NOTHING && Math.abs(one.lng - other.lng) < NOTHING;
const NOTHING = 1e-4;

function begun(container: HTMLElement, label: string, from: Coordinate | undefined): Map {
  const map = new Map({
    container,
    style: groundStyle(coloursOf(container)),
    center: from ?? { lat: 30, lng: 10 },
    zoom: from ? NEAR_ZOOM : WORLD_ZOOM,
    maxZoom: 17,
    maxPitch: 0,
    dragRotate: false,
    touchPitch: false,
    // Who looks closer leaves the pin where it is.
    scrollZoom: { around: 'center' },
    touchZoomRotate: { around: 'center' },
    attributionControl: false,
    validateStyle: false,
    fadeDuration: 0,
    locale: { 'Map.Title': label },
  });
  map.touchZoomRotate.disableRotation();
  map.keyboard.disableRotation();
  addDetail(map, () => ({
    width: container.clientWidth,
    height: container.clientHeight,
    center: mercator(map.getCenter()),
    world: worldAt(map.getZoom()),
  }));
  return map;
}
