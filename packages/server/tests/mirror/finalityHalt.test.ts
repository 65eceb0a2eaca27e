import { createUuid, toLamports } from '@legwork/protocol/contract';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { dueClaims, dueReservations } from '../../src/tasks/taskLegRows.js';
import { leaseNext } from '../../src/db/outbox.js';
import { dueForEvaluation } from '../../src/packages/evaluationRows.js';
import { dueExits } from '../../src/money/sponsorshipRows.js';
import {
  assignedTo,
  claimedBy,
  COMPLETED,
  insertTasks,
  legRow,
  newAddress,
  taskRow,
} from '../operations/digitalTasks/rows.js';
import { insertPackages, packageRow } from '../support/packageRows.js';
import { FinalityScene } from './finalityScene.js';

let scene: FinalityScene;

beforeAll(async () => {
  scene = await FinalityScene.start();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

describe('a listing', () => {
  /** A package to evaluate, a task with an agent whose time is up and one whose turn has come, both over and sponsored. */
  async function due() {
    const { db } = scene;
    const [parcel, over] = [
      packageRow({ evaluate_at: new Date(0) }),
      packageRow({ ...COMPLETED, status: 'delivered' }),
    ];
    await insertPackages(db, [parcel, over]);
    const [task, ended] = [taskRow({ status: 'in_progress', num_legs: 2 }), taskRow(COMPLETED)];
    await insertTasks(
      db,
      [task, ended],
      [
        legRow(task.id, 0, { ...assignedTo(newAddress()), due_at: new Date(0) }),
        legRow(task.id, 1, { ...claimedBy(newAddress()), turn_at: new Date(0) }),
      ],
    );
    for (const subject_id of [over.id, ended.id]) {
      const lamports = toLamports(1n);
      const sponsorship = { subject_id, lamports, poster_pubkey: newAddress(), signed: false, ip: '::1' };
      await db.insertInto('sponsorships').values(sponsorship).execute();
    }
    const subjects = [`package:${parcel.id}`, `package:${over.id}`, `task:${task.id}`, `task:${ended.id}`];
    for (const subject of subjects) {
      await db
        .insertInto('outbox')
        .values({
          kind: 'settle',
          subject,
          unique_key: createUuid(),
          payload: JSON.stringify({ swarmId: createUuid() }),
        })
        .execute();
    }
    return { parcel: parcel.id, over: over.id, task: task.id, ended: ended.id, subjects };
  }

  /** The work that is due now, by its subject. */
  async function decided() {
    const { db } = scene;
    const exits = await dueExits(db, { ledgerTime: new Date(), limit: 9 });
    return {
      evaluated: (await dueForEvaluation(db, { except: [], limit: 9 })).sort(),
      released: (await dueClaims(db, 9)).map(({ task_id: id }) => id).sort(),
      assigned: (await dueReservations(db, 9)).map(({ task_id: id }) => id).sort(),
      closed: exits.map(({ id }) => id).sort(),
    };
  }
  async function leased(): Promise<string[]> {
    const subjects: string[] = [];
    for (let intent; (intent = await leaseNext(scene.db, 60)); ) subjects.push(intent.subject);
    await scene.db.updateTable('outbox').set({ lease_token: null, leased_until: null }).execute();
    return subjects;
  }
  async function aboutAll(subjects: string[], state: 'reverted_at' | 'missing_since') {
    const { signature, slot } = await scene.sign(await scene.listing());
    const row = { signature, slot, subjects: ['package:another', ...subjects], [state]: new Date() };
    await scene.db.insertInto('ledger_transactions').values(row).execute();
  }

  test('of which a transaction is taken back halts, and no other (S-107)', async () => {
    const [halted, going] = [await due(), await due()];
    const all = { evaluated: [halted.parcel, going.parcel], released: [halted.task, going.task] };
    expect(await decided()).toMatchObject(all);
    expect(await leased()).toEqual([...halted.subjects, ...going.subjects]);
    await aboutAll(halted.subjects, 'reverted_at');
    expect(await decided()).toEqual({
      evaluated: [going.parcel],
      released: [going.task],
      assigned: [going.task],
      closed: [going.over, going.ended].sort(),
    });
    expect(await leased()).toEqual(going.subjects);
    await scene.db.deleteFrom('ledger_transactions').execute();
    expect(await decided()).toMatchObject(all);
  });

  test('of which a transaction is missing is decided about, and nothing is signed for it (S-107)', async () => {
    const [doubted, going] = [await due(), await due()];
    await aboutAll(doubted.subjects, 'missing_since');
    expect(await decided()).toMatchObject({ evaluated: [doubted.parcel, going.parcel] });
    expect(await leased()).toEqual(going.subjects);
  });
});
