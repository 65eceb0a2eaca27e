import type { ExpressionSpecification, StyleSpecification } from 'maplibre-gl';
import { groundUrl } from '../data/ground.js';
import { featuresOf } from './geometry.js';

/** The tokens that a canvas needs, by name. */
const TOKENS = ['land', 'water', 'border', 'surface', 'text', 'dim', 'listed', 'moving', 'paid', 'failed'] as const;

/** As `rgb(…)`: canvases and MapLibre do not know `light-dark()` and variables. */
export type Colours = Readonly<Record<(typeof TOKENS)[number], string>>;

/** The tokens as they are in the theme of now. @param within an element of the page */
export function coloursOf(within: Element): Colours {
  const probe = within.appendChild(document.createElement('span'));
  const entries = TOKENS.map((token) => {
    probe.style.color = `var(--${token})`;
    return [token, getComputedStyle(probe).color] as const;
  });
  probe.remove();
  return Object.fromEntries(entries) as Colours;
}

/** Tells when the theme changes, by the system or by the button. @returns ends it */
export function onThemeChange(changed: () => void): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  system.addEventListener('change', changed);
  const chosen = new MutationObserver(changed);
  chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => {
    system.removeEventListener('change', changed);
    chosen.disconnect();
  };
}

const people: ExpressionSpecification = ['get', 'people'];
/** From which zoom places of so many people are named; who stays without room is the map's to decide. */
const NAMED_FROM = [
  [2, 2_000_000],
  [3, 1_000_000],
  [4.5, 400_000],
  [6, 100_000],
  [7, 50_000],
  [8, 15_000],
  [9, 5_000],
  [10, 0],
] as const;
const NAMED = ['step', ['zoom'], 5_000_000, ...NAMED_FROM.flat()] as unknown as ExpressionSpecification;
/** Quarters are named where a city fills the map. */
const QUARTERS_ZOOM = 9;

/** The ground without anything that moves. There are no glyphs: letters are drawn with the system's font. */
export function groundStyle(colours: Colours): StyleSpecification {
  return {
    version: 8,
    sources: {
      // Finer than its files a tile cannot get.
      land: { type: 'geojson', data: groundUrl('land-50m.json'), maxzoom: 8, tolerance: 0.3 },
      places: { type: 'geojson', data: featuresOf([]), maxzoom: 10 },
    },
    layers: [
      { id: 'water', type: 'background', paint: { 'background-color': colours.water } },
      { id: 'land', type: 'fill', source: 'land', filter: isOf('Polygon'), paint: { 'fill-color': colours.land } },
      {
        id: 'borders',
        type: 'line',
        source: 'land',
        filter: isOf('LineString'),
        paint: { 'line-color': colours.border, 'line-width': 1 },
      },
      names('quarters', colours, { isQuarter: true, minzoom: QUARTERS_ZOOM, size: 11 }),
      names('towns', colours, {
        isQuarter: false,
        minzoom: 0,
        size: ['interpolate', ['linear'], people, 20_000, 11, 1_000_000, 13, 8_000_000, 15],
      }),
    ],
  };
}

const isOf = (type: 'Polygon' | 'LineString'): ExpressionSpecification => ['==', ['geometry-type'], type];

function names(
  id: string,
  { dim, land }: Colours,
  { isQuarter, minzoom, size }: { isQuarter: boolean; minzoom: number; size: number | ExpressionSpecification },
): StyleSpecification['layers'][number] {
  return {
    id,
    type: 'symbol',
    source: 'places',
    minzoom,
    filter: ['all', ['==', ['get', 'isQuarter'], isQuarter], ['>=', people, isQuarter ? 0 : NAMED]],
    layout: {
      'text-field': ['get', 'name'],
      'text-font': ['system-ui', 'sans-serif'],
      'text-size': size,
      'text-max-width': 7,
      'text-padding': 3,
      'symbol-sort-key': ['-', 0, people],
    },
    paint: { 'text-color': dim, 'text-halo-color': land, 'text-halo-width': 1.25, 'text-opacity': isQuarter ? 0.8 : 1 },
  };
}

/** What a theme changes of the ground, by layer. */
export const paintOf = (colours: Colours) =>
  groundStyle(colours).layers.map(({ id, paint }) => ({ id, paint: Object.entries(paint ?? {}) }));
