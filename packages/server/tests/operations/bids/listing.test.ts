import type { Problem } from '@legwork/protocol/contract';
import { describe, expect, test } from 'vitest';
import { bidInput, untilPackage } from '../../support/market.js';
import { type Party, withService } from '../../support/service.js';
import { closeWindow, gatheringPackage, sendSigned, shiftedBid } from './scene.js';

const service = withService();

interface ShownBid {
  id: string;
  agentPubkey: string;
  costSol: number | null;
  costLamports: number | null;
  reasoning: string | null;
  status: string;
}

async function shownTo(reader: Party | undefined, packageId: string): Promise<ShownBid[]> {
  const path = `/packages/${packageId}/bids`;
  const response = reader
    ? await sendSigned(service.current, reader, 'GET', path)
    : await fetch(`${service.current.server.url}${path}`);
  expect(response.status).toBe(200);
  return (await response.json()) as ShownBid[];
}

/** Two couriers that bid on the package for the whole way. */
async function twoBidders(packageId: string): Promise<[Party, Party]> {
  const [first, second] = [await service.current.party(1), await service.current.party(1)];
  for (const [index, courier] of [first, second].entries()) {
    const input = bidInput(courier, packageId, 'zoo', 'ostkreuz', 0.1 + index / 10);
    await courier.client.submitBid({ ...input, reasoning: 'I pass there anyway' });
  }
  return [first, second];
}

describe('the bids on a package', () => {
  test('show cost and reasons to their own agent only while the window is open (M-35)', async () => {
    const parcel = await gatheringPackage(service.current);
    const [first] = await twoBidders(parcel.id);
    const sealed = { costSol: null, costLamports: null, reasoning: null };
    expect(await shownTo(undefined, parcel.id)).toMatchObject([sealed, sealed]);
    const open = { costSol: 0.1, costLamports: 100_000_000, reasoning: 'I pass there anyway' };
    expect(await shownTo(first, parcel.id)).toMatchObject([sealed, { agentPubkey: first.pubkey, ...open }]);
    const events = await service.current.db
      .selectFrom('events')
      .select('payload')
      .where('type', '=', 'BID_STORED')
      .where('subject', '=', `package:${parcel.id}`)
      .execute();
    expect(events).toHaveLength(2);
    for (const { payload } of events) expect(payload).not.toHaveProperty('costLamports');
  });

  test('are open to all once the window has closed, and the best of all of them is chosen (M-35)', async () => {
    const parcel = await gatheringPackage(service.current);
    const [first] = await twoBidders(parcel.id);
    await closeWindow(service.current, parcel.id);
    const formed = await untilPackage(service.current, parcel.id, ({ status }) => status === 'in_transit');
    expect(formed.swarm?.legs.map((leg) => leg.agentPubkey)).toEqual([first.pubkey]);
    expect(await shownTo(undefined, parcel.id)).toMatchObject([
      { costSol: 0.2, status: 'live' },
      { costSol: 0.1, status: 'chosen' },
    ]);
  });

  test('say what became of each', async () => {
    const parcel = await gatheringPackage(service.current);
    const courier = await service.current.party(1);
    const ids: string[] = [];
    for (const shift of [0, 1, 2, 3, 3]) {
      ids.push((await courier.client.submitBid(shiftedBid(courier, parcel.id, shift))).id);
    }
    const past = new Date(Date.now() - 1000);
    await service.current.db
      .updateTable('bids')
      .set({ expires_at: past })
      .where('id', '=', ids[0] ?? '')
      .execute();
    await service.current.db
      .updateTable('bids')
      .set({ ended_at: past, ended_because: 'excluded' })
      .where('id', '=', ids[1] ?? '')
      .execute();
    await sendSigned(service.current, courier, 'DELETE', `/bids/${ids[2]}`);
    const shown = await shownTo(undefined, parcel.id);
    expect(shown.map(({ id, status }) => [ids.indexOf(id), status])).toEqual([
      [4, 'live'],
      [3, 'replaced'],
      [2, 'withdrawn'],
      [1, 'excluded'],
      [0, 'expired'],
    ]);
  });

  test('come in pages, newest first (S-20)', async () => {
    const parcel = await gatheringPackage(service.current);
    const courier = await service.current.party(1);
    const ids: string[] = [];
    for (let shift = 0; shift < 5; shift += 1) {
      ids.push((await courier.client.submitBid(shiftedBid(courier, parcel.id, shift))).id);
    }
    const seen: string[] = [];
    let path: string | undefined = `/packages/${parcel.id}/bids?limit=2`;
    for (let pages = 1; path !== undefined; pages += 1) {
      const response: Response = await fetch(new URL(path, service.current.server.url));
      seen.push(...((await response.json()) as ShownBid[]).map((bid) => bid.id));
      const link = /^<([^>]*)>/.exec(response.headers.get('link') ?? '')?.[1];
      path = link === undefined ? undefined : new URL(link, response.url).href;
      expect(pages).toBeLessThanOrEqual(3);
    }
    expect(seen).toEqual(ids.toReversed());
  });

  test('of a package that is not there, or with a cursor of nobody, are refused', async () => {
    const parcel = await gatheringPackage(service.current);
    const get = async (path: string) => {
      const response = await fetch(`${service.current.server.url}${path}`);
      return { status: response.status, problem: (await response.json()) as Problem };
    };
    expect(await get('/packages/0198c5f0-7a10-7c3e-9a55-3f1c0e9d2b11/bids')).toMatchObject({
      status: 404,
      problem: { code: 'not_found' },
    });
    expect(await get(`/packages/${parcel.id}/bids?cursor=abc`)).toMatchObject({
      status: 400,
      problem: { code: 'invalid_input', errors: [{ field: 'cursor' }] },
    });
  });
});
