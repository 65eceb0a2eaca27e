import { type ReactNode, useEffect, useRef, useState } from 'react';
import { countOutside } from './frame.js';
import type { View } from './geometry.js';
import { GroundMap } from './groundMap.js';
import { Outside } from './Legend.js';
import { FitIcon } from '../ui/icons.js';
import styles from './MarketMap.module.css';
import type { Route } from './route.js';
import { lengthText, scaleOf } from './scale.js';
import { t } from '../language.js';

export { PinGround } from './PinGround.js';

interface Props {
  readonly label: string;
  readonly routes: readonly Route[];
  readonly selected: string | undefined;
  readonly onSelect: (id: string | undefined) => void;
  /** What is said about a route that is chosen or pointed at. */
  readonly tell: (id: string) => ReactNode;
}

/** Routes on the ground. @throws GPUInitializationError without WebGL 2, for the boundary around it */
export default function Ground({ label, routes, selected, onSelect, tell }: Props) {
  const container = useRef<HTMLDivElement>(null);
  const overlay = useRef<HTMLCanvasElement>(null);
  const callout = useRef<HTMLDivElement>(null);
  const ground = useRef<GroundMap>(null);
  const select = useRef(onSelect);
  const [pointed, setPointed] = useState<string>();
  const [view, setView] = useState<View>();

  useEffect(() => {
    if (!container.current || !overlay.current || !callout.current) return undefined;
    const map = new GroundMap({
      container: container.current,
      overlay: overlay.current,
      callout: callout.current,
      label,
      onSelect: (id) => select.current(id),
      onPoint: setPointed,
      onView: setView,
    });
    ground.current = map;
    return () => map.remove();
  }, [label]);

  useEffect(() => {
    select.current = onSelect;
  }, [onSelect]);
  useEffect(() => ground.current?.show(routes, selected), [routes, selected, label]);

  const told = pointed ?? selected;
  return (
    <>
      <div ref={container} className={styles.ground} />
      <canvas ref={overlay} className={styles.overlay} aria-hidden="true" />
      <div ref={callout} className={styles.callout} aria-hidden="true" hidden>
        {told !== undefined && tell(told)}
      </div>
      <div className={styles.buttons}>
        <button type="button" aria-label={t('Zoom in')} onClick={() => ground.current?.zoom(1)}>
          +
        </button>
        <button type="button" aria-label={t('Zoom out')} onClick={() => ground.current?.zoom(-1)}>
          −
        </button>
        <button type="button" aria-label={t('Show the busiest area')} onClick={() => ground.current?.fit('most')}>
          <FitIcon />
        </button>
      </div>
      {view && <Outside of={countOutside(routes, view)} showAll={() => ground.current?.fit('all')} />}
      {view && <ScaleBar of={view} />}
    </>
  );
}

function ScaleBar({ of }: { of: View }) {
  const { km, px } = scaleOf(of);
  return (
    <p className={styles.scale}>
      <span ref={(bar) => void (bar && (bar.style.width = `${px}px`))} />
      {lengthText(km)}
    </p>
  );
}
