import { listPackage } from '@legwork/sdk';
import { lamports } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { bidInput, confirmAll, draft, formedPackage, untilPackage } from '../support/market.js';
import { withMonotonicClock } from '../support/monotonicClock.js';
import { post } from '../support/refusal.js';
import { withService } from '../support/service.js';
import { untilQuiet } from '../support/snapshot.js';
import { coordinatorSigner, leaveCoordinatorWith, swarmsOf } from './scene.js';

const RESERVE_SOL = 10;
/** Longer than a reading of the balance is good for. */
const READING_MS = 3_500;
const clock = withMonotonicClock();
const lines: string[] = [];
const service = withService({
  settings: () => ({ COORDINATOR_RESERVE_SOL: String(RESERVE_SOL), LOG_LEVEL: 'info' }),
  logTo: { write: (line) => lines.push(line) },
});

const reserveLines = () => lines.filter((line) => line.includes('its reserve'));

describe('a coordinator below its reserve', () => {
  test('forms nothing and funds nothing, settles what has begun, and goes on when there is money again (M-45)', async () => {
    const begun = await formedPackage(service.current, [['zoo', 'ostkreuz', 0.1]]);
    const packages = await Promise.all(
      Array.from({ length: 3 }, async () => {
        const shipper = await service.current.party();
        return listPackage(shipper.client, shipper.signer, draft());
      }),
    );
    const courier = await service.current.party(1);
    await leaveCoordinatorWith(service.current, BigInt(RESERVE_SOL - 1) * 1_000_000_000n);
    clock.pass(READING_MS);
    for (const { id } of packages) await courier.client.submitBid(bidInput(courier, id, 'zoo', 'ostkreuz', 0.1));

    await confirmAll(service.current, begun);
    await untilPackage(service.current, begun.parcel.id, ({ status }) => status === 'delivered');
    const refused = await post(service.current, '/packages/sponsored', {
      ...draft(),
      shipperPubkey: courier.pubkey,
    });
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({
      code: 'sponsoring_paused',
      detail: expect.stringContaining('POST /packages/build-tx') as string,
    });
    for (const { id } of packages) {
      expect(await courier.client.getPackage({ packageId: id })).toMatchObject({ status: 'listed', bids: 1 });
      expect(await swarmsOf(service.current, id)).toEqual([]);
    }
    expect(reserveLines()).toHaveLength(1);

    const { rpc, server } = service.current;
    const { address } = await coordinatorSigner(service.current);
    expect(server.coordinatorPubkey).toBe(address);
    await rpc.requestAirdrop(address, lamports(5_000_000_000n)).send();
    clock.pass(READING_MS);
    for (const { id } of packages) await untilPackage(service.current, id, ({ status }) => status === 'in_transit');
    expect(reserveLines()).toHaveLength(2);
  });
});

test('of two formations that only one can be paid for, one waits for money (M-72)', async () => {
  const courier = await service.current.party(1);
  const shippers = await Promise.all([service.current.party(), service.current.party()]);
  const packages = await Promise.all(shippers.map((one) => listPackage(one.client, one.signer, draft())));
  await untilQuiet(service.current);
  // A swarm of one leg, its courier's account and the fees cost 4.5 million lamports at most.
  await leaveCoordinatorWith(service.current, BigInt(RESERVE_SOL) * 1_000_000_000n + 6_000_000n);
  clock.pass(READING_MS);
  for (const { id } of packages) await courier.client.submitBid(bidInput(courier, id, 'zoo', 'ostkreuz', 0.1));
  const formed = await Promise.race(
    packages.map(({ id }) => untilPackage(service.current, id, ({ status }) => status === 'in_transit')),
  );
  const waiting = packages.find(({ id }) => id !== formed.id);
  expect(await swarmsOf(service.current, waiting?.id ?? '')).toEqual([]);

  await leaveCoordinatorWith(service.current, BigInt(RESERVE_SOL + 1) * 1_000_000_000n);
  clock.pass(READING_MS);
  await untilPackage(service.current, waiting?.id ?? '', ({ status }) => status === 'in_transit');
});
