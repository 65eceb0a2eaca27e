import { LegworkApiError, listPackage } from '@legwork/sdk';
import { expect, test } from 'vitest';
import { bidInput, draft, PLACES } from '../support/market.js';
import { type Party, withService } from '../support/service.js';

const service = withService();
const AT_ONCE = 16;
/** Bids of each courier before the one that completes a chain, and the most there may be after it: where evaluations starve, all of them. */
const BEFORE = 12;
const AFTER = 100;

/** Bids that lead nowhere, until one is refused because the package is taken, or there were too many. */
async function streamBids(courier: Party, packageId: string, made: { bids: number }): Promise<'taken' | 'never'> {
  for (let count = 0; count < BEFORE + AFTER; count += 1) {
    const away = { ...bidInput(courier, packageId, 'zoo', 'alexanderplatz', 0.1), pickupLat: PLACES.zoo.lat + 0.3 };
    try {
      await courier.client.submitBid({ ...away, distanceKm: 60 });
      made.bids += 1;
    } catch (error) {
      if (error instanceof LegworkApiError && error.code === 'invalid_status') return 'taken';
      throw error;
    }
  }
  return 'never';
}

test('a chain is committed while bids keep streaming in: evaluations get their turn (M-41)', async () => {
  const shipper = await service.current.party();
  const couriers = await Promise.all(Array.from({ length: AT_ONCE + 1 }, () => service.current.party(0)));
  const { id } = await listPackage(shipper.client, shipper.signer, draft());
  const [winner, ...others] = couriers;
  if (!winner) throw new Error('a courier is missing');
  const made = { bids: 0 };
  const streams = others.map((courier) => streamBids(courier, id, made));
  while (made.bids < AT_ONCE * BEFORE) await new Promise((resolve) => setTimeout(resolve, 5));
  await winner.client.submitBid(bidInput(winner, id, 'zoo', 'ostkreuz', 0.1));
  expect(await Promise.all(streams)).toEqual(streams.map(() => 'taken'));
}, 120_000);
