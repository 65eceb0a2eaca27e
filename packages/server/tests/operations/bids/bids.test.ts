import { LegworkApiError } from '@legwork/sdk';
import { expect, describe, test } from 'vitest';
import { bidInput, draft, untilPackage } from '../../support/market.js';
import { attempt, post, postSigned, refusedWith } from '../../support/refusal.js';
import { withService } from '../../support/service.js';
import { untilQuiet } from '../../support/snapshot.js';
import { bidUnsigned, gatheringPackage, multiplyBid, shiftedBid } from './scene.js';
import { listPackage } from '../../support/listed.js';

const service = withService();
/** Takes unsigned calls in the name of keys that have signed. */
const open = withService({ settings: () => ({ UNSIGNED_CALLS: 'all' }) });

describe('unsigned bids', () => {
  test('do not replace a signed one for the same places, which stays live (M-38)', async () => {
    const parcel = await gatheringPackage(open.current);
    const courier = await open.current.party(1);
    const signed = await courier.client.submitBid(bidInput(courier, parcel.id, 'zoo', 'ostkreuz', 0.2));
    const { isError, said } = await bidUnsigned(open.current, bidInput(courier, parcel.id, 'zoo', 'ostkreuz', 0.01));
    expect(isError).toBe(true);
    expect(said).toMatchObject({ code: 'signed_before' });
    const rows = await open.current.db
      .selectFrom('bids')
      .select(['id', 'ended_at', 'signed'])
      .where('package_id', '=', parcel.id)
      .execute();
    expect(rows).toEqual([{ id: signed.id, ended_at: null, signed: true }]);
  });

  test('are replaced by a signed one, and by each other (M-38)', async () => {
    const parcel = await gatheringPackage(open.current);
    const courier = await open.current.party(1);
    for (const costSol of [0.3, 0.2]) {
      const { isError } = await bidUnsigned(open.current, bidInput(courier, parcel.id, 'zoo', 'ostkreuz', costSol));
      expect(isError).toBe(false);
    }
    await courier.client.submitBid(bidInput(courier, parcel.id, 'zoo', 'ostkreuz', 0.1));
    const rows = await open.current.db
      .selectFrom('bids')
      .select(['ended_because', 'signed'])
      .where('package_id', '=', parcel.id)
      .orderBy('id')
      .execute();
    expect(rows).toEqual([
      { ended_because: 'replaced', signed: false },
      { ended_because: 'replaced', signed: false },
      { ended_because: null, signed: true },
    ]);
  });

  test('may take the places of a signed one that has expired (M-38)', async () => {
    const parcel = await gatheringPackage(open.current);
    const courier = await open.current.party(1);
    const { id } = await courier.client.submitBid(bidInput(courier, parcel.id, 'zoo', 'ostkreuz', 0.2));
    await open.current.db
      .updateTable('bids')
      .set({ expires_at: new Date(Date.now() - 1000) })
      .where('id', '=', id)
      .execute();
    const { isError } = await bidUnsigned(open.current, bidInput(courier, parcel.id, 'zoo', 'ostkreuz', 0.3));
    expect(isError).toBe(false);
  });
});

test('amounts that floats have blurred are taken for the lamports they mean (M-2)', async () => {
  const shipper = await service.current.party();
  const parcel = await listPackage(shipper.client, shipper.signer, draft({ maxBudgetSol: 0.1 + 0.2 }));
  expect(parcel.maxBudgetLamports).toBe(300_000_000n);
  const courier = await service.current.party(1);
  const blurred = bidInput(courier, parcel.id, 'zoo', 'ostkreuz', 0.028999999999999998);
  expect(await courier.client.submitBid(blurred)).toMatchObject({ costSol: 0.029, costLamports: 29_000_000n });
});

