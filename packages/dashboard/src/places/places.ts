import { type Coordinate, greatCircleKm } from '@legwork/protocol/rules';
import { groundUrl } from '../data/ground.js';
import { CELL } from '../map/cell.js';
import type { PlaceRow } from '../map/geometry.js';
import type { Place } from './place.js';

export type { Place } from './place.js';

const files = new Map<string, Promise<unknown>>();

/** A file of the ground, read once. */
function ground<T>(name: string): Promise<T> {
  const before = files.get(name);
  if (before !== undefined) return before as Promise<T>;
  const read = fetch(groundUrl(name)).then((answer) => (answer.ok ? answer.json() : Promise.reject(new Error(name))));
  files.set(name, read);
  read.catch(() => files.delete(name));
  return read as Promise<T>;
}

const large = () => ground<{ readonly places: PlaceRow[]; readonly cells: string[] }>('places.json');

const placeOf = ([name, lng, lat]: PlaceRow): Place => ({ name, lat, lng });

/** All places and quarters around a point. */
async function around({ lat, lng }: Coordinate): Promise<PlaceRow[]> {
  const { cells } = await large();
  const name = `${Math.floor(lng / CELL)}_${Math.floor(lat / CELL)}`;
  return cells.includes(name) ? ground<PlaceRow[]>(`cells/${name}.json`) : [];
}

const MOST = 6;
/** So many people make a place one that its quarters are known by, and so near it has to be, kilometres. */
const [CITY_PEOPLE, CITY_KM] = [100_000, 40];
const plain = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().trim();

/**
 * Places whose names begin with a text: large ones of the world, and all of the surroundings. `Neukölln, Berlin` looks around Berlin.
 *
 * @param near where this person was last
 */
export async function placesNamed(text: string, near: Coordinate | undefined): Promise<Place[]> {
  const [wanted = '', city = ''] = text.split(',').map(plain);
  if (wanted === '') return [];
  const { places } = await large();
  // What is called exactly so comes first, and then the largest.
  const begins = (name: string, rows: readonly PlaceRow[]) =>
    rows
      .filter(([own]) => plain(own).startsWith(name))
      .toSorted((one, other) => Number(plain(other[0]) === name) - Number(plain(one[0]) === name) || other[3] - one[3]);
  const [middle] = city === '' ? [] : begins(city, places).map(placeOf);
  const at = middle ?? near;
  const rows = at === undefined ? [] : await around(at);
  const local = begins(wanted, rows).map((row) => withCity(row, places));
  const found = [...local, ...(middle ? [] : begins(wanted, places).map(placeOf))];
  const isOther = ({ name, lat, lng }: Place, index: number) =>
    found.findIndex((one) => one.name === name && greatCircleKm(one, { lat, lng }) < 1) === index;
  return found.filter(isOther).slice(0, MOST);
}

/** A quarter is called with its city: there is a Mitte in many. */
function withCity(row: PlaceRow, large: readonly PlaceRow[]): Place {
  const place = placeOf(row);
  const isQuarter = row[4] === 1;
  const city = isQuarter ? nearest(place, large.filter(isCity)) : undefined;
  return city !== undefined && city.km <= CITY_KM ? { ...place, name: `${place.name}, ${city.name}` } : place;
}

const isCity = ([, , , people, isQuarter]: PlaceRow): boolean => people >= CITY_PEOPLE && isQuarter !== 1;

function nearest(point: Coordinate, rows: readonly PlaceRow[]): { name: string; km: number } | undefined {
  return rows
    .map((row) => ({ name: row[0], km: greatCircleKm(placeOf(row), point) }))
    .reduce<{ name: string; km: number } | undefined>(
      (best, one) => (best && best.km <= one.km ? best : one),
      undefined,
    );
}

/** So far away a name still says where something is, kilometres. */
const NEAR_KM = 12;

/** What people call a point; undefined: it has no name that is known here. */
export async function nameOf(point: Coordinate): Promise<string | undefined> {
  const { places } = await large();
  const found = nearest(point, [...(await around(point)), ...places]);
  return found && found.km <= NEAR_KM ? found.name : undefined;
}

const LAST = 'legwork-place';

/** Where this person was last, as this browser remembers it: no more than the name and the middle of a place. */
export function lastPlace(): Place | undefined {
  try {
    const { name, lat, lng }: Partial<Record<string, unknown>> = JSON.parse(localStorage.getItem(LAST) ?? '{}') ?? {};
    const isPlace = typeof name === 'string' && typeof lat === 'number' && typeof lng === 'number';
    return isPlace ? { name, lat, lng } : undefined;
  } catch {
    return undefined;
  }
}

export function rememberPlace(place: Place): void {
  try {
    localStorage.setItem(LAST, JSON.stringify(place));
  } catch {
    // It is only a convenience.
  }
}
