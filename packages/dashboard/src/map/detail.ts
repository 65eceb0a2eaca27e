import type { GeoJSONSource, Map } from 'maplibre-gl';
import type { View } from './geometry.js';
import { cellsSeen, featuresOf, type PlaceRow } from './geometry.js';
import { groundUrl } from '../data/ground.js';

/** From here on finer coasts can be told from the coarse ones. */
const FINE_ZOOM = 4;

/** Adds to the ground what comes after its first picture: names of places, and finer coasts once one looks closer. */
export function addDetail(map: Map, view: () => View): void {
  // Without names the map still shows the routes.
  showPlaces(map, view).catch(() => {});
  const refine = () => {
    if (map.getZoom() < FINE_ZOOM) return;
    map.off('idle', refine);
    setData(map, 'land', groundUrl('land-10m.json'));
  };
  map.on('idle', refine);
}

/** A file that does not come leaves the map as it is. */
function setData(map: Map, source: 'land' | 'places', data: Parameters<GeoJSONSource['setData']>[0]): void {
  map
    .getSource<GeoJSONSource>(source)
    ?.setData(data)
    .catch(() => {});
}

/** The large places of the world, and all places and quarters of the cells that are looked at. */
async function showPlaces(map: Map, view: () => View): Promise<void> {
  const [read] = await Promise.all([readGround('places.json'), map.once('load')]);
  const { places, cells } = read as { places: PlaceRow[]; cells: string[] };
  const unread = new Set(cells);
  let rows = places;
  const take = async (name: string) => {
    unread.delete(name);
    rows = [...rows, ...((await readGround(`cells/${name}.json`)) as PlaceRow[])];
    setData(map, 'places', featuresOf(rows));
  };
  const look = () => {
    for (const name of cellsSeen(view())) if (unread.has(name)) take(name).catch(() => unread.add(name));
  };
  map.on('moveend', look);
  setData(map, 'places', featuresOf(rows));
  look();
}

async function readGround(name: string): Promise<unknown> {
  const response = await fetch(groundUrl(name));
  if (!response.ok) throw new Error(`the ground of the map is not complete: ${name} is ${response.status}`);
  return response.json();
}
