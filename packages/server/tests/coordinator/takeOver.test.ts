import { listPackage } from '@legwork/sdk';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { balanceOf, claim, handIn, postedTask, untilTask } from '../operations/digitalTasks/scene.js';
import { hold, letGo } from '../support/holdIntents.js';
import { bidInput, draft, untilPackage } from '../support/market.js';
import { withService } from '../support/service.js';
import { swarmsOf } from './scene.js';
import { until } from '../support/until.js';

const service = withService();

const decided = (subject: string, kind: string) =>
  until(`${kind} is decided`, async () => {
    const rows = await sql`select from outbox where subject = ${subject} and kind = ${kind}`.execute(
      service.current.db,
    );
    return rows.rows.length > 0;
  });

/** Makes the next start the first one that keeps decisions. */
async function startAnew(meanwhile: () => Promise<unknown> = () => Promise.resolve()): Promise<void> {
  await service.current.stop();
  await sql`delete from decisions`.execute(service.current.db);
  await sql`delete from meta where key like 'decisions_since:%'`.execute(service.current.db);
  await meanwhile();
  await service.current.restart();
}

/** Leaves the rows as a version did that kept no calls. */
async function keepNoCalls(): Promise<void> {
  const { db } = service.current;
  await sql`update bids set call_signature = null`.execute(db);
  await sql`update digital_legs set call_signature = null`.execute(db);
  await sql`update signing_keys set call_signature = null`.execute(db);
  await sql`delete from signed_calls`.execute(db);
}

/** A package whose swarm is chosen of one bid, and held back. */
async function chosen() {
  const shipper = await service.current.party();
  const parcel = await listPackage(shipper.client, shipper.signer, draft());
  await hold(service.current, parcel.id);
  const courier = await service.current.party(0);
  await courier.client.submitBid(bidInput(courier, parcel.id, 'zoo', 'ostkreuz', 0.2));
  await decided(`package:${parcel.id}`, 'form_swarm');
  return { parcel, courier };
}

describe('at the first start that keeps decisions', () => {
  test('a formation under way is chosen again, of the bids that stand, whose calls nobody kept (M-77, S-96)', async () => {
    const { parcel, courier } = await chosen();
    await startAnew(keepNoCalls);
    await letGo(service.current, parcel.id);
    const formed = await untilPackage(service.current, parcel.id, ({ status }) => status === 'in_transit');
    expect(formed.swarm?.legs.map((leg) => leg.agentPubkey)).toEqual([courier.pubkey]);
    expect(await swarmsOf(service.current, parcel.id)).toMatchObject([{ status: 'failed' }, { status: 'active' }]);
  });

  test('one that a database writer made look like that is not formed either (M-77)', async () => {
    const { parcel, courier } = await chosen();
    const thief = await service.current.party(0);
    await startAnew(() =>
      sql`with leg as (update legs set agent_pubkey = ${thief.pubkey}, agreed_payment_lamports = 500000000
          where swarm_id in (select id from swarms where package_id = ${parcel.id}))
        update swarms set total_lamports = 500000000 where package_id = ${parcel.id}`.execute(service.current.db),
    );
    await letGo(service.current, parcel.id);
    const formed = await untilPackage(service.current, parcel.id, ({ status }) => status === 'in_transit');
    expect(formed.swarm?.legs).toMatchObject([{ agentPubkey: courier.pubkey, agreedPaymentLamports: 242_857_142n }]);
  });

  test('an assignment and a payment under way are carried out (M-77)', async () => {
    const [assigning, paying] = [await postedTask(service.current), await postedTask(service.current)];
    const [first, second] = await Promise.all([service.current.party(0), service.current.party(0)]);
    await claim(second, paying.task, 0);
    for (const { task } of [assigning, paying]) await hold(service.current, task.id, 'task');
    const calls = Promise.allSettled([claim(first, assigning.task, 0), handIn(second, paying.task, 0)]);
    await decided(`task:${assigning.task.id}`, 'assign_task_leg');
    await decided(`task:${paying.task.id}`, 'confirm_task_leg');
    await startAnew(keepNoCalls);
    await calls;
    for (const { task } of [assigning, paying]) await letGo(service.current, task.id);
    await untilTask(service.current, assigning.task.id, ({ legs }) => legs[0]?.status === 'in_progress');
    await untilTask(service.current, paying.task.id, ({ legs }) => legs[0]?.status === 'completed');
    expect(await balanceOf(service.current, second)).toBe(50_000_000n);
  });
});

test('a mark that the coordinator did not make counts for nothing (M-77)', async () => {
  const { parcel } = await chosen();
  await service.current.stop();
  await sql`update meta set value = '2000-01-01T00:00:00.000Z 00' where key like 'decisions_since:%'`.execute(
    service.current.db,
  );
  await service.current.restart();
  const { rows } = await sql<{ value: string }>`select value from meta where key like 'decisions_since:%'`.execute(
    service.current.db,
  );
  expect(rows).toHaveLength(1);
  expect(rows[0]?.value.startsWith('2000')).toBe(false);
  await letGo(service.current, parcel.id);
  await untilPackage(service.current, parcel.id, ({ status }) => status === 'in_transit');
});
