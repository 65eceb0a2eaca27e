import { createLegworkClient } from '@legwork/sdk';
import { address, generateKeyPairSigner } from '@solana/kit';
import { sql } from 'kysely';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { evaluatePackage } from '../../src/coordinator/evaluatePackage.js';
import { formSwarmIntent } from '../../src/outbox/formSwarm.js';
import type { Db } from '../../src/db/connect.js';
import { leaseNext } from '../../src/db/outbox.js';
import { noteWithdrawal } from '../../src/packages/evaluationRows.js';
import { findPackage, lockPackage } from '../../src/packages/packageRows.js';
import type { RunningServer } from '../../src/startServer.js';
import { closeWindow } from '../operations/bids/scene.js';
import { bidInput, draft, untilPackage } from '../support/market.js';
import { type Party, withService } from '../support/service.js';
import { hold, letGo } from '../support/holdIntents.js';
import { spoilCourier, startReplica, swarmsOf } from './scene.js';
import { listPackage } from '../support/listed.js';

const service = withService();

/** How often the ledger formed a swarm for the package. */
async function formationsOf(onChainSwarm: string): Promise<number> {
  const all = await service.current.rpc.getSignaturesForAddress(address(onChainSwarm)).send();
  return all.filter(({ err }) => err === null).length;
}

