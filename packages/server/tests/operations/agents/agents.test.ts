import { listPackage } from '@legwork/sdk';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { bidInput, confirmAll, draft, formedPackage, untilPackage } from '../../support/market.js';
import { refusalOf } from '../../support/sdkRefusal.js';
import { withService } from '../../support/service.js';
import { theFirst } from '../../support/theFirst.js';
import {
  assignedTo,
  claimedBy,
  COMPLETED,
  completedBy,
  insertTasks,
  legRow,
  RECLAIMED,
  taskRow,
} from '../digitalTasks/rows.js';

const service = withService();

describe('getAgent', () => {
  test('knows nothing of a wallet that never took part (S-94)', async () => {
    const { client, pubkey } = await service.current.party(0);
    expect(await refusalOf(client.getAgent({ agentPubkey: pubkey }))).toMatchObject({
      status: 404,
      code: 'not_found',
      fields: ['agentPubkey'],
    });
  });

  test('shows one that only registered as a newcomer with the prior as its weight (M-13)', async () => {
    const { client, pubkey } = await service.current.party(0);
    await client.registerAgent({ agentPubkey: pubkey, displayName: 'North courier', capabilities: ['delivery'] });
    const agent = await client.getAgent({ agentPubkey: pubkey });
    expect(agent).toMatchObject({
      agentPubkey: pubkey,
      displayName: 'North courier',
      capabilities: ['delivery'],
      requireSignedCalls: true,
      reputation: { legsAccepted: 0, legsCompleted: 0, reliabilityScore: 0, mirroredAt: null },
      trust: { adjustmentPercent: 0, isNewcomer: true, weightPercent: 50 },
      history: {
        legsPending: 0,
        legsCompleted: 0,
        legsLost: 0,
        earnedLamports: 0n,
        bids: 0,
        lastCompletedAt: null,
      },
    });
    expect(agent.registeredAt).toBeInstanceOf(Date);
  });

  test('shows one that never registered once it has bid, and counts what became of its bids (S-94)', async () => {
    const market = await formedPackage(service.current, [['zoo', 'ostkreuz', 0.1]]);
    const courier = theFirst(market.couriers);
    const shown = () => courier.client.getAgent({ agentPubkey: courier.pubkey });
    expect(await shown()).toMatchObject({
      displayName: null,
      capabilities: [],
      registeredAt: null,
      trust: { isNewcomer: true, weightPercent: 50 },
      history: { legsPending: 1, legsCompleted: 0, legsLost: 0, earnedLamports: 0n, bids: 1 },
    });

    await confirmAll(service.current, market);
    await untilPackage(service.current, market.parcel.id, ({ status }) => status === 'delivered');
    const shipper = await service.current.party();
    const { id } = await listPackage(shipper.client, shipper.signer, draft());
    await courier.client.submitBid(bidInput(courier, id, 'zoo', 'hauptbahnhof', 0.1));
    const after = await shown();
    expect(after).toMatchObject({
      reputation: { legsAccepted: 1, legsCompleted: 1, reliabilityScore: 100 },
      trust: { adjustmentPercent: 0, isNewcomer: false, weightPercent: 100 },
      history: { legsPending: 0, legsCompleted: 1, legsLost: 0, earnedLamports: 121_428_571n, bids: 2 },
    });
    expect(after.history.lastCompletedAt).toBeInstanceOf(Date);
  });

  test('shows one whose only trace is a bid that nothing came of', async () => {
    const [shipper, courier] = [await service.current.party(), await service.current.party(1)];
    const { id } = await listPackage(shipper.client, shipper.signer, draft());
    await courier.client.submitBid(bidInput(courier, id, 'zoo', 'hauptbahnhof', 0.1));
    expect(await courier.client.getAgent({ agentPubkey: courier.pubkey })).toMatchObject({
      registeredAt: null,
      reputation: { mirroredAt: null },
      trust: { isNewcomer: true },
      history: { legsPending: 0, bids: 1 },
    });
  });

  test('counts a leg as lost when its swarm failed after it was formed, and not when it never formed', async () => {
    const market = await formedPackage(service.current, [['zoo', 'ostkreuz', 0.1]]);
    const agentPubkey = market.couriers[0]?.pubkey ?? '';
    const swarmId = market.parcel.swarm?.id ?? '';
    await sql`update swarms set status = 'failed', failure = 'reclaimed' where id = ${swarmId}`.execute(
      service.current.db,
    );
    const lost = await market.shipper.client.getAgent({ agentPubkey });
    expect(lost.history).toMatchObject({ legsPending: 0, legsLost: 1 });
    // One accepted leg, none completed, and it is over: that is history.
    expect(lost.trust).toEqual({ adjustmentPercent: 0, isNewcomer: false, weightPercent: 0 });
    await sql`update swarms set form_signature = null where id = ${swarmId}`.execute(service.current.db);
    const never = await market.shipper.client.getAgent({ agentPubkey });
    expect(never.history).toMatchObject({ legsPending: 0, legsLost: 0 });
    expect(never.trust.isNewcomer).toBe(true);
  });

  test('counts legs of digital tasks with those of packages, and loses one that was released or whose task failed (S-61, M-12)', async () => {
    const market = await formedPackage(service.current, [['zoo', 'ostkreuz', 0.1]]);
    const { client, pubkey } = theFirst(market.couriers);
    const shown = () => client.getAgent({ agentPubkey: pubkey });
    const { db } = service.current;
    const tasks = [taskRow({ status: 'in_progress' }), taskRow(), taskRow(COMPLETED), taskRow(COMPLETED)];
    const last = new Date('2026-02-03T04:05:06.789Z');
    await insertTasks(db, tasks, [
      legRow(tasks[0]?.id ?? '', 0, assignedTo(pubkey)),
      // A reservation is no leg of its yet.
      legRow(tasks[1]?.id ?? '', 0, claimedBy(pubkey)),
      legRow(tasks[2]?.id ?? '', 0, completedBy(pubkey, 3_000_000n, new Date('2026-01-01T00:00:00.000Z'))),
      legRow(tasks[3]?.id ?? '', 0, completedBy(pubkey, 1_000_001n, last)),
    ]);
    expect(await shown()).toMatchObject({
      trust: { isNewcomer: true },
      history: {
        legsPending: 2,
        legsCompleted: 2,
        legsLost: 0,
        earnedLamports: 4_000_001n,
        bids: 1,
        lastCompletedAt: last,
      },
    });

    const [reclaimed, released, refused] = [taskRow(RECLAIMED), taskRow(), taskRow()];
    const open = [legRow(released.id, 0), legRow(refused.id, 0)];
    // Reserved when its task was reclaimed: nothing of it was on the ledger.
    const reserved = legRow(reclaimed.id, 1, { ...claimedBy(pubkey), status: 'failed' });
    await insertTasks(db, [reclaimed, released, refused], [...open, reserved]);
    const barring = { agent_pubkey: pubkey };
    await db
      .insertInto('barred_agents')
      .values({ ...barring, task_id: refused.id, leg_id: open[1]?.id ?? '', reason: 'refused' })
      .execute();
    expect(await shown()).toMatchObject({ trust: { isNewcomer: true }, history: { legsLost: 0 } });

    await db
      .insertInto('barred_agents')
      .values({
        ...barring,
        task_id: released.id,
        leg_id: open[0]?.id ?? '',
        reason: 'timeout',
        release_signature: 's',
      })
      .execute();
    expect(await shown()).toMatchObject({
      trust: { isNewcomer: false, weightPercent: 0 },
      history: { legsPending: 2, legsLost: 1 },
    });
    await db.deleteFrom('barred_agents').where('agent_pubkey', '=', pubkey).execute();
    await db
      .updateTable('digital_legs')
      .set({ assign_signature: 's', due_at: new Date() })
      .where('id', '=', reserved.id)
      .execute();
    expect(await shown()).toMatchObject({ trust: { isNewcomer: false, weightPercent: 0 }, history: { legsLost: 1 } });
  });

  test('shows one whose only trace is a leg that it reserved', async () => {
    const { client, pubkey } = await service.current.party(0);
    const task = taskRow();
    await insertTasks(service.current.db, [task], [legRow(task.id, 0, claimedBy(pubkey))]);
    expect(await client.getAgent({ agentPubkey: pubkey })).toMatchObject({
      registeredAt: null,
      history: { legsPending: 0, bids: 0 },
    });
  });
});

