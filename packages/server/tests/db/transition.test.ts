import {
  createUuid,
  DIGITAL_LEG_STATUSES,
  LEG_STATUSES,
  type MachineEvent,
  type MachineName,
  type MachineStatus,
  nextStatus,
  PACKAGE_STATUSES,
  SWARM_STATUSES,
  TASK_STATUSES,
  toLamports,
} from '@legwork/protocol/contract';
import { type Insertable, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect, type Db } from '../../src/db/connect.js';
import type { Database } from '../../src/db/schema.js';
import { transition, transitionAll } from '../../src/db/transition.js';
import * as digital from '../operations/digitalTasks/rows.js';
import { packageRow } from '../support/packageRows.js';
import { withTestDatabase } from '../support/database.js';
import { migrateAt } from '../support/service.js';

const database = withTestDatabase(migrateAt);
let db: Db;
beforeAll(() => {
  db = connect(database.connectionString, 2, () => undefined);
});
afterAll(() => db.destroy());

const NOW = new Date();
const LISTED = { list_signature: 'listing', listed_at: NOW };
const CONFIRMED = { confirm_signature: 'confirmation', completed_at: NOW };
const PAID = { ...CONFIRMED, paid_lamports: toLamports(1n) };
const PLACES = {
  pickup_lat: 0,
  pickup_lng: 0,
  dropoff_lat: 1,
  dropoff_lng: 1,
  distance_km: 1,
  estimated_duration_min: 1,
  cost_lamports: toLamports(1n),
};

async function insert<T extends keyof Database>(
  table: T,
  row: Insertable<Database[T]> & { id: string },
): Promise<string> {
  await db.insertInto(table).values(row).execute();
  return row.id;
}

function insertPackage(status: MachineStatus['package']): Promise<string> {
  const failed = status === 'failed' ? { failure_reason: 'cancelled' as const } : {};
  return insert('packages', {
    ...packageRow({ ...(status === 'draft' && digital.DRAFT), status, ...failed }),
    id: createUuid(),
  });
}

async function insertSwarm(status: MachineStatus['swarm']): Promise<string> {
  const total = { total_legs: 1, total_lamports: toLamports(1n), exact: true };
  const packageId = await insertPackage('listed');
  return insert('swarms', {
    id: createUuid(),
    package_id: packageId,
    status,
    formation: 1,
    on_chain_swarm: 's',
    ...total,
  });
}

async function insertLeg(status: MachineStatus['leg']): Promise<string> {
  const [packageId, swarmId] = [await insertPackage('listed'), await insertSwarm('active')];
  const agent = { agent_pubkey: digital.newAddress() };
  const bid = { id: createUuid(), package_id: packageId, ...agent, ...PLACES, expires_at: NOW };
  const bidId = await insert('bids', bid);
  const done = status === 'completed' ? PAID : {};
  const terms = { leg_index: 0, formation: 1, agreed_payment_lamports: toLamports(1n), on_chain_leg: 'l' };
  return insert('legs', {
    id: createUuid(),
    swarm_id: swarmId,
    bid_id: bidId,
    ...agent,
    ...PLACES,
    ...terms,
    status,
    ...done,
  });
}

function insertTask(status: MachineStatus['task']): Promise<string> {
  const also = { draft: digital.DRAFT, completed: digital.COMPLETED, failed: digital.RECLAIMED };
  return insert('digital_tasks', digital.taskRow({ status, ...(status in also && also[status as keyof typeof also]) }));
}

async function insertDigitalLeg(status: MachineStatus['digitalLeg']): Promise<string> {
  const agent = digital.newAddress();
  const also = {
    pending: digital.claimedBy(agent),
    in_progress: digital.assignedTo(agent),
    completed: digital.completedBy(agent, 1n),
    failed: { ...digital.assignedTo(agent), status },
  };
  return insert('digital_legs', digital.legRow(await insertTask('in_progress'), 0, also[status]));
}

type Change<M extends MachineName> = NonNullable<Parameters<typeof transition<M>>[4]>;

interface Subject<M extends MachineName> {
  table: keyof Database;
  statuses: readonly MachineStatus[M][];
  /** A row in the status, with all that its table asks of one. */
  insert: (status: MachineStatus[M]) => Promise<string>;
  /** The columns that are written with each event. */
  events: { readonly [E in MachineEvent[M]]: Required<Change<M>>['columns'] };
}

function describeMachine<M extends MachineName>(
  machine: M,
  { table, statuses, insert: insertRow, events }: Subject<M>,
): void {
  const read = async (id: string) =>
    (await sql<Record<string, unknown>>`select * from ${sql.table(table)} where id = ${id}`.execute(db)).rows[0];
  const move = (id: string, event: MachineEvent[M], fence?: Change<M>['fence']) =>
    db
      .transaction()
      .execute((trx) => transition(trx, machine, id, event, { columns: events[event], ...(fence && { fence }) }));
  const names = Object.keys(events) as MachineEvent[M][];
  const pairs = statuses.flatMap((from) => names.map((event) => [from, event] as const));

  describe(`a ${machine}`, () => {
    test.each(pairs)('that is %s follows the table at %s (M-9)', async (from, event) => {
      const [id, bystander] = [await insertRow(from), await insertRow(from)];
      const [before, other] = [await read(id), await read(bystander)];
      const to = nextStatus(machine, from, event);
      const written: object = events[event];

      expect(await move(id, event, (eb) => eb.lit(false))).toBeUndefined();
      expect(await read(id)).toEqual(before);

      const moved = await move(id, event);
      const after = await read(id);
      expect(after).toEqual(to === undefined ? before : { ...before, ...written, status: to });
      expect(moved === undefined).toBe(to === undefined);
      expect(after).toMatchObject(moved ?? {});
      expect(await read(bystander)).toEqual(other);
    });
  });
}