/** Reports whether somebody waits for a lock in the database. */
async function isWaitedFor(db: Db): Promise<boolean> {
  const { rows } = await sql`select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
  return rows.length > 0;
}

async function listed(changes: Parameters<typeof draft>[0] = {}) {
  const shipper = await service.current.party();
  return { shipper, parcel: await listPackage(shipper.client, shipper.signer, draft(changes)) };
}

describe('two replicas', () => {
  let replica: RunningServer;
  beforeAll(async () => {
    replica = await startReplica(service.current);
  });
  afterAll(() => replica.close());

  /** The party as it talks to the other replica. */
  const elsewhere = ({ signer, pubkey }: Party): Party => ({
    signer,
    pubkey,
    client: createLegworkClient({ url: replica.url, signer }),
  });

  test('form one swarm of 50 bids that come to both of them at once (M-41, M-43)', async () => {
    const { parcel } = await listed();
    const couriers = await Promise.all(Array.from({ length: 50 }, () => service.current.party(0)));
    await Promise.allSettled(
      couriers.map((courier, index) => {
        const { client } = index % 2 === 0 ? courier : elsewhere(courier);
        return client.submitBid(bidInput(courier, parcel.id, 'zoo', 'ostkreuz', 0.1 + index / 1000));
      }),
    );
    const formed = await untilPackage(service.current, parcel.id, ({ status }) => status === 'in_transit');
    expect(await swarmsOf(service.current, parcel.id)).toMatchObject([{ status: 'active', formation: 1 }]);
    expect(await formationsOf(formed.swarm?.onChainSwarm ?? '')).toBe(1);
    const announced = await service.current.db
      .selectFrom('events')
      .select('type')
      .where('subject', '=', `package:${parcel.id}`)
      .where('type', '=', 'SWARM_FORMED')
      .execute();
    expect(announced).toHaveLength(1);
  });

  test('evaluate each of many packages once (M-41)', async () => {
    const courier = await service.current.party(1);
    const parcels = await Promise.all(Array.from({ length: 8 }, () => listed()));
    await Promise.all(
      parcels.map(({ parcel }, index) => {
        const { client } = index % 2 === 0 ? courier : elsewhere(courier);
        return client.submitBid(bidInput(courier, parcel.id, 'zoo', 'ostkreuz', 0.1));
      }),
    );
    for (const { parcel } of parcels) {
      await untilPackage(service.current, parcel.id, ({ status }) => status === 'in_transit');
      expect(await swarmsOf(service.current, parcel.id)).toMatchObject([{ status: 'active', formation: 1 }]);
    }
  });
});

describe('a formation that fails because of one courier', () => {
  test('excludes its bid, and forms with the others after a pause that a restart does not forget (M-42)', async () => {
    const { shipper, parcel } = await listed({ biddingWindowSec: 3600 });
    await hold(service.current, parcel.id);
    const signer = await generateKeyPairSigner();
    const client = createLegworkClient({ url: service.current.server.url, signer });
    const refused = { signer, pubkey: signer.address, client };
    const other = await service.current.party(1);
    const bid = await refused.client.submitBid(bidInput(refused, parcel.id, 'zoo', 'ostkreuz', 0.05));
    await other.client.submitBid(bidInput(other, parcel.id, 'zoo', 'ostkreuz', 0.1));
    await closeWindow(service.current, parcel.id);
    await untilPackage(service.current, parcel.id, ({ status }) => status === 'swarm_forming');
    await spoilCourier(service.current, shipper, signer);
    await letGo(service.current, parcel.id);
    await untilPackage(service.current, parcel.id, ({ swarm }) => swarm?.status === 'failed');
    await service.current.stop();

    const row = await service.current.db
      .selectFrom('packages')
      .select(['status', 'failed_formations', 'evaluate_at'])
      .where('id', '=', parcel.id)
      .executeTakeFirstOrThrow();
    expect(row).toMatchObject({ status: 'listed', failed_formations: 1 });
    expect(row.evaluate_at).not.toBeNull();
    await service.current.restart();

    const formed = await untilPackage(service.current, parcel.id, ({ status }) => status === 'in_transit');
    expect(formed.swarm?.legs.map((leg) => leg.agentPubkey)).toEqual([other.pubkey]);
    expect(await swarmsOf(service.current, parcel.id)).toMatchObject([{ status: 'failed' }, { status: 'active' }]);
    const ended = await service.current.db
      .selectFrom('bids')
      .select('ended_because')
      .where('id', '=', bid.id)
      .executeTakeFirstOrThrow();
    expect(ended.ended_because).toBe('excluded');
  });
});

describe('a formation that fails for a reason of the coordinator', () => {
  test('keeps the bids of all couriers, and is tried again (M-42)', async () => {
    const { parcel } = await listed();
    await hold(service.current, parcel.id);
    const courier = await service.current.party(1);
    await courier.client.submitBid(bidInput(courier, parcel.id, 'zoo', 'ostkreuz', 0.1));
    await untilPackage(service.current, parcel.id, ({ status }) => status === 'swarm_forming');
    await service.current.stop();
    await letGo(service.current, parcel.id);
    const context = await service.current.context();
    try {
      const intent = await leaseNext(context.db, 1);
      if (intent?.kind !== 'form_swarm') throw new Error('no formation is due');
      // The first assign_leg, after two instructions for compute units and form_swarm.
      const failure = { reason: 'insufficient lamports', relayError: undefined, instructionIndex: 3 };
      await formSwarmIntent.refused(context, intent, failure);
    } finally {
      await context.db.destroy();
    }
    await service.current.restart();
    const formed = await untilPackage(service.current, parcel.id, ({ status }) => status === 'in_transit');
    expect(formed.swarm?.legs.map((leg) => leg.agentPubkey)).toEqual([courier.pubkey]);
  });
});

describe('the bidding window', () => {
  test('that closes while the service is down is evaluated after the restart (M-35)', async () => {
    const { parcel } = await listed({ biddingWindowSec: 4 });
    const courier = await service.current.party(1);
    await courier.client.submitBid(bidInput(courier, parcel.id, 'zoo', 'ostkreuz', 0.1));
    await service.current.stop();
    expect(await swarmsOf(service.current, parcel.id)).toEqual([]);
    await sleep((parcel.biddingClosesAt?.getTime() ?? 0) - Date.now() + 100);
    await service.current.restart();
    const formed = await untilPackage(service.current, parcel.id, ({ status }) => status === 'in_transit');
    expect(formed.swarm?.legs.map((leg) => leg.agentPubkey)).toEqual([courier.pubkey]);
  });

  test('once closed lets later bids be evaluated at once (M-35)', async () => {
    const { parcel } = await listed({ biddingWindowSec: 1 });
    await sleep((parcel.biddingClosesAt?.getTime() ?? 0) - Date.now() + 100);
    const courier = await service.current.party(1);
    await courier.client.submitBid(bidInput(courier, parcel.id, 'zoo', 'ostkreuz', 0.1));
    const formed = await untilPackage(service.current, parcel.id, ({ status }) => status === 'in_transit');
    expect(formed.swarm?.legs.map((leg) => leg.agentPubkey)).toEqual([courier.pubkey]);
  });
});

describe('bids that make no chain', () => {
  test('are searched while another bid has the lock, and that bid keeps the package due (M-41)', async () => {
    const { parcel } = await listed({ biddingWindowSec: 3600 });
    const courier = await service.current.party(1);
    await courier.client.submitBid(bidInput(courier, parcel.id, 'zoo', 'alexanderplatz', 0.1));
    const context = await service.current.context();
    const { db } = service.current;
    const dueAt = async () => (await findPackage(db, parcel.id))?.evaluate_at;
    try {
      const bidder = await db.startTransaction().execute();
      await lockPackage(bidder, parcel.id);
      const evaluated = evaluatePackage(context, context.db, parcel.id);
      while (!(await isWaitedFor(db))) await sleep(5);
      await noteWithdrawal(bidder, parcel.id);
      await bidder.commit().execute();
      expect(await evaluated).toBe('none');
      expect(await dueAt()).not.toBeNull();
      expect(await evaluatePackage(context, context.db, parcel.id)).toBe('none');
      expect(await dueAt()).toBeNull();
    } finally {
      await context.db.destroy();
    }
  });
});

describe('a package without live bids', () => {
  test('is not searched for chains', async () => {
    const { parcel } = await listed();
    const context = await service.current.context();
    try {
      expect(await evaluatePackage(context, context.db, parcel.id)).toBe('none');
      const searches = await context.metrics.registry.getSingleMetricAsString('legwork_evaluation_duration_seconds');
      expect(searches).not.toContain('outcome=');
    } finally {
      await context.db.destroy();
    }
  });
});
