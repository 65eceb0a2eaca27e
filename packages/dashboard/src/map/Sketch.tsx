import { useEffect, useRef, useState } from 'react';
import { useNow } from '../data/clock.js';
import { boxOfAll, countOutside, mainBox, shownFirst } from './frame.js';
import { fit, nearest, pixelOf, type Point, type Size, type View } from './geometry.js';
import styles from './Sketch.module.css';
import { Outside } from './Legend.js';
import { parcelOf, type Route, type RouteLeg } from './route.js';

interface Props {
  readonly label: string;
  readonly routes: readonly Route[];
  readonly selected: string | undefined;
  readonly onSelect: (id: string | undefined) => void;
}

const MARGIN_PX = 32;

/** The same routes without a ground, for browsers that cannot draw one. */
export function Sketch({ label, routes, selected, onSelect }: Props) {
  const container = useRef<HTMLDivElement>(null);
  const size = useSize(container);
  const [isWhole, setWhole] = useState(false);
  const box = isWhole ? boxOfAll(shownFirst(routes)) : mainBox(routes);
  const view = size && box && fit(box, size, MARGIN_PX);
  return (
    <div ref={container} className={styles.sketch}>
      {view && (
        <svg role="img" aria-label={label} width={view.width} height={view.height} onClick={() => onSelect(undefined)}>
          {routes.map((route) => (
            <Drawn
              key={route.id}
              {...{ route, view, onSelect }}
              isBack={selected !== undefined && selected !== route.id}
            />
          ))}
        </svg>
      )}
      {view && <Outside of={countOutside(routes, view)} showAll={() => setWhole(true)} />}
    </div>
  );
}

interface DrawnProps {
  readonly route: Route;
  readonly view: View;
  readonly isBack: boolean;
  readonly onSelect: (id: string) => void;
}

function Drawn({ route, view, isBack, onSelect }: DrawnProps) {
  const now = useNow();
  const parcel = parcelOf(route, now);
  const pixel = (point: Point) => pixelOf(view, nearest(point, view.center));
  const line = ({ from, to }: Pick<RouteLeg, 'from' | 'to'>) => {
    const [start, end] = [pixel(from), pixel(to)];
    return { x1: start.x, y1: start.y, x2: end.x, y2: end.y };
  };
  const [origin, destination, at] = [pixel(route.origin), pixel(route.destination), pixel(parcel)];
  const select = (event: React.MouseEvent) => {
    event.stopPropagation();
    onSelect(route.id);
  };
  return (
    <g className={styles.route} data-look={route.look} data-back={isBack} onClick={select}>
      {route.legs.map((leg, index) => (
        <line key={index} data-state={leg.state} {...line(leg)} />
      ))}
      {route.walk && <line data-state="done" {...line({ from: route.walk.leg.from, to: parcel })} />}
      <circle className={styles.origin} cx={origin.x} cy={origin.y} r="3" />
      <rect className={styles.destination} x={destination.x - 4} y={destination.y - 4} width="8" height="8" />
      {route.legs.slice(0, -1).map((leg, index) => (
        <circle key={index} className={styles.handoff} cx={pixel(leg.to).x} cy={pixel(leg.to).y} r="2.5" />
      ))}
      <Parcel look={route.look} isOverdue={parcel.isOverdue} at={at} />
    </g>
  );
}

function Parcel({ look, isOverdue, at: { x, y } }: { look: Route['look']; isOverdue: boolean; at: Point }) {
  const place = { transform: `translate(${x} ${y})` };
  if (look === 'failed') return <path {...place} className={styles.disc} d="M0-5 5 0 0 5-5 0z" />;
  return (
    <g {...place}>
      <circle className={look === 'done' ? styles.disc : styles.ring} data-overdue={isOverdue} r="5" />
      {look === 'moving' && !isOverdue && <path className={styles.disc} d="M0-5a5 5 0 0 0 0 10z" />}
    </g>
  );
}

function useSize(of: React.RefObject<HTMLElement | null>): Size | undefined {
  const [size, setSize] = useState<Size>();
  useEffect(() => {
    if (!of.current) return undefined;
    const watch = new ResizeObserver(([entry]) => {
      if (entry) setSize({ width: entry.contentRect.width, height: entry.contentRect.height });
    });
    watch.observe(of.current);
    return () => watch.disconnect();
  }, [of]);
  return size;
}
