/** A place on earth in WGS 84 degrees. */
export interface Coordinate {
  /** Latitude, -90 to 90. */
  readonly lat: number;
  /** Longitude, -180 to 180. */
  readonly lng: number;
}

/** Mean radius of the earth in kilometres. */
export const EARTH_RADIUS_KM = 6371.0088;

/** How far apart a drop-off and the next pickup may lie, in kilometres. */
export const HANDOFF_RADIUS_KM = 2.0;

/** The speed that durations assume, in kilometres an hour. */
export const ASSUMED_SPEED_KMH = 30;

/** The least share of the great-circle distance that a bid may state as its distance. */
export const MINIMUM_DISTANCE_SHARE = 0.9;

/** Reports whether both numbers are finite and in range. */
export function isCoordinate(place: Coordinate): boolean {
  return Math.abs(place.lat) <= 90 && Math.abs(place.lng) <= 180;
}

/** The great-circle distance in kilometres (haversine, R = {@link EARTH_RADIUS_KM}). Rule M-5. */
export function greatCircleKm(a: Coordinate, b: Coordinate): number {
  const sinLat = Math.sin(radians(b.lat - a.lat) / 2);
  const sinLng = Math.sin(radians(b.lng - a.lng) / 2);
  const h = sinLat * sinLat + Math.cos(radians(a.lat)) * Math.cos(radians(b.lat)) * sinLng * sinLng;
  // Rounding can carry h past 1 between antipodes.
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.sqrt(Math.min(1, h)));
}

/** Reports whether a parcel can change hands between the two places: at most {@link HANDOFF_RADIUS_KM} apart. */
export function isWithinHandoff(a: Coordinate, b: Coordinate): boolean {
  return greatCircleKm(a, b) <= HANDOFF_RADIUS_KM;
}

/** Whole minutes for a distance in kilometres: round(distanceKm / 30 * 60). Rule M-6. */
export function estimatedDurationMin(distanceKm: number): number {
  return Math.round((distanceKm / ASSUMED_SPEED_KMH) * 60);
}

/** The least distance in kilometres that a bid between the two places may state. Rule M-7. */
export function minimumDistanceKm(pickup: Coordinate, dropoff: Coordinate): number {
  return greatCircleKm(pickup, dropoff) * MINIMUM_DISTANCE_SHARE;
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}
