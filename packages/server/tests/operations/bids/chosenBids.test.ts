import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { evaluatePackage } from '../../../src/coordinator/evaluatePackage.js';
import type { AppContext } from '../../../src/context.js';
import { bidInput } from '../../support/market.js';
import { type Party, withService } from '../../support/service.js';
import { untilQuiet } from '../../support/snapshot.js';
import { gatheringPackage, sendSigned } from './scene.js';
import { until } from '../../support/until.js';

const service = withService();
let context: AppContext;

beforeAll(async () => {
  context = await service.current.context();
});
afterAll(() => context.db.destroy());

/** A package that gathers bids, with a cheap one and a dear one. */
async function contest(): Promise<{ packageId: string; cheap: Party; dear: Party; cheapBid: string }> {
  const { id: packageId } = await gatheringPackage(service.current);
  const [cheap, dear] = [await service.current.party(1), await service.current.party(1)];
  const { id: cheapBid } = await cheap.client.submitBid(bidInput(cheap, packageId, 'zoo', 'ostkreuz', 0.1));
  await dear.client.submitBid(bidInput(dear, packageId, 'zoo', 'ostkreuz', 0.2));
  // Mirroring the listing takes the package's lock too, and would be taken for one of the statements that wait.
  await untilQuiet(service.current);
  return { packageId, cheap, dear, cheapBid };
}

/** Waits until so many statements wait for the lock of a package, or for their turn at it. */
async function untilWaiting(count: number): Promise<void> {
  await until(`${count} statements wait for the lock of a package`, async () => {
    const { rows } = await sql<{ waiting: bigint }>`
      select count(*) as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'
        and (query like '%from "packages"%for update' or query like '%pg_advisory_xact_lock%')`.execute(
      service.current.db,
    );
    return rows[0]?.waiting === BigInt(count);
  });
}

/**
 * Evaluates the package so that the search has its result, the cheap bid, before `change` is committed, and its own commit
 * comes after it. Answers whose legs there are then.
 */
async function evaluateAround(packageId: string, change: () => Promise<unknown>): Promise<string[]> {
  const holder = await service.current.db.startTransaction().execute();
  await holder.selectFrom('packages').select('id').where('id', '=', packageId).forUpdate().execute();
  const changed = change();
  await untilWaiting(1);
  const evaluated = evaluatePackage(context, context.db, packageId);
  await untilWaiting(2);
  await holder.commit().execute();
  await changed;
  expect(await evaluated).toBe('formed');
  const legs = await service.current.db
    .selectFrom('legs')
    .innerJoin('swarms', 'swarms.id', 'legs.swarm_id')
    .select('legs.agent_pubkey')
    .where('swarms.package_id', '=', packageId)
    .execute();
  return legs.map((leg) => leg.agent_pubkey);
}

describe('a bid that ends while a chain with it is about to be committed is not in the chain', () => {
  test('when it is withdrawn (M-40)', async () => {
    const { packageId, cheap, dear, cheapBid } = await contest();
    const chosen = await evaluateAround(packageId, () =>
      sendSigned(service.current, cheap, 'DELETE', `/bids/${cheapBid}`),
    );
    expect(chosen).toEqual([dear.pubkey]);
  });

  test('when it is replaced by a dearer one (M-40)', async () => {
    const { packageId, cheap, dear } = await contest();
    const chosen = await evaluateAround(packageId, () =>
      cheap.client.submitBid(bidInput(cheap, packageId, 'zoo', 'ostkreuz', 0.3)),
    );
    expect(chosen).toEqual([dear.pubkey]);
  });

  test('when it expires (M-40)', async () => {
    const { packageId, dear, cheapBid } = await contest();
    const holder = await service.current.db.startTransaction().execute();
    await holder.selectFrom('packages').select('id').where('id', '=', packageId).forUpdate().execute();
    const expiresAt = new Date(Date.now() + 1500);
    await service.current.db.updateTable('bids').set({ expires_at: expiresAt }).where('id', '=', cheapBid).execute();
    const evaluated = evaluatePackage(context, context.db, packageId);
    await untilWaiting(1);
    await sleep(expiresAt.getTime() - Date.now() + 50);
    await holder.commit().execute();
    expect(await evaluated).toBe('formed');
    const leg = await service.current.db
      .selectFrom('legs')
      .innerJoin('swarms', 'swarms.id', 'legs.swarm_id')
      .select('legs.agent_pubkey')
      .where('swarms.package_id', '=', packageId)
      .executeTakeFirst();
    expect(leg?.agent_pubkey).toBe(dear.pubkey);
  });

  test('whichever of withdrawal and evaluation comes first, the other respects it (M-40)', async () => {
    const rounds = Array.from({ length: 12 }, async () => {
      const { id: packageId } = await gatheringPackage(service.current, 0);
      const courier = await service.current.party(1);
      const bid = await courier.client.submitBid(bidInput(courier, packageId, 'zoo', 'ostkreuz', 0.1));
      await sleep(Math.random() * 20);
      const response = await sendSigned(service.current, courier, 'DELETE', `/bids/${bid.id}`);
      return { bidId: bid.id, withdrawn: response.status === 200 };
    });
    for (const { bidId, withdrawn } of await Promise.all(rounds)) {
      const legs = await service.current.db.selectFrom('legs').select('id').where('bid_id', '=', bidId).execute();
      expect(legs).toHaveLength(withdrawn ? 0 : 1);
    }
  });
});
