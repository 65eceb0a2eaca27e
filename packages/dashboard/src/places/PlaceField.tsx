import { useEffect, useId, useState } from 'react';
import form from '../wallet/form.module.css';
import { Labelled } from '../wallet/Labelled.js';
import styles from './places.module.css';
import { lastPlace, type Place, placesNamed, rememberPlace } from './places.js';

interface Props {
  readonly label: string;
  readonly fault: string | undefined;
  /** Undefined: none is chosen. */
  readonly place: Place | undefined;
  readonly change: (place: Place | undefined) => void;
}

const PAUSE_MS = 200;

/** A place by its name, by where this device is, or by its degrees. Rule D-86. */
export function PlaceField({ label, fault, place, change }: Props) {
  const list = useId();
  const [text, setText] = useState(place?.name ?? '');
  const [problem, setProblem] = useState<string>();
  const found = useFound(place === undefined ? text : '');
  const choose = (next: Place) => {
    setText(next.name);
    rememberPlace(next);
    change(next);
  };
  const type = (next: string) => {
    setText(next);
    setProblem(undefined);
    const degrees = degreesIn(next);
    change(degrees);
  };
  const locate = () => {
    setProblem(undefined);
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => choose({ name: 'Where I am', lat: coords.latitude, lng: coords.longitude }),
      () => setProblem('This device does not say where it is. Type the name of the place.'),
      { timeout: 15_000 },
    );
  };
  return (
    <Labelled label={label} fault={fault ?? problem}>
      {(aria) => (
        <>
          <input
            {...aria}
            value={text}
            autoComplete="off"
            placeholder="Neukölln, Berlin"
            role="combobox"
            aria-expanded={found.length > 0}
            aria-controls={list}
            onChange={({ target }) => type(target.value)}
          />
          <ul id={list} className={styles.found} aria-label={`Places for ${label}`}>
            {found.map((one) => (
              <li key={`${one.lat} ${one.lng}`}>
                <button type="button" className={form.button} onClick={() => choose(one)}>
                  {one.name}
                </button>
              </li>
            ))}
          </ul>
          <button type="button" className={styles.here} onClick={locate}>
            Use where I am
          </button>
        </>
      )}
    </Labelled>
  );
}

/** Places of the name, once somebody pauses. */
function useFound(text: string): readonly Place[] {
  const [found, setFound] = useState<readonly Place[]>([]);
  useEffect(() => {
    let isCurrent = true;
    const timer = setTimeout(() => {
      placesNamed(text, lastPlace()).then(
        (places) => isCurrent && setFound(places),
        () => isCurrent && setFound([]),
      );
    }, PAUSE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [text]);
  return found;
}

/** A latitude and a longitude, such as `52.5208, 13.4095`. */
function degreesIn(text: string): Place | undefined {
  const match = /^\s*(-?\d{1,2}(?:\.\d+)?)[\s,;]+(-?\d{1,3}(?:\.\d+)?)\s*$/u.exec(text);
  const [lat, lng] = [Number(match?.[1]), Number(match?.[2])];
  return match !== null && Math.abs(lat) <= 90 && Math.abs(lng) <= 180 ? { name: text.trim(), lat, lng } : undefined;
}