describe('an agent has at most 100 live bids on a package', () => {
  test('the next one is refused, a replacement is not, and an ended bid gives room (M-37)', async () => {
    const parcel = await gatheringPackage(service.current);
    const courier = await service.current.party(1);
    const { id } = await courier.client.submitBid(shiftedBid(courier, parcel.id, 0));
    await multiplyBid(service.current, id, 98);
    await courier.client.submitBid(shiftedBid(courier, parcel.id, 99));
    await untilQuiet(service.current);
    const answer = await attempt(service.current, [courier.pubkey], () =>
      postSigned(service.current, courier, '/bids', shiftedBid(courier, parcel.id, 100)),
    );
    expect(answer).toEqual(
      refusedWith({ status: 422, code: 'too_many_bids', fields: ['packageId'], says: /100 live bids/ }),
    );
    const replaced = await courier.client.submitBid(shiftedBid(courier, parcel.id, 99, 0.05));
    await service.current.db
      .updateTable('bids')
      .set({ expires_at: new Date(Date.now() - 1000) })
      .where('id', '=', replaced.id)
      .execute();
    await courier.client.submitBid(shiftedBid(courier, parcel.id, 100));
  });

  test('signed ones are counted without those that anybody made in its name (M-37)', async () => {
    const parcel = await gatheringPackage(service.current);
    const courier = await service.current.party(1);
    const first = await bidUnsigned(service.current, shiftedBid(courier, parcel.id, 0));
    await multiplyBid(service.current, String(first.said.id), 98);
    expect((await bidUnsigned(service.current, shiftedBid(courier, parcel.id, 99))).isError).toBe(false);
    const { said } = await bidUnsigned(service.current, shiftedBid(courier, parcel.id, 100));
    expect(said).toMatchObject({ code: 'too_many_bids' });
    await courier.client.submitBid(shiftedBid(courier, parcel.id, 101));
  });
});

describe('a package that gathers bids', () => {
  test('is listed with its window and forms nothing while that is open (M-35)', async () => {
    const parcel = await gatheringPackage(service.current, 7200);
    expect(parcel.biddingWindowSec).toBe(7200);
    expect((parcel.biddingClosesAt?.getTime() ?? 0) - parcel.listedAt.getTime()).toBe(7_200_000);
    const courier = await service.current.party(1);
    await courier.client.submitBid(bidInput(courier, parcel.id, 'zoo', 'ostkreuz', 0.1));
    const row = await service.current.db
      .selectFrom('packages')
      .select(['evaluate_at', 'bidding_closes_at'])
      .where('id', '=', parcel.id)
      .executeTakeFirstOrThrow();
    expect(row.evaluate_at).toEqual(row.bidding_closes_at);
  });

  test('keeps bids without a time 10 minutes beyond the window (M-36)', async () => {
    const parcel = await gatheringPackage(service.current, 7200);
    const courier = await service.current.party(1);
    const bid = await courier.client.submitBid(bidInput(courier, parcel.id, 'zoo', 'ostkreuz', 0.1));
    expect(bid.expiresAt.getTime()).toBe((parcel.biddingClosesAt?.getTime() ?? 0) + 600_000);
  });

  test('refuses a bid that ends before the window does and names the least that would do (M-36)', async () => {
    const parcel = await gatheringPackage(service.current, 7200);
    const courier = await service.current.party(1);
    const input = bidInput(courier, parcel.id, 'zoo', 'ostkreuz', 0.1);
    await untilQuiet(service.current);
    const answer = await attempt(service.current, [courier.pubkey], () =>
      postSigned(service.current, courier, '/bids', { ...input, expiresInSec: 600 }),
    );
    expect(answer).toEqual(
      refusedWith({ status: 400, code: 'invalid_input', fields: ['expiresInSec'], says: /give at least \d+/ }),
    );
    const least = Number(/give at least (\d+)/.exec(String(answer.detail))?.[1]);
    expect(least).toBeGreaterThan(7100);
    await courier.client.submitBid({ ...input, expiresInSec: least });
  });

  test('is refused when its deadline comes before the window ends (M-35)', async () => {
    const shipper = await service.current.party();
    await untilQuiet(service.current);
    const answer = await attempt(service.current, [shipper.pubkey], () =>
      post(service.current, '/packages/build-tx', {
        ...draft({ biddingWindowSec: 7200, deadline: new Date(Date.now() + 3_600_000).toISOString() }),
        shipperPubkey: shipper.pubkey,
      }),
    );
    expect(answer).toEqual(
      refusedWith({ status: 400, code: 'invalid_input', fields: ['deadline'], says: /ends at \d{4}-\d\d-\d\dT/ }),
    );
  });

  test('without a window a bid is evaluated at once (M-35)', async () => {
    const parcel = await gatheringPackage(service.current, 0);
    expect(parcel.biddingClosesAt).toBeNull();
    const courier = await service.current.party(1);
    await courier.client.submitBid(bidInput(courier, parcel.id, 'zoo', 'ostkreuz', 0.1));
    await untilPackage(service.current, parcel.id, ({ status }) => status === 'in_transit');
    await expect(courier.client.submitBid(bidInput(courier, parcel.id, 'zoo', 'ostkreuz', 0.1))).rejects.toThrow(
      LegworkApiError,
    );
  });
});
