import { type Coordinate, EARTH_RADIUS_KM } from '@legwork/protocol/rules';
import { type RawBuilder, sql } from 'kysely';

/** A range of latitudes, and one or two of longitudes. Degrees. */
export interface Box {
  readonly lat: readonly [number, number];
  readonly lng: readonly (readonly [number, number])[];
}

/** To how many decimals of a degree lists know places: the rest is sealed. */
export const PLACE_DECIMALS = 2;
/** How far a coordinate is from what a list knows of it, degrees; and a place, kilometres. */
const ROUNDING = 0.5 / 10 ** PLACE_DECIMALS;
export const ROUNDING_KM = (ROUNDING * Math.SQRT2 * Math.PI * EARTH_RADIUS_KM) / 180 + 0.001;

/** How far around `near` is looked where nobody says it, kilometres. */
export const DEFAULT_RADIUS_KM = 25;

/** A circle on the earth: everything at most `radiusKm` from the centre, by great circle. */
export interface Surroundings {
  readonly center: Coordinate;
  readonly radiusKm: number;
}

const EVERY_LONGITUDE = [[-180, 180]] as const;

/** Wider than the rounding of all that is computed here; 0.1 m on the ground. Degrees. */
const MARGIN = 1e-6;

const degrees = (radians: number) => (radians * 180) / Math.PI;
const radians = (angle: number) => (angle * Math.PI) / 180;

/** The smallest box that holds the circle. It has two ranges of longitudes across the antimeridian, and every one where a pole lies inside. */
export function boxAround({ center, radiusKm }: Surroundings): Box {
  const angle = radiusKm / EARTH_RADIUS_KM;
  const reach = degrees(angle) + MARGIN;
  const lat = [Math.max(-90, center.lat - reach), Math.min(90, center.lat + reach)] as const;
  if (lat[0] === -90 || lat[1] === 90) return { lat, lng: EVERY_LONGITUDE };
  const width = degrees(Math.asin(Math.min(1, Math.sin(angle) / Math.cos(radians(center.lat))))) + MARGIN;
  const [west, east] = [center.lng - width, center.lng + width];
  if (west <= -180)
    return {
      lat,
      lng: [
        [-180, east],
        [west + 360, 180],
      ],
    };
  if (east >= 180)
    return {
      lat,
      lng: [
        [west, 180],
        [-180, east - 360],
      ],
    };
  return { lat, lng: [[west, east]] };
}

/**
 * Differences below this count as this, 0.1 mm on the ground: PostgreSQL refuses to square a number so small that nothing
 * would be left of it, and one place so close to another would make every search there fail. Degrees.
 */
const LEAST_DIFFERENCE = sql.lit(1e-9);

const sinSquaredOfHalf = (a: RawBuilder<number>, b: number) =>
  sql<number>`sind(greatest(abs(${a} - ${b}::float8), ${LEAST_DIFFERENCE}) / 2) ^ 2`;

/** True if the place in these columns lies in the box, give or take its rounding, degrees. */
export function liesInBox(box: Box, latColumn: string, lngColumn: string, rounding = ROUNDING): RawBuilder<boolean> {
  const [lat, lng] = [sql.ref<number>(latColumn), sql.ref<number>(lngColumn)];
  const inRange = sql.join(
    box.lng.map(([west, east]) => sql`${lng} between ${west - rounding}::float8 and ${east + rounding}::float8`),
    sql` or `,
  );
  return sql<boolean>`${lat} between ${box.lat[0] - rounding}::float8 and ${box.lat[1] + rounding}::float8 and (${inRange})`;
}

/** True if the place in these columns lies in the circle: by the box, which an index finds, and then exactly. Rule M-5. */
export function liesWithin(around: Surroundings, latColumn: string, lngColumn: string): RawBuilder<boolean> {
  const { center, radiusKm } = around;
  const [lat, lng] = [sql.ref<number>(latColumn), sql.ref<number>(lngColumn)];
  const h = sql<number>`${sinSquaredOfHalf(lat, center.lat)}
    + cosd(${center.lat}::float8) * cosd(${lat}) * ${sinSquaredOfHalf(lng, center.lng)}`;
  return sql<boolean>`${liesInBox(boxAround(around), latColumn, lngColumn)}
    and 2 * ${EARTH_RADIUS_KM}::float8 * asin(sqrt(least(1, ${h}))) <= ${radiusKm}::float8`;
}
