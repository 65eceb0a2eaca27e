import { createUuid } from '@legwork/protocol/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runs } from '../../../src/operations/index.js';
import { withTestDatabase } from '../../support/database.js';
import { migrateAt } from '../../support/service.js';
import { startService, type TestService } from '../../http/service.js';
import { insertPackages, newWallet, packageRow } from '../../support/packageRows.js';

const database = withTestDatabase(migrateAt, 'service');
let service: TestService;

const berlin = { origin_lat: 52.52, origin_lng: 13.405 };
/** 24.9 km and 25.1 km north of it: a degree of latitude is 111.195 km. */
const inside = { origin_lat: 52.52 + 24.9 / 111.195, origin_lng: 13.405 };
const outside = { origin_lat: 52.52 + 25.1 / 111.195, origin_lng: 13.405 };
const rows = [
  packageRow(berlin),
  packageRow(outside),
  packageRow({ ...inside, status: 'in_transit' }),
  packageRow({ ...berlin, status: 'draft', list_signature: null, listed_at: null }),
  packageRow(inside),
  packageRow({ origin_lat: -33.9, origin_lng: 151.2 }),
];
const [here, far, moving, draft, near, sydney] = rows.map(({ id }) => id);

beforeAll(async () => {
  service = await startService(database.connectionString, { listPackages: runs.listPackages });
  await insertPackages(service.context.db, rows);
});
afterAll(() => service.close());

async function get(query: string): Promise<{ ids: string[]; status: number; body: unknown; next: string | undefined }> {
  const response = await fetch(`${service.url}/packages?${query}`);
  const body: unknown = await response.json();
  return {
    status: response.status,
    body,
    ids: Array.isArray(body) ? (body as { id: string }[]).map(({ id }) => id) : [],
    next: /cursor=([^&>]+)/.exec(response.headers.get('link') ?? '')?.[1],
  };
}

describe('listPackages', () => {
  test('near shows what starts within 25 km, or within the radius given, newest first, and no draft (S-21, S-93)', async () => {
    expect((await get('near=52.52,13.405')).ids).toEqual([near, moving, here]);
    expect((await get('near=52.52,13.405&radiusKm=25.2')).ids).toEqual([near, moving, far, here]);
    expect((await get('near=52.52,13.405&radiusKm=0.5')).ids).toEqual([here]);
    expect((await get('near=52.52,13.405&status=listed')).ids).toEqual([near, here]);
    expect((await get('near=-33.9,151.2')).ids).toEqual([sydney]);
    expect((await get('near=0,0')).ids).toEqual([]);
    expect((await get('near=0,0&radiusKm=20040')).ids).toEqual([sydney, near, moving, far, here]);
    expect(rows.map(({ id }) => id)).toContain(draft);
  });

  test('(S-20) near comes in pages of the same order', async () => {
    const first = await get('near=52.52,13.405&radiusKm=30&limit=2');
    expect(first.ids).toEqual([near, moving]);
    const second = await get(`near=52.52,13.405&radiusKm=30&limit=2&cursor=${first.next}`);
    expect(second).toMatchObject({ ids: [far, here], next: undefined });
  });

  test('(S-3) a place or radius that is none is refused by its name', async () => {
    for (const [query, field] of [
      ['near=52.52', 'near'],
      ['near=91,0', 'near'],
      ['near=0,181', 'near'],
      ['near=north', 'near'],
      ['near=0,0&radiusKm=0', 'radiusKm'],
      ['near=0,0&radiusKm=20041', 'radiusKm'],
      ['near=0,0&radiusKm=1e3', 'radiusKm'],
      ['radiusKm=5', 'radiusKm'],
    ]) {
      const { status, body } = await get(query ?? '');
      expect([query, status, body]).toEqual([
        query,
        400,
        expect.objectContaining({ errors: [expect.objectContaining({ field })] }),
      ]);
    }
  });

  test('tells tools how many items all pages have', async () => {
    const total = async (input: Partial<Parameters<typeof runs.listPackages>[1]>) => {
      const caller = { pubkey: undefined, ip: '127.0.0.1' };
      const outcome = await runs.listPackages(service.context, { limit: 1, ...input }, caller);
      return outcome.total?.();
    };
    expect(await total({})).toBe(5);
    expect(await total({ status: 'listed' })).toBe(4);
    expect(await total({ near: '52.52,13.405' })).toBe(3);
    expect(await total({ shipper: await newWallet() })).toBe(0);
    const cursor = Buffer.from(JSON.stringify([near])).toString('base64url');
    expect(await total({ status: 'listed', cursor })).toBe(4);
  });

  test('(S-20) what this list never gave as a cursor is refused by its name', async () => {
    const id = createUuid();
    for (const text of [id, JSON.stringify([id, id]), JSON.stringify(['parcel']), JSON.stringify([7]), '[', '']) {
      const { status, body } = await get(`cursor=${Buffer.from(text).toString('base64url')}`);
      expect([text, status, body]).toEqual([
        text,
        400,
        expect.objectContaining({ errors: [expect.objectContaining({ field: 'cursor' })] }),
      ]);
    }
  });
});
