import { type Coordinate, greatCircleKm } from '@legwork/protocol/rules';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect, type Db } from '../../../src/db/connect.js';
import { boxAround } from '../../../src/db/near.js';
import { countPackages, pageOfPackages } from '../../../src/packages/packageRows.js';
import { withTestDatabase } from '../../support/database.js';
import { migrateAt } from '../../support/service.js';
import { insertPackages, packageRow } from '../../support/packageRows.js';
import { theFirst } from '../../support/theFirst.js';

const database = withTestDatabase(migrateAt, 'service');

/** Where longitudes and latitudes are awkward, and anywhere. */
const lat = fc.oneof(
  fc.double({ min: -90, max: 90, noNaN: true }),
  fc.double({ min: 89.9, max: 90, noNaN: true }),
  fc.double({ min: -90, max: -89.9, noNaN: true }),
  fc.double({ min: 52.4, max: 52.6, noNaN: true }),
  fc.constantFrom(-90, 0, 5e-324, 90),
);
const lng = fc.oneof(
  fc.double({ min: -180, max: 180, noNaN: true }),
  fc.double({ min: 179.9, max: 180, noNaN: true }),
  fc.double({ min: -180, max: -179.9, noNaN: true }),
  fc.double({ min: 13.2, max: 13.5, noNaN: true }),
  fc.constantFrom(-180, 0, 5e-324, 180),
);
const place: fc.Arbitrary<Coordinate> = fc.record({ lat, lng });
const radiusKm = fc.oneof(
  fc.double({ min: 0.001, max: 30, noNaN: true }),
  fc.double({ min: 30, max: 20_040, noNaN: true }),
);

/** PostgreSQL and V8 may round the last bits differently. */
const ROUNDING_KM = 1e-6;

describe('near', () => {
  let db: Db;
  const origins = fc.sample(place, { numRuns: 3_000, seed: 7 });
  const idOf = new Map<string, Coordinate>();

  beforeAll(async () => {
    db = connect(database.connectionString, 2, () => undefined);
    const rows = origins.map((origin) => packageRow({ origin_lat: origin.lat, origin_lng: origin.lng }));
    rows.forEach((row, index) => idOf.set(row.id, origins[index] ?? { lat: 0, lng: 0 }));
    await insertPackages(db, rows);
  });
  afterAll(() => db.destroy());

  test('(S-21, M-5) shows exactly what lies within the radius by great circle, at the poles and across the antimeridian too', async () => {
    await fc.assert(
      fc.asyncProperty(place, radiusKm, async (center, radius) => {
        const filter = { status: undefined, shipper: undefined, near: { center, radiusKm: radius } };
        const rows = await pageOfPackages(db, filter, { before: undefined, limit: origins.length });
        const shown = new Set(rows.map((row) => row.id));
        const wrong = [...idOf].filter(([id, origin]) => {
          const distance = greatCircleKm(center, origin);
          return Math.abs(distance - radius) > ROUNDING_KM && shown.has(id) !== distance < radius;
        });
        expect(wrong).toEqual([]);
        expect(await countPackages(db, filter)).toBe(shown.size);
      }),
      { numRuns: 60, seed: 11 },
    );
  }, 60_000);

  test('two names of one meridian, and every longitude at a pole, are the same place', async () => {
    const far = packageRow({ origin_lat: -17, origin_lng: 180 });
    const pole = packageRow({ origin_lat: 90, origin_lng: -42 });
    await insertPackages(db, [far, pole]);
    const idsNear = async (center: Coordinate) => {
      const filter = { status: undefined, shipper: undefined, near: { center, radiusKm: 1 } };
      const rows = await pageOfPackages(db, filter, { before: undefined, limit: origins.length });
      return rows.map((row) => row.id);
    };
    expect(await idsNear({ lat: -17, lng: -180 })).toContain(far.id);
    expect(await idsNear({ lat: 90, lng: 137 })).toContain(pole.id);
  });
});

test('the box of a circle is not much wider than the circle, so that an index can use it', () => {
  const { lat: lats, lng: lngs } = boxAround({ center: { lat: 52.5, lng: 13.4 }, radiusKm: 25 });
  expect(lats[1] - lats[0]).toBeCloseTo(50 / 111.195, 3);
  expect(lngs).toHaveLength(1);
  const [west, east] = theFirst(lngs);
  expect(east - west).toBeCloseTo(50 / (111.195 * Math.cos((52.5 * Math.PI) / 180)), 2);
});
