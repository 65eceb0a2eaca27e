import { createUuid } from '@legwork/protocol/contract';
import type { DigitalTaskDetail, PackageDetail } from '@legwork/sdk';
import { beforeAll, describe, expect, test } from 'vitest';
import { confirmAll, draft, formedPackage, untilPackage } from '../../support/market.js';
import { insertPackages, newWallet, packageRow } from '../../support/packageRows.js';
import { type Party, withService } from '../../support/service.js';
import { untilQuiet } from '../../support/snapshot.js';
import { claim, postedTask } from '../digitalTasks/scene.js';
import { DRAFT, insertTasks, legRow, taskRow } from '../digitalTasks/rows.js';
import { anySignature } from '../rewards/scene.js';

const service = withService();

let courier: Party;
let parcel: PackageDetail;
let task: DigitalTaskDetail;

beforeAll(async () => {
  const market = await formedPackage(service.current, [['zoo', 'ostkreuz', 0.1]], draft({ description: 'a violin' }));
  await confirmAll(service.current, market);
  parcel = await untilPackage(service.current, market.parcel.id, ({ status }) => status === 'delivered');
  courier = market.couriers[0] ?? market.shipper;
  ({ task } = await postedTask(service.current, { title: 'Sum up' }));
  await claim(courier, task, 0);
  await courier.client.updateAgent({ agentPubkey: courier.pubkey, displayName: 'Ada' });
  await untilQuiet(service.current);
});

async function matchesOf(text: string) {
  return (await courier.client.lookup({ text })).matches;
}

const nothingElse = { packageId: null, taskId: null, title: null };
const ofParcel = () => ({ ...nothingElse, packageId: parcel.id, title: 'a violin' });
const ofTask = () => ({ ...nothingElse, taskId: task.id, title: 'Sum up' });

describe('lookup', () => {
  test('knows packages, swarms, legs and tasks by their id, or by how it begins or ends (S-123)', async () => {
    const [leg, taskLeg] = [parcel.swarm?.legs[0], task.legs[0]];
    const things = [
      { kind: 'package', id: parcel.id, ...ofParcel() },
      { kind: 'swarm', id: parcel.swarm?.id ?? '', ...ofParcel() },
      { kind: 'leg', id: leg?.id ?? '', ...ofParcel() },
      { kind: 'task', id: task.id, ...ofTask() },
      { kind: 'taskLeg', id: taskLeg?.id ?? '', ...ofTask() },
    ];
    for (const thing of things) {
      const expected = [{ ...thing, field: 'id' }];
      const { id } = thing;
      for (const text of [id, id.toUpperCase(), id.replaceAll('-', ''), id.slice(-6), id.slice(-15)]) {
        expect([text, await matchesOf(text)]).toEqual([text, expected]);
      }
      for (const text of [id.slice(0, 22), id.slice(0, 8)]) expect(await matchesOf(text)).toContainEqual(expected[0]);
    }
  });

  test('lists everything that an ending fits, newest first, at most ten, and no draft (S-123)', async () => {
    const { db } = service.current;
    const ending = 'c0ffee';
    const ids = Array.from({ length: 12 }, () => createUuid().slice(0, -6) + ending);
    const [first, last] = [createUuid().slice(0, -6) + ending, createUuid().slice(0, -6) + ending];
    await insertPackages(
      db,
      ids.map((id) => packageRow({ id })),
    );
    const unlisted = { status: 'draft', listed_at: null, list_signature: null } as const;
    await insertPackages(db, [packageRow({ id: first, ...unlisted })]);
    const hidden = taskRow({ id: last, ...DRAFT });
    await insertTasks(db, [hidden], [legRow(hidden.id, 0, { id: createUuid().slice(0, -6) + ending })]);

    expect((await matchesOf(ending)).map(({ id }) => id)).toEqual(ids.toReversed().slice(0, 10));
    const [one] = ids;
    expect((await matchesOf(one?.slice(-9) ?? '')).map(({ id }) => id)).toContain(one);
    expect(await matchesOf(last)).toEqual([]);
  });

  test('knows agents by their key, and the accounts of the ledger by their address (S-123)', async () => {
    const { onChainPDA } = await courier.client.getReputation({ agentPubkey: courier.pubkey });
    const agent = { kind: 'agent', id: courier.pubkey, ...nothingElse, title: 'Ada' };
    const onLedger = await courier.client.getDigitalTask({ taskId: task.id });
    const [leg, taskLeg] = [parcel.swarm?.legs[0], onLedger.legs[0]];
    const expected = [
      [courier.pubkey, { ...agent, field: 'agentPubkey' }],
      [onChainPDA, { ...agent, field: 'onChainPDA' }],
      [parcel.onChainPackage, { kind: 'package', field: 'onChainPackage', id: parcel.id, ...ofParcel() }],
      [parcel.onChainVault, { kind: 'package', field: 'onChainVault', id: parcel.id, ...ofParcel() }],
      [parcel.swarm?.onChainSwarm, { kind: 'swarm', field: 'onChainSwarm', id: parcel.swarm?.id, ...ofParcel() }],
      [leg?.onChainLeg, { kind: 'leg', field: 'onChainLeg', id: leg?.id, ...ofParcel() }],
      [task.onChainTask, { kind: 'task', field: 'onChainTask', id: task.id, ...ofTask() }],
      [task.onChainVault, { kind: 'task', field: 'onChainVault', id: task.id, ...ofTask() }],
      [taskLeg?.onChainLeg, { kind: 'taskLeg', field: 'onChainLeg', id: taskLeg?.id, ...ofTask() }],
    ] as const;
    for (const [text, match] of expected) expect([text, await matchesOf(text ?? '')]).toEqual([text, [match]]);
  });

  test('knows transactions about what is posted here (S-123)', async () => {
    for (const signature of [parcel.listSignature, parcel.swarm?.formSignature ?? '', parcel.settleSignature ?? '']) {
      expect(await matchesOf(signature)).toEqual([
        { kind: 'transaction', field: 'signature', id: signature, ...ofParcel() },
      ]);
    }
    expect(await matchesOf(task.listSignature)).toEqual([
      { kind: 'transaction', field: 'signature', id: task.listSignature, ...ofTask() },
    ]);
  });

  test('finds nothing where nothing is known (S-123)', async () => {
    const nobody = (await service.current.party(0)).pubkey;
    for (const text of [createUuid(), '000000', await newWallet(), nobody, anySignature()]) {
      expect([text, await matchesOf(text)]).toEqual([text, []]);
    }
    // Thirty-two ones are hexadecimal characters, and the address of the system program.
    expect(await matchesOf('1'.repeat(32))).toEqual([]);
  });

  test.each([
    'abcde',
    'violin',
    '%',
    '______',
    '------',
    'a'.repeat(33),
    '1'.repeat(45),
    'x'.repeat(101),
    '0'.repeat(44),
  ])('refuses %s, which is none of these, and says what would be right (S-3)', async (text) => {
    const response = await fetch(`${service.current.server.url}/lookup/${encodeURIComponent(text)}`);
    expect([response.status, await response.json()]).toEqual([
      400,
      expect.objectContaining({ errors: [expect.objectContaining({ field: 'text' })] }),
    ]);
  });
});
