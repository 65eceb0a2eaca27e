import { describe, expect, test } from 'vitest';
import { bidInput, formedPackage } from '../../support/market.js';
import { attempt, refusedWith } from '../../support/refusal.js';
import { withService } from '../../support/service.js';
import { untilQuiet } from '../../support/snapshot.js';
import { bidUnsigned, gatheringPackage, sendSigned } from './scene.js';

const service = withService();

const withdrawals = (packageId: string) =>
  service.current.db
    .selectFrom('events')
    .select('payload')
    .where('type', '=', 'BID_WITHDRAWN')
    .where('subject', '=', `package:${packageId}`)
    .execute();

describe('withdrawing a bid', () => {
  test('takes it out of the running, is announced once, and may be repeated (M-39)', async () => {
    const parcel = await gatheringPackage(service.current);
    const courier = await service.current.party(1);
    const { id } = await courier.client.submitBid(bidInput(courier, parcel.id, 'zoo', 'ostkreuz', 0.1));
    for (let times = 0; times < 2; times += 1) {
      const response = await sendSigned(service.current, courier, 'DELETE', `/bids/${id}`);
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ id, status: 'withdrawn', costSol: 0.1 });
    }
    expect((await withdrawals(parcel.id)).map(({ payload }) => payload)).toEqual([
      { packageId: parcel.id, bidId: id, agentPubkey: courier.pubkey },
    ]);
    const row = await service.current.db
      .selectFrom('packages')
      .select(['evaluate_at', 'bids_version'])
      .where('id', '=', parcel.id)
      .executeTakeFirstOrThrow();
    // One bid made, one withdrawn; nothing is left to evaluate.
    expect(row).toEqual({ evaluate_at: null, bids_version: 2n });
  });

  test('leaves the evaluation of the other bids due (M-39)', async () => {
    const parcel = await gatheringPackage(service.current);
    const [first, second] = [await service.current.party(1), await service.current.party(1)];
    const { id } = await first.client.submitBid(bidInput(first, parcel.id, 'zoo', 'ostkreuz', 0.1));
    await second.client.submitBid(bidInput(second, parcel.id, 'zoo', 'ostkreuz', 0.2));
    await sendSigned(service.current, first, 'DELETE', `/bids/${id}`);
    const row = await service.current.db
      .selectFrom('packages')
      .select('evaluate_at')
      .where('id', '=', parcel.id)
      .executeTakeFirstOrThrow();
    expect(row.evaluate_at).toEqual(parcel.biddingClosesAt);
  });

  test('removes what somebody bid in its name without a signature (M-39)', async () => {
    const parcel = await gatheringPackage(service.current);
    const courier = await service.current.party(1);
    const { said } = await bidUnsigned(service.current, bidInput(courier, parcel.id, 'zoo', 'ostkreuz', 0.1));
    const response = await sendSigned(service.current, courier, 'DELETE', `/bids/${String(said.id)}`);
    expect(await response.json()).toMatchObject({ status: 'withdrawn', signed: false });
  });

  test("of another agent's is refused (M-39)", async () => {
    const parcel = await gatheringPackage(service.current);
    const [courier, stranger] = [await service.current.party(1), await service.current.party(1)];
    const { id } = await courier.client.submitBid(bidInput(courier, parcel.id, 'zoo', 'ostkreuz', 0.1));
    await untilQuiet(service.current);
    const answer = await attempt(service.current, [], () =>
      sendSigned(service.current, stranger, 'DELETE', `/bids/${id}`),
    );
    expect(answer).toEqual(
      refusedWith({ status: 403, code: 'pubkey_mismatch', fields: ['bidId'], says: new RegExp(courier.pubkey) }),
    );
  });

  test('is refused once a leg was made of it (M-39)', async () => {
    const { parcel, couriers } = await formedPackage(service.current, [['zoo', 'ostkreuz', 0.1]]);
    const [courier] = couriers;
    if (!courier) throw new Error('nobody carries the package');
    const bid = await service.current.db
      .selectFrom('bids')
      .select('id')
      .where('package_id', '=', parcel.id)
      .executeTakeFirstOrThrow();
    await untilQuiet(service.current);
    const answer = await attempt(service.current, [], () =>
      sendSigned(service.current, courier, 'DELETE', `/bids/${bid.id}`),
    );
    expect(answer).toEqual(
      refusedWith({ status: 409, code: 'invalid_status', fields: ['bidId'], says: /until it is chosen/ }),
    );
  });

  test('of one that is not there is refused', async () => {
    const courier = await service.current.party(0);
    await untilQuiet(service.current);
    const answer = await attempt(service.current, [], () =>
      sendSigned(service.current, courier, 'DELETE', '/bids/0198c5f0-7a10-7c3e-9a55-3f1c0e9d2b11'),
    );
    expect(answer).toEqual(refusedWith({ status: 404, code: 'not_found', fields: ['bidId'] }));
  });
});
