import { describe, expect, it } from 'vitest';
import {
  estimatedDurationMin,
  greatCircleKm,
  isCoordinate,
  isWithinHandoff,
  minimumDistanceKm,
} from '../../src/rules/geo.js';

describe('distances', () => {
  const alexanderplatz = { lat: 52.521918, lng: 13.413215 };
  const zoo = { lat: 52.507222, lng: 13.332778 };

  it('[M-5] are great-circle kilometres on a sphere of 6371.0088 km', () => {
    expect(greatCircleKm({ lat: 0, lng: 0 }, { lat: 0, lng: 90 })).toBeCloseTo((Math.PI * 6371.0088) / 2, 6);
    expect(greatCircleKm({ lat: 90, lng: 0 }, { lat: -90, lng: 77 })).toBeCloseTo(Math.PI * 6371.0088, 6);
    expect(greatCircleKm(alexanderplatz, zoo)).toBeCloseTo(5.685, 2);
    expect(greatCircleKm(zoo, alexanderplatz)).toBe(greatCircleKm(alexanderplatz, zoo));
  });

  it('[M-5] see across the antimeridian and the poles', () => {
    expect(isWithinHandoff({ lat: 0, lng: 179.995 }, { lat: 0, lng: -179.995 })).toBe(true);
    expect(isWithinHandoff({ lat: 89.995, lng: 10 }, { lat: 89.995, lng: -170 })).toBe(true);
  });

  it('[M-5] allow a handoff within 2 km', () => {
    const kmOfLatitude = (km: number) => ({ lat: (km / 6371.0088) * (180 / Math.PI), lng: 0 });
    expect(isWithinHandoff({ lat: 0, lng: 0 }, kmOfLatitude(1.999))).toBe(true);
    expect(isWithinHandoff({ lat: 0, lng: 0 }, kmOfLatitude(2.001))).toBe(false);
  });

  it.each([
    [0, 0],
    [0.24, 0],
    [0.25, 1],
    [5.685, 11],
    [30, 60],
  ])('[M-6] take %s km as %s minutes', (km, minutes) => {
    expect(estimatedDurationMin(km)).toBe(minutes);
  });

  it('[M-7] must be at least 90 % of the great circle', () => {
    expect(minimumDistanceKm(alexanderplatz, zoo)).toBeCloseTo(0.9 * greatCircleKm(alexanderplatz, zoo), 9);
  });

  it('[M-5] know which coordinates exist', () => {
    expect(isCoordinate({ lat: -90, lng: 180 })).toBe(true);
    for (const place of [
      { lat: 90.1, lng: 0 },
      { lat: 0, lng: -180.5 },
      { lat: Number.NaN, lng: 0 },
    ]) {
      expect(isCoordinate(place)).toBe(false);
    }
  });
});
