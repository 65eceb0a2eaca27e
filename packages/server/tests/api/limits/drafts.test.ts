import { expect, test } from 'vitest';
import { goal } from '../../operations/digitalTasks/scene.js';
import { post } from '../../mcp/toolCalls.js';
import { draft } from '../../support/market.js';
import { type Party, withService } from '../../support/service.js';

// The limit that nobody configured; a proxy says where requests come from.
const service = withService({ settings: () => ({ LIMIT_DRAFTS: '', TRUST_PROXY: '127.0.0.1' }) });
const LIMIT = 120;

/** Drafts so many listings, packages and tasks by turns, and answers the statuses. */
async function draftMany(from: string, shipper: Party, count: number): Promise<number[]> {
  const { url } = service.current.server;
  const send = async (index: number): Promise<number> => {
    const [path, fields] = index % 2 === 0 ? ['/packages/build-tx', draft()] : ['/digital-tasks/build-tx', goal()];
    const body = { ...fields, shipperPubkey: shipper.pubkey };
    return (await post(url, body, { 'x-forwarded-for': from }, path)).status;
  };
  const statuses: number[] = [];
  for (let index = 0; index < count; index += 1) statuses.push(await send(index));
  return statuses;
}

const rowsOf = async (table: 'packages' | 'digital_tasks', { pubkey }: Party): Promise<number> =>
  (await service.current.db.selectFrom(table).select('id').where('shipper_pubkey', '=', pubkey).execute()).length;

test('are 120 an hour from one address, of packages and tasks together, unless configured (S-75)', async () => {
  const shipper = await service.current.party(0);
  const statuses = await draftMany('192.0.2.1', shipper, LIMIT + 4);
  expect(statuses).toEqual([...Array.from({ length: LIMIT }, () => 201), 429, 429, 429, 429]);
  expect([await rowsOf('packages', shipper), await rowsOf('digital_tasks', shipper)]).toEqual([LIMIT / 2, LIMIT / 2]);
  expect(await draftMany('192.0.2.2', shipper, 2)).toEqual([201, 201]);
});

test('that are wrong use up nothing, and past the limit the answer says when to come back (S-75)', async () => {
  const shipper = await service.current.party(0);
  const { url } = service.current.server;
  const headers = { 'x-forwarded-for': '192.0.2.3' };
  const wrong = { ...draft(), shipperPubkey: service.current.server.programId };
  for (let sent = 0; sent < 3; sent += 1) {
    expect((await post(url, wrong, headers, '/packages/build-tx')).status).toBe(400);
  }
  await draftMany('192.0.2.3', shipper, LIMIT);
  const over = await post(url, { ...draft(), shipperPubkey: shipper.pubkey }, headers, '/packages/build-tx');
  const { detail } = (await over.json()) as { detail: string };
  expect([over.status, over.headers.get('ratelimit-limit'), over.headers.has('retry-after')]).toEqual([
    429,
    '120',
    true,
  ]);
  expect(detail).toMatch(/^120 drafts an hour from one address are taken here; try again in \d+ s\.$/);
});
