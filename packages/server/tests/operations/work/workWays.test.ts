import { greatCircleKm } from '@legwork/protocol/rules';
import fc from 'fast-check';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { CITIES, fillWork, wordAt } from '../../../../../bench/workRows.mjs';
import type { AppContext } from '../../../src/context.js';
import { findWork } from '../../../src/work/find.js';
import { marksOf } from '../../../src/work/words.js';
import { testContext } from '../../http/service.js';
import { withTestDatabase } from '../../support/database.js';
import { migrateAt } from '../../support/service.js';

const ROWS = 20_000;
const PAGES = 3;

const database = withTestDatabase(migrateAt, 'service');
let context: AppContext;
let all: { id: string; kind: string; pay: string; lat: number | null; lng: number | null; marks: string[] }[];

beforeAll(async () => {
  context = await testContext(database.connectionString);
  const marks = async (word: string) => (await marksOf(context, [word], new Date())).marks;
  const name = new URL(database.connectionString.replace('@/', '@socket/')).pathname.slice(1);
  const client = new Client({ ...inject('postgres'), user: 'relay', database: name, ssl: false });
  await client.connect();
  try {
    await fillWork(client, ROWS, marks, () => undefined);
    // In the order of the search, without an index that could lead astray.
    await client.query('set enable_indexscan = off; set enable_bitmapscan = off; set enable_indexonlyscan = off');
    const { rows } = await client.query<(typeof all)[number]>(
      'select id, kind, pay, lat, lng, marks from work where is_open order by listing_id desc, id desc',
    );
    all = rows;
  } finally {
    await client.end();
  }
});
afterAll(() => context.db.destroy());

const city = fc.integer({ min: 0, max: CITIES.length - 1 }).map((index) => CITIES[index] ?? { lat: 0, lng: 0 });
const place = fc.oneof(
  city,
  fc.record({ lat: fc.integer({ min: -90, max: 90 }), lng: fc.integer({ min: -180, max: 180 }) }),
);
const asked = fc.record(
  {
    kind: fc.constantFrom('package' as const, 'leg' as const),
    near: place.map(({ lat, lng }) => ({ lat: Number(lat.toFixed(2)), lng: Number(lng.toFixed(2)) })),
    radiusKm: fc.constantFrom(1, 12, 25, 400, 3_000, 9_000, 20_000),
    words: fc.array(fc.constantFrom(0, 0.001, 0.01, 0.02, 0.2, 0.6), { minLength: 1, maxLength: 2 }),
    minPaySol: fc.constantFrom(0.02, 0.3, 0.54),
  },
  { requiredKeys: ['radiusKm'] },
);

test('whichever way a search goes, it finds what a look at every row finds, in order, page by page (M-84, M-85)', async () => {
  await fc.assert(
    fc.asyncProperty(
      asked,
      fc.constantFrom(1, 50, 200),
      async ({ near, words = [], radiusKm, kind, minPaySol }, limit) => {
        const marks = await Promise.all(
          words.map(async (share) => new Set((await marksOf(context, [wordAt(share)], new Date())).marks)),
        );
        const expected = all.filter(
          (row) =>
            (kind === undefined || row.kind === kind) &&
            marks.every((one) => row.marks.some((mark) => one.has(mark))) &&
            (minPaySol === undefined || Number(row.pay) >= minPaySol * 1e9) &&
            (near === undefined ||
              (row.lat !== null &&
                row.lng !== null &&
                greatCircleKm(near, { lat: row.lat, lng: row.lng }) <= radiusKm)),
        );
        const input = {
          limit,
          ...(kind && { kind }),
          ...(minPaySol && { minPaySol }),
          ...(near && { near: `${near.lat},${near.lng}`, radiusKm }),
          ...(words.length > 0 && { q: words.map(wordAt).join(' ') }),
        };
        const ids: string[] = [];
        let cursor: string | undefined;
        for (let page = 0; page < PAGES && (page === 0 || cursor !== undefined); page += 1) {
          const { answer, nextCursor } = await findWork(context, { ...input, ...(cursor && { cursor }) });
          ids.push(...answer.map(({ legId, packageId }) => legId ?? packageId ?? ''));
          cursor = nextCursor;
        }
        expect(ids).toEqual(expected.slice(0, PAGES * limit).map(({ id }) => id));
        expect(cursor === undefined).toBe(expected.length <= PAGES * limit);
      },
    ),
    { numRuns: 400, seed: 5 },
  );
});
