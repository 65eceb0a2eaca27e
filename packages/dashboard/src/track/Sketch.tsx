/** @jsxImportSource preact */
import './sketch.css';
import type { Parcel, ParcelLeg } from './service.js';
import { t } from '../language.js';

const [WIDTH, HEIGHT, MARGIN] = [320, 140, 16];

/** A package as far as it says where it goes. */
type Way = Pick<Parcel, 'originLat' | 'originLng' | 'destLat' | 'destLng'> & {
  readonly swarm: { readonly legs: readonly Pick<ParcelLeg, 'dropoffLat' | 'dropoffLng' | 'status'>[] } | null;
};

/** The way as lines on paper: a map is more than a bad network brings. */
export function Sketch({ parcel }: { parcel: Way }) {
  const legs = parcel.swarm?.legs ?? [];
  const stops = [
    { lat: parcel.originLat, lng: parcel.originLng },
    ...legs.slice(0, -1).map(({ dropoffLat, dropoffLng }) => ({ lat: dropoffLat, lng: dropoffLng })),
    { lat: parcel.destLat, lng: parcel.destLng },
  ];
  const points = onPaper(stops);
  const done = legs.filter(({ status }) => status === 'completed').length;
  return (
    <svg
      class="sketch"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={t('{done} of {legs} legs are done', { done, legs: stops.length - 1 })}
    >
      {points.slice(1).map((to, index) => {
        const from = points[index] ?? to;
        const state = index < done ? 'done' : index === done && legs.length > 0 ? 'now' : 'next';
        return <line key={index} data-state={state} x1={from.x} y1={from.y} x2={to.x} y2={to.y} />;
      })}
      {points.map(({ x, y }, index) => (
        <circle
          key={index}
          data-end={index === points.length - 1}
          cx={x}
          cy={y}
          r={index === points.length - 1 ? 6 : 4}
        />
      ))}
    </svg>
  );
}

/** Places as they lie to each other, a degree of longitude as short as it is there. */
function onPaper(places: readonly { readonly lat: number; readonly lng: number }[]) {
  const narrow = Math.cos(((places[0]?.lat ?? 0) * Math.PI) / 180);
  const flat = places.map(({ lat, lng }) => ({ x: lng * narrow, y: -lat }));
  const [left, top] = [Math.min(...flat.map(({ x }) => x)), Math.min(...flat.map(({ y }) => y))];
  const [wide, high] = [Math.max(...flat.map(({ x }) => x)) - left, Math.max(...flat.map(({ y }) => y)) - top];
  const scale = Math.min((WIDTH - 2 * MARGIN) / (wide || 1e-9), (HEIGHT - 2 * MARGIN) / (high || 1e-9));
  const [beside, above] = [(WIDTH - wide * scale) / 2, (HEIGHT - high * scale) / 2];
  return flat.map(({ x, y }) => ({ x: beside + (x - left) * scale, y: above + (y - top) * scale }));
}
