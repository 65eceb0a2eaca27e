import { lazy, useRef } from 'react';
import { degreesOf, type Place } from './place.js';
import { nameOf, rememberPlace } from './places.js';
import styles from './places.module.css';
import { t } from '../language.js';

/** All that draws the ground is one script, which is large, and comes for who opens a map. */
const PinGround = lazy(async () => ({ default: (await import('../map/Ground.js')).PinGround }));

interface Props {
  readonly label: string;
  /** Where it begins; undefined: the whole world. */
  readonly place: Place | undefined;
  readonly onPin: (place: Place) => void;
}

/** Digits of about a metre. */
const EXACT_DIGITS = 5;
const rounded = (degrees: number) => Number(degrees.toFixed(EXACT_DIGITS));

/** A map that is moved beneath its pin, by finger, mouse or arrow keys. Rule D-88. */
export default function PinMap({ label, place, onPin }: Props) {
  const moves = useRef(0);
  const move = async (at: { lat: number; lng: number }) => {
    const own = (moves.current += 1);
    const point = { lat: rounded(at.lat), lng: rounded(at.lng) };
    const name = await nameOf(point).catch(() => undefined);
    // The map has moved on meanwhile.
    if (own !== moves.current) return;
    const pinned = { ...point, name: name ?? degreesOf(point) };
    rememberPlace(pinned);
    onPin(pinned);
  };
  return (
    <div className={styles.pin}>
      <PinGround label={t('Map: move it until the pin marks {label}', { label })} from={place} onMove={move} />
    </div>
  );
}
