import { createUuid } from '@legwork/protocol/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runs } from '../../src/operations/index.js';
import { withTestDatabase } from '../support/database.js';
import { listPackage } from './marketRows.js';
import { migrateDatabase, startService, type TestService } from './service.js';

const database = withTestDatabase(migrateDatabase);
let service: TestService;

beforeAll(async () => {
  service = await startService(database.connectionString, { listPackages: runs.listPackages });
});
afterAll(() => service.close());

/** Reads a list to its end, page by page, the way the Link header says. */
async function readAll(start: string): Promise<string[][]> {
  const pages: string[][] = [];
  for (let url: string | undefined = start; url !== undefined; ) {
    const response: Response = await fetch(url);
    expect(response.status).toBe(200);
    const items = (await response.json()) as { id: string }[];
    pages.push(items.map(({ id }) => id));
    const next: string | undefined = /^<(.+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1];
    url = next === undefined ? undefined : new URL(next, response.url).href;
  }
  return pages;
}

test('[S-20] following the links reads every entry once, though new ones arrive meanwhile', async () => {
  const { db } = service.context;
  const ids = Array.from({ length: 7 }, () => createUuid());
  for (const id of ids) await listPackage(db, id);
  const newestFirst = ids.toReversed();
  expect(await readAll(`${service.url}/packages?limit=3&status=listed`)).toEqual([
    newestFirst.slice(0, 3),
    newestFirst.slice(3, 6),
    newestFirst.slice(6),
  ]);

  const first = await fetch(`${service.url}/packages?limit=3`);
  await first.arrayBuffer();
  await listPackage(db, createUuid());
  const next = /^<(.+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
  const rest = await readAll(new URL(next, first.url).href);
  expect(rest.flat()).toEqual(newestFirst.slice(3));
});

test('[S-20] a cursor that no answer gave is refused', async () => {
  const response = await fetch(`${service.url}/packages?cursor=nonsense`);
  expect([response.status, await response.json()]).toEqual([400, expect.objectContaining({ code: 'invalid_input' })]);
});