describe('updateAgent', () => {
  test('registers a new wallet and changes only what is given', async () => {
    const { client, pubkey } = await service.current.party(0);
    const first = await client.updateAgent({ agentPubkey: pubkey, displayName: 'Ada', capabilities: ['a', 'b'] });
    expect(first).toMatchObject({ displayName: 'Ada', capabilities: ['a', 'b'], requireSignedCalls: true });
    expect(first.registeredAt).toBeInstanceOf(Date);
    const second = await client.updateAgent({ agentPubkey: pubkey, requireSignedCalls: false });
    expect(second).toEqual({ ...first, requireSignedCalls: false });
    const third = await client.updateAgent({ agentPubkey: pubkey, displayName: null, capabilities: [] });
    expect(third).toEqual({ ...second, displayName: null, capabilities: [] });
    expect((await client.getAgent({ agentPubkey: pubkey })).requireSignedCalls).toBe(false);
  });

  test("refuses another wallet's profile (S-14), an unsigned call, and a call that changes nothing", async () => {
    const [one, other] = [await service.current.party(0), await service.current.party(0)];
    await other.client.updateAgent({ agentPubkey: other.pubkey, displayName: 'Mine' });
    const foreign = one.client.updateAgent({ agentPubkey: other.pubkey, displayName: 'Yours' });
    expect(await refusalOf(foreign)).toMatchObject({ status: 403, code: 'pubkey_mismatch' });
    expect(await refusalOf(one.client.updateAgent({ agentPubkey: one.pubkey }))).toMatchObject({
      status: 400,
      code: 'invalid_input',
    });
    const unsigned = await fetch(`${service.current.server.url}/agents/${other.pubkey}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ displayName: 'Yours' }),
    });
    expect([unsigned.status, await unsigned.json()]).toEqual([
      401,
      expect.objectContaining({ code: 'missing_header' }),
    ]);
    expect((await other.client.getAgent({ agentPubkey: other.pubkey })).displayName).toBe('Mine');
    expect(await refusalOf(one.client.getAgent({ agentPubkey: one.pubkey }))).toMatchObject({ status: 404 });
  });

  test('what a signed call set, an unsigned registration leaves alone', async () => {
    const { client, pubkey } = await service.current.party(0);
    await client.updateAgent({ agentPubkey: pubkey, displayName: 'Signed', capabilities: ['a'] });
    const answer = await fetch(`${service.current.server.url}/agents`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ agentPubkey: pubkey, displayName: 'Forged', capabilities: ['b'] }),
    });
    expect(answer.status).toBe(200);
    expect(await client.getAgent({ agentPubkey: pubkey })).toMatchObject({
      displayName: 'Signed',
      capabilities: ['a'],
    });
  });
});

describe('listAgents', () => {
  const registered: string[] = [];

  beforeAll(async () => {
    await service.current.db.deleteFrom('agents').execute();
    for (let count = 0; count < 7; count += 1) {
      const { client, pubkey } = await service.current.party(0);
      await client.updateAgent({ agentPubkey: pubkey, displayName: `agent ${count}` });
      registered.push(pubkey);
    }
    // Registered in the same instant: the address has to order them.
    await sql`update agents set registered_at = '2026-01-01T00:00:00.123Z' where pubkey = any(${registered.slice(0, 4)})`.execute(
      service.current.db,
    );
  });

  test('(S-20) shows every agent once, newest first, whatever the page size', async () => {
    const { client } = await service.current.party(0);
    const tied = registered.slice(0, 4).toSorted();
    for (const limit of [1, 3, 50]) {
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await client.listAgents({ limit, ...(cursor !== undefined && { cursor }) });
        seen.push(...page.items.map(({ agentPubkey }) => agentPubkey));
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      expect(seen.slice(0, 3).toSorted()).toEqual(registered.slice(4).toSorted());
      expect(seen.slice(3)).toEqual(tied);
    }
  });

  test('(S-20) refuses a cursor of another list and names it', async () => {
    const { client } = await service.current.party(0);
    const of = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const wrong = [
      'nonsense',
      of(['0198c5f0-7a10-7c3e-9a55-3f1c0e9d2b11']),
      of(['2026-01-01T00:00:00.123Z', 'a\u0000b']),
      of(['yesterday', registered[0]]),
      of({}),
    ];
    for (const cursor of wrong) {
      expect([cursor, await refusalOf(client.listAgents({ cursor }))]).toEqual([
        cursor,
        expect.objectContaining({ status: 400, code: 'invalid_input', fields: ['cursor'] }),
      ]);
    }
  });
});