const ended = { failure_reason: 'cancelled', end_signature: 'end' } as const;
const settled = { settle_signature: 'settlement', refund_lamports: toLamports(1n) };

describeMachine('package', {
  table: 'packages',
  statuses: PACKAGE_STATUSES,
  insert: insertPackage,
  events: {
    listing_confirmed: LISTED,
    swarm_chosen: {},
    formation_confirmed: { formation: 7 },
    formation_failed: { failed_formations: 3 },
    settled,
    cancelled: ended,
    reclaimed: { ...ended, failure_reason: 'reclaimed' },
  },
});

describeMachine('swarm', {
  table: 'swarms',
  statuses: SWARM_STATUSES,
  insert: insertSwarm,
  events: {
    formation_confirmed: { form_signature: 'formation' },
    formation_failed: { failure: 'no_money' },
    settled: { settle_signature: 'settlement' },
    cancelled: { failure: 'cancelled' },
    reclaimed: { failure: 'reclaimed' },
  },
});

describeMachine('leg', {
  table: 'legs',
  statuses: LEG_STATUSES,
  insert: insertLeg,
  events: { confirmed: PAID },
});

describeMachine('task', {
  table: 'digital_tasks',
  statuses: TASK_STATUSES,
  insert: insertTask,
  events: {
    listing_confirmed: LISTED,
    leg_assigned: {},
    all_released: {},
    settled,
    cancelled: ended,
    reclaimed: { ...ended, failure_reason: 'reclaimed' },
  },
});

describeMachine('digitalLeg', {
  table: 'digital_legs',
  statuses: DIGITAL_LEG_STATUSES,
  insert: insertDigitalLeg,
  events: {
    assigned: { assign_signature: 'assignment', due_at: NOW },
    released: {
      agent_pubkey: null,
      bid_lamports: null,
      signed: null,
      claimed_at: null,
      assign_signature: null,
      due_at: null,
    },
    confirmed: { ...CONFIRMED, payment_lamports: toLamports(1n), result_hash: 'hash' },
    cancelled: { turn_at: null },
    reclaimed: { turn_at: null },
  },
});

test('a decision about one claim of a digital leg changes nothing of a later one', async () => {
  const id = await insertDigitalLeg('in_progress');
  const confirm = (claim: number) =>
    db.transaction().execute((trx) =>
      transition(trx, 'digitalLeg', id, 'confirmed', {
        columns: { ...CONFIRMED, payment_lamports: toLamports(1n), result_hash: 'hash' },
        fence: (eb) => eb('claim', '=', claim),
      }),
    );
  expect(await confirm(2)).toBeUndefined();
  expect(await confirm(1)).toMatchObject({ id, status: 'completed', claim: 1 });
});

test('a result is not read with its leg', async () => {
  const id = await insertDigitalLeg('in_progress');
  await sql`update digital_legs set result = 'much', result_hash = 'hash' where id = ${id}`.execute(db);
  const columns = { ...CONFIRMED, payment_lamports: toLamports(1n) };
  const leg = await db.transaction().execute((trx) => transition(trx, 'digitalLeg', id, 'confirmed', { columns }));
  expect(leg).toMatchObject({ id, result_hash: 'hash' });
  expect(leg).not.toHaveProperty('result');
});

test('all legs of a task that was reclaimed fail at once, but for those that are completed', async () => {
  const taskId = await insertTask('in_progress');
  const rows = [
    digital.legRow(taskId, 0, digital.completedBy(digital.newAddress(), 1n)),
    digital.legRow(taskId, 1, digital.assignedTo(digital.newAddress())),
    digital.legRow(taskId, 2),
  ];
  for (const row of rows) await insert('digital_legs', row);
  const elsewhere = await insertDigitalLeg('in_progress');
  await db
    .transaction()
    .execute((trx) =>
      transitionAll(trx, 'digitalLeg', (eb) => eb('task_id', '=', taskId), 'reclaimed', { turn_at: null }),
    );
  const legs = await db.selectFrom('digital_legs').select(['task_id', 'status']).orderBy('leg_index').execute();
  const ofTask = legs.filter(({ task_id }) => task_id === taskId).map(({ status }) => status);
  expect(ofTask).toEqual(['completed', 'failed', 'failed']);
  const other = await db.selectFrom('digital_legs').select('status').where('id', '=', elsewhere).executeTakeFirst();
  expect(other).toEqual({ status: 'in_progress' });
});
