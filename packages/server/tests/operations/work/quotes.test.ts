import { createLegworkClient } from '@legwork/sdk';
import { describe, expect, test } from 'vitest';
import { bidInput, confirmAll, draft, formedPackage, untilPackage } from '../../support/market.js';
import { listPackage } from '../../support/listed.js';
import { withService } from '../../support/service.js';
import { claim, handIn, postedTask, untilTask } from '../digitalTasks/scene.js';

const service = withService();
const PLACES = { originLat: 52.5074, originLng: 13.3326, destLat: 52.5031, destLng: 13.4694 };

/** A stranger: another service on the same data, which has asked nothing yet. */
async function ask(input: object) {
  const replica = await service.current.replica();
  const answer = await fetch(`${replica.url}/quotes`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
  });
  const body = (await answer.json()) as Record<string, unknown> & { errors?: { field: string }[] };
  await replica.close();
  return { status: answer.status, body };
}

describe('a quote', () => {
  test('is unknown where nothing like it was settled, and says so (M-89)', async () => {
    const { status, body } = await ask({ ...PLACES, weightKg: 3 });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      kind: 'package',
      expectedLamports: null,
      lowLamports: null,
      highLamports: null,
      agents: 0,
      formsInSec: null,
      basis: { settled: 0, days: 90, words: expect.stringContaining('unknown') as string },
    });
    expect((await ask({ numLegs: 2 })).body).toMatchObject({ kind: 'task', expectedLamports: null, distanceKm: null });
  });

  test("is what the like would be paid at today's scores, with who serves it and what comes on top, by whom (M-89, M-90)", async () => {
    const market = await formedPackage(service.current, [['zoo', 'ostkreuz', 0.03]]);
    await confirmAll(service.current, market);
    await untilPackage(service.current, market.parcel.id, ({ status }) => status === 'delivered');
    const { body } = await ask({ ...PLACES, weightKg: 3, terms: 'plain' });
    expect(body).toMatchObject({
      agents: 1,
      formsInSec: expect.any(Number) as number,
      basis: { settled: 1, words: expect.stringContaining('within 25 km') as string },
    });
    // It was a newcomer's first leg. For the same bid it would have its whole bonus now (M-26).
    expect(Number(body['expectedLamports'])).toBe(30_000_000 + Math.floor((30_000_000 * 3 * 100) / 700));
    expect(body['onTop']).toMatchObject([
      { what: 'rent', payer: 'shipper', lamports: expect.any(Number) as number },
      { what: 'fee', payer: 'shipper', returnedLamports: 0 },
    ]);
    const [far, heavy] = [
      await ask({ ...PLACES, destLat: 48.1, destLng: 11.6 }),
      await ask({ ...PLACES, weightKg: 90 }),
    ];
    expect([far.body['expectedLamports'], heavy.body['expectedLamports']]).toEqual([null, null]);
    const shipper = await service.current.party();
    const open = await listPackage(shipper.client, shipper.signer, draft({ biddingWindowSec: 3600 }));
    const bidder = await service.current.party(1);
    await bidder.client.submitBid(bidInput(bidder, open.id, 'zoo', 'ostkreuz', 0.03));
    expect((await ask(PLACES)).body['agents']).toBe(2);
  });

  test('of a digital task is by its legs and what it requires (M-90)', async () => {
    const { task } = await postedTask(service.current, { legs: [{ instruction: 'all of it' }] });
    const worker = await service.current.party(1);
    await claim(worker, task, 0);
    await handIn(worker, task, 0);
    await untilTask(service.current, task.id, ({ status }) => status === 'completed');
    const { body } = await ask({ numLegs: 3 });
    expect(body).toMatchObject({
      expectedLamports: 3 * Number(task.maxBudgetLamports),
      agents: 1,
      basis: { settled: 1 },
    });
    await worker.client.registerAgent({ agentPubkey: worker.pubkey, capabilities: ['translate'] });
    const able = await ask({ numLegs: 3, capabilities: ['translate'] });
    expect(able.body).toMatchObject({ expectedLamports: null, agents: 1 });
  });

  test('with terms names the stake, of those asked for too (M-89)', async () => {
    const arbiterPubkey = (await service.current.party(0)).pubkey;
    const { body } = await ask({ ...PLACES, terms: { arbiterPubkey, stakeSol: 0.05 } });
    expect(body['onTop']).toMatchObject([{}, {}, { what: 'stake', payer: 'agent', lamports: 50_000_000 }]);
  });

  test('is asked for by anybody, and read from the database once a minute however often (M-91)', async () => {
    const client = createLegworkClient({ url: service.current.server.url });
    const before = await client.quote(PLACES);
    await service.current.db
      .updateTable('packages')
      .set({ erased_at: new Date() })
      .where('status', '=', 'delivered')
      .execute();
    expect((await client.quote(PLACES)).expectedLamports).toBe(before.expectedLamports);
    // Erased settlements are not among it.
    expect((await ask(PLACES)).body['expectedLamports']).toBe(null);
  });

  test.each([
    ['originLat', {}],
    ['destLng', { originLat: 1, originLng: 1, destLat: 1 }],
    ['originLat', { ...PLACES, originLat: 91 }],
    ['weightKg', { ...PLACES, weightKg: -1 }],
    ['capabilities', { ...PLACES, capabilities: ['x'] }],
    ['destLat', { numLegs: 1, destLat: 1 }],
    ['numLegs', { numLegs: 5 }],
    ['terms.arbiterPubkey', { ...PLACES, terms: 'standard' }],
  ])('refuses a wrong %s by its name (S-3)', async (field, input) => {
    const { status, body } = await ask(input);
    expect([status, body.errors?.map((error) => error.field)]).toEqual([400, expect.arrayContaining([field])]);
  });
});
