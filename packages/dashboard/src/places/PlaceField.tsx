import { lazy, type ReactNode, Suspense, useState } from 'react';
import { Boundary } from '../ui/Boundary.js';
import form from '../wallet/form.module.css';
import { Labelled } from '../wallet/Labelled.js';
import styles from './places.module.css';
import { degreesIn, degreesOf, type Place } from './place.js';
import { lastPlace, rememberPlace } from './places.js';
import { type Picking, usePicking } from './usePicking.js';
import { useId } from '../ui/useId.js';
import { m, rich, t } from '../language.js';

/** Few open it. */
const PinMap = lazy(() => import('./PinMap.js'));

interface Props {
  readonly label: string;
  readonly fault: string | undefined;
  /** Undefined: none is chosen. */
  readonly place: Place | undefined;
  /** What stood in the field before it was shown; left out: the place's name. */
  readonly before?: string;
  readonly change: (place: Place | undefined, text: string) => void;
}

/** A place by its name, by a pin on a map, by where this device is, or by its degrees. Rule D-86. */
export function PlaceField({ label, fault, place, before, change }: Props) {
  const list = useId();
  const [text, setText] = useState(before ?? place?.name ?? '');
  const [problem, setProblem] = useState<string>();
  const set = (next: Place) => {
    setText(next.name);
    setProblem(undefined);
    change(next, next.name);
  };
  const choose = (next: Place) => {
    rememberPlace(next);
    set(next);
  };
  const picking = usePicking(text, choose);
  const type = (next: string) => {
    setText(next);
    setProblem(undefined);
    const degrees = degreesIn(next);
    change(degrees, next);
    if (degrees === undefined) picking.open();
    else picking.close();
  };
  const locate = () => {
    setProblem(undefined);
    whereIAm().then(set, () => setProblem(t(NOT_SAID)));
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
            {...comboboxOf(list, picking)}
            onChange={({ target }) => type(target.value)}
          />
          <Options list={list} label={label} picking={picking} choose={choose} />
          <Hint text={text} place={place} picking={picking} />
          <Ways label={label} place={place} locate={locate} set={set} />
        </>
      )}
    </Labelled>
  );
}

interface WaysProps {
  readonly label: string;
  readonly place: Place | undefined;
  readonly locate: () => void;
  readonly set: (place: Place) => void;
}

/** How a place is set without its name. */
function Ways({ label, place, locate, set }: WaysProps) {
  const [hasMap, setHasMap] = useState(false);
  return (
    <>
      <div className={styles.ways}>
        <button type="button" className={styles.way} onClick={locate}>
          {rich('Use my location<hidden> as {label}</hidden>', { label, hidden })}
        </button>
        <button type="button" className={styles.way} aria-expanded={hasMap} onClick={() => setHasMap(!hasMap)}>
          {hasMap
            ? rich('Close the map<hidden> of {label}</hidden>', { label, hidden })
            : rich('Set a pin<hidden> of {label}</hidden>', { label, hidden })}
        </button>
      </div>
      {hasMap && (
        <Boundary instead={<p className={form.hint}>{t(NO_MAP)}</p>}>
          <Suspense fallback={<p className={form.hint}>{t('Loading the map.')}</p>}>
            <PinMap label={label} place={place ?? lastPlace()} onPin={set} />
          </Suspense>
        </Boundary>
      )}
    </>
  );
}

const hidden = (inside: ReactNode) => <span className="visually-hidden">{inside}</span>;

const NO_MAP = m('This browser cannot show the map. Type the name of the place, or its latitude and longitude.');
const NOT_SAID = m('This device does not share its location. Type the name of the place.');

const comboboxOf = (list: string, { shown, active, onKeyDown, open, close }: Picking) => ({
  role: 'combobox',
  'aria-autocomplete': 'list' as const,
  'aria-expanded': shown.length > 0,
  'aria-controls': shown.length > 0 ? list : undefined,
  'aria-activedescendant': shown.length > 0 ? `${list}-${active}` : undefined,
  onKeyDown,
  onClick: open,
  onBlur: close,
});

interface OptionsProps {
  readonly list: string;
  readonly label: string;
  readonly picking: Picking;
  readonly choose: (place: Place) => void;
}

function Options({ list, label, picking: { shown, active, close }, choose }: OptionsProps) {
  if (shown.length === 0) return null;
  return (
    <ul id={list} role="listbox" className={styles.found} aria-label={t('Places for {label}', { label })}>
      {shown.map((one, index) => (
        <li
          key={degreesOf(one)}
          id={`${list}-${index}`}
          role="option"
          aria-selected={index === active}
          // The field keeps the focus.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => {
            close();
            choose(one);
          }}
        >
          {one.name} <small>{degreesOf(one)}</small>
        </li>
      ))}
    </ul>
  );
}

interface HintProps {
  readonly text: string;
  readonly place: Place | undefined;
  readonly picking: Picking;
}

/** What the field has come to: its degrees, or that nothing has this name. */
function Hint({ text, place, picking: { found, shown } }: HintProps) {
  const isUnknown = text.trim() !== '' && place === undefined && found?.length === 0;
  return (
    <>
      <p className={form.hint}>{place && shown.length === 0 && degreesOf(place)}</p>
      <p role="status" className={isUnknown ? form.hint : 'visually-hidden'}>
        {isUnknown && t(UNKNOWN)}
        {shown.length > 0 && t('{count} found. Choose with the arrow keys and press Enter.', { count: shown.length })}
      </p>
    </>
  );
}

const UNKNOWN = m(
  'No place with this name is known here. Type a larger one nearby and set a pin, or type coordinates.',
);

/** Digits of about a kilometre: where somebody is, is kept no closer. */
const KEPT_DIGITS = 2;

/** @throws where the browser does not say it */
async function whereIAm(): Promise<Place> {
  const { coords } = await new Promise<GeolocationPosition>((resolve, reject) =>
    navigator.geolocation.getCurrentPosition(resolve, reject, { timeout: 15_000 }),
  );
  const place = { name: t('My location'), lat: coords.latitude, lng: coords.longitude };
  const rounded = (degrees: number) => Number(degrees.toFixed(KEPT_DIGITS));
  rememberPlace({ ...place, lat: rounded(place.lat), lng: rounded(place.lng) });
  return place;
}
