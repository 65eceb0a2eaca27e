import { type Coordinate, greatCircleKm } from '@legwork/protocol/rules';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import { sealedPackage } from '../../../src/packages/packageRows.js';
import { findWork } from '../../../src/work/find.js';
import { testContext } from '../../http/service.js';
import { withTestDatabase } from '../../support/database.js';
import { insertPackages, packageRow } from '../../support/packageRows.js';
import { migrateAt } from '../../support/service.js';

const database = withTestDatabase(migrateAt, 'service');
let context: AppContext;

/** Where longitudes and latitudes are awkward, and anywhere. */
const lat = fc.oneof(
  fc.double({ min: -90, max: 90, noNaN: true }),
  fc.double({ min: 89.9, max: 90, noNaN: true }),
  fc.double({ min: 52.4, max: 52.6, noNaN: true }),
  fc.constantFrom(-90, 0, 90),
);
const lng = fc.oneof(
  fc.double({ min: -180, max: 180, noNaN: true }),
  fc.double({ min: 179.9, max: 180, noNaN: true }),
  fc.double({ min: -180, max: -179.9, noNaN: true }),
  fc.double({ min: 13.2, max: 13.5, noNaN: true }),
  fc.constantFrom(-180, 0, 180),
);
const place = fc.record({ lat, lng });
const radiusKm = fc.oneof(
  fc.double({ min: 0.1, max: 30, noNaN: true }),
  fc.double({ min: 30, max: 20_040, noNaN: true }),
);
/** PostgreSQL and V8 may round the last bits differently. */
const ROUNDING_KM = 1e-6;

const origins = fc.sample(place, { numRuns: 800, seed: 7 });
const places = new Map<string, Coordinate>();

beforeAll(async () => {
  context = await testContext(database.connectionString);
  const deadline = new Date(Date.now() + 86_400_000);
  const rows = origins.map((origin) => {
    const described = {
      origin_lat: origin.lat,
      origin_lng: origin.lng,
      dest_lat: 0,
      dest_lng: 0,
      description: 'a row',
    };
    // As they are stored: lists know two decimals.
    const row = packageRow({ ...sealedPackage(described), deadline });
    places.set(row.id, origin);
    return row;
  });
  await insertPackages(context.db, rows);
});
afterAll(() => context.db.destroy());

/** Everything that the search finds, page by page. */
async function idsNear(center: Coordinate, radius: number): Promise<string[]> {
  const input = { near: `${center.lat},${center.lng}`, radiusKm: radius, limit: 200 };
  const ids: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const { answer, nextCursor } = await findWork(context, { ...input, ...(cursor && { cursor }) });
    ids.push(...answer.map(({ packageId }) => packageId ?? ''));
    if (nextCursor === undefined) return ids;
    cursor = nextCursor;
  }
}

test('near finds exactly what lies within the radius, at the poles and across the antimeridian too, once each (M-84, M-85)', async () => {
  await fc.assert(
    fc.asyncProperty(place, radiusKm, async (center, radius) => {
      const shown = await idsNear(center, radius);
      expect(shown).toHaveLength(new Set(shown).size);
      const wrong = [...places].filter(([id, origin]) => {
        const distance = greatCircleKm(center, origin);
        return Math.abs(distance - radius) > ROUNDING_KM && shown.includes(id) !== distance < radius;
      });
      expect(wrong).toEqual([]);
    }),
    { numRuns: 40, seed: 11 },
  );
});
