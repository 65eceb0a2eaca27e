import { SOL } from '@legwork/protocol/contract';
import { createUuid } from '@legwork/protocol/contract';
import { confirmLeg, everyItem, type Leg, type QueuedLeg } from '@legwork/sdk';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { formedPackage, physicalLegs } from '../../support/market.js';
import { type Party, withService } from '../../support/service.js';
import { onceFinal } from '../../support/onceFinal.js';
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
import { claim, handIn, legIdOf, postedTask } from '../digitalTasks/scene.js';

const service = withService();

/** Copies a package with its swarm and the one leg it has; answers the id of the new leg. */
async function copyOf(packageId: string): Promise<string> {
  const { db } = service.current;
  const [copy, swarm, leg] = [createUuid(), createUuid(), createUuid()];
  const of = sql.lit(packageId);
  await sql`
    insert into packages select (jsonb_populate_record(p, jsonb_build_object('id', ${copy}::text, 'on_chain_package', ${copy}::text))).*
    from packages p where id = ${of}`.execute(db);
  await sql`
    insert into swarms select (jsonb_populate_record(s, jsonb_build_object('id', ${swarm}::text, 'package_id', ${copy}::text))).*
    from swarms s where package_id = ${of}`.execute(db);
  await sql`
    insert into legs select (jsonb_populate_record(l, jsonb_build_object('id', ${leg}::text, 'swarm_id', ${swarm}::text))).*
    from legs l join swarms s on s.id = l.swarm_id where s.package_id = ${of}`.execute(db);
  return leg;
}

const queueOf = ({ client, pubkey }: Party, status?: QueuedLeg['status']) =>
  client.listAgentLegs({ agentPubkey: pubkey, ...(status && { status }) }).then(({ items }) => items);

test('tells each courier whose turn it is, who confirms its leg and which leg it takes over', async () => {
  const { shipper, couriers, parcel } = await formedPackage(service.current, [
    ['zoo', 'hauptbahnhof', 0.03],
    ['hauptbahnhof', 'alexanderplatz', 0.05],
    ['alexanderplatz', 'ostkreuz', 0.04],
  ]);
  const [first, second, third] = couriers as [Party, Party, Party];
  const legs = parcel.swarm?.legs as [Leg, Leg, Leg];
  const shown = async () =>
    (await Promise.all(couriers.map((courier) => queueOf(courier).then(physicalLegs)))).map(([leg]) => [
      leg?.status,
      leg?.isTurn,
      leg?.recipientPubkey,
      leg?.takeOverLegId,
    ]);

  expect(await shown()).toEqual([
    ['pending', true, second.pubkey, null],
    ['pending', false, third.pubkey, legs[0].id],
    ['pending', false, shipper.pubkey, legs[1].id],
  ]);
  expect(onceFinal(await queueOf(second, 'pending'))).toEqual([
    {
      ...onceFinal(legs[1]),
      ...SOL,
      kind: 'physical',
      packageId: parcel.id,
      packageStatus: 'in_transit',
      packageDescription: 'a box of books',
      deadline: parcel.deadline,
      swarmId: parcel.swarm?.id,
      swarmStatus: 'active',
      isTurn: false,
      recipientPubkey: third.pubkey,
      takeOverLegId: legs[0].id,
    },
  ]);

  await confirmLeg(second.client, service.current.rpc, second.signer, legs[0].id);
  expect(await shown()).toEqual([
    ['completed', false, second.pubkey, null],
    ['pending', true, third.pubkey, legs[0].id],
    ['pending', false, shipper.pubkey, legs[1].id],
  ]);
  expect(await queueOf(first, 'pending')).toEqual([]);
  expect((await queueOf(first, 'completed')).map(({ id }) => id)).toEqual([legs[0].id]);
  expect(await queueOf(shipper)).toEqual([]);
});

test('leaves legs that can no longer be carried out of what is pending', async () => {
  const { couriers, parcel } = await formedPackage(service.current, [['zoo', 'ostkreuz', 0.1]]);
  const courier = theFirst(couriers);
  await sql`update swarms set status = 'failed', failure = 'reclaimed' where id = ${parcel.swarm?.id}`.execute(
    service.current.db,
  );
  expect(await queueOf(courier, 'pending')).toEqual([]);
  expect(await queueOf(courier)).toMatchObject([{ status: 'pending', swarmStatus: 'failed', isTurn: false }]);
});

test('(S-20) comes in pages, newest first, with every leg once', async () => {
  const { client } = await service.current.party(0);
  const { couriers, parcel } = await formedPackage(service.current, [['zoo', 'ostkreuz', 0.1]]);
  const courier = theFirst(couriers);
  // More packages of the same courier, as rows: what is read is the database.
  const ids: string[] = [parcel.swarm?.legs[0]?.id ?? ''];
  for (let count = 0; count < 4; count += 1) ids.push(await copyOf(parcel.id));
  const seen: string[] = [];
  for await (const leg of everyItem(client.listAgentLegs, { agentPubkey: courier.pubkey, limit: 2 })) seen.push(leg.id);
  expect(seen).toEqual(ids.toSorted().toReversed());
});

test('(S-61) holds legs of digital tasks, with what an agent needs to work on them', async () => {
  const { task } = await postedTask(service.current);
  const [first, second] = [await service.current.party(1), await service.current.party(1)];
  await claim(second, task, 1, 0.02);
  const claimed = await claim(first, task, 0);
  const about = {
    kind: 'digital',
    taskId: task.id,
    taskTitle: task.title,
    deadline: task.deadline,
    paymentPerLegLamports: 50_000_000n,
    resourceUri: `relay://digital-tasks/${task.id}`,
  };
  expect(await queueOf(first)).toMatchObject([
    {
      ...about,
      id: legIdOf(task, 0),
      taskStatus: 'in_progress',
      legIndex: 0,
      instruction: 'Group it by topic.',
      status: 'in_progress',
      isWorkable: true,
      agentPubkey: first.pubkey,
      dueAt: claimed.dueAt,
      hasResult: false,
      paymentLamports: null,
      onChainLeg: task.legs[0]?.onChainLeg,
    },
  ]);
  expect(await queueOf(second, 'pending')).toMatchObject([
    { ...about, legIndex: 1, status: 'pending', isWorkable: false, bidLamports: 20_000_000n, dueAt: null },
  ]);
  await handIn(first, task, 0);
  expect(await queueOf(first, 'completed')).toMatchObject([
    { ...about, status: 'completed', hasResult: true, dueAt: null, paymentLamports: 50_000_000n },
  ]);
  expect(await queueOf(first, 'in_progress')).toEqual([]);
});

test('(S-20, S-61) holds both kinds in one list, newest first, by status, in pages of any size', async () => {
  const { couriers, parcel } = await formedPackage(service.current, [['zoo', 'ostkreuz', 0.1]]);
  const { client, pubkey } = theFirst(couriers);
  const of: Record<string, string[]> = { pending: [parcel.swarm?.legs[0]?.id ?? ''] };
  const add = (status: string, id: string) => (of[status] = [...(of[status] ?? []), id]);
  for (let round = 0; round < 3; round += 1) {
    const tasks = [taskRow(), taskRow({ status: 'in_progress' }), taskRow(COMPLETED), taskRow(RECLAIMED)];
    const states = [
      claimedBy(pubkey),
      assignedTo(pubkey),
      completedBy(pubkey, 4_000_001n),
      { ...assignedTo(pubkey), status: 'failed' as const },
    ];
    const rows = tasks.map((task, index) => legRow(task.id, 0, states[index]));
    await insertTasks(service.current.db, tasks, rows);
    rows.forEach((row) => add(row.status ?? 'pending', row.id));
    add('pending', await copyOf(parcel.id));
  }
  const newestFirst = (ids: string[] | undefined) => (ids ?? []).toSorted().toReversed();
  const statuses = [undefined, 'pending', 'in_progress', 'completed', 'failed'] as const;
  for (const status of statuses) {
    const wanted = newestFirst(status === undefined ? Object.values(of).flat() : of[status]);
    expect(wanted.length).toBeGreaterThan(2);
    for (const limit of [1, 3, 200]) {
      const seen: string[] = [];
      const query = { agentPubkey: pubkey, limit, ...(status && { status }) };
      for await (const leg of everyItem(client.listAgentLegs, query)) seen.push(leg.id);
      expect([status, limit, seen]).toEqual([status, limit, wanted]);
    }
  }
});
