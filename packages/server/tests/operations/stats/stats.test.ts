import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect, type Db } from '../../../src/db/connect.js';
import { keepCounts } from '../../../src/db/counts.js';
import {
  assignedTo,
  claimedBy,
  completedBy,
  COMPLETED,
  DRAFT,
  insertTasks,
  legRow,
  RECLAIMED,
  taskRow,
} from '../digitalTasks/rows.js';
import { withTestDatabase } from '../../support/database.js';
import { confirmAll, formedPackage, untilPackage } from '../../support/market.js';
import { migrateAt, withService } from '../../support/service.js';
import { insertPackages, newWallet, packageRow } from '../../support/packageRows.js';

describe('getStats', () => {
  const service = withService();

  test('counts the market and what confirmed legs paid, to the lamport (S-86)', async () => {
    const market = await formedPackage(service.current, [
      ['zoo', 'hauptbahnhof', 0.03],
      ['hauptbahnhof', 'ostkreuz', 0.05],
    ]);
    await confirmAll(service.current, market);
    await untilPackage(service.current, market.parcel.id, ({ status }) => status === 'delivered');
    await formedPackage(service.current, [['zoo', 'ostkreuz', 0.1]]);
    await insertPackages(service.current.db, [
      packageRow(),
      packageRow({ status: 'draft', listed_at: null, list_signature: null }),
      packageRow({ status: 'failed', failure_reason: 'cancelled' }),
    ]);
    const [agent, tasks] = [
      await newWallet(),
      [
        taskRow(),
        taskRow(),
        taskRow({ status: 'in_progress' }),
        taskRow(COMPLETED),
        taskRow(RECLAIMED),
        taskRow(DRAFT),
      ],
    ];
    // Pay counts once it is confirmed.
    const states = [claimedBy(agent), {}, assignedTo(agent), completedBy(agent, 4_000_001n), {}, {}];
    await insertTasks(
      service.current.db,
      tasks,
      tasks.map((task, index) => legRow(task.id, 0, states[index])),
    );
    await market.shipper.client.registerAgent({ agentPubkey: await newWallet() });

    const { client } = market.shipper;
    await expect.poll(async () => (await client.getStats()).packages).toBe(4);
    // floor(bid * 3 * 50 / 700) on top of each bid; the third leg is not confirmed.
    const volumeLamports = 36_428_571n + 60_714_285n + 4_000_001n;
    expect(await client.getStats()).toEqual({
      packages: 4,
      packagesByStatus: { listed: 1, swarm_forming: 0, in_transit: 1, delivered: 1, failed: 1 },
      digitalTasks: 5,
      digitalTasksByStatus: { listed: 2, in_progress: 1, completed: 1, failed: 1 },
      swarms: 2,
      bids: 3,
      agents: 1,
      volumeLamports,
      volumeSol: 0.101142857,
      // Of the packages 0.5 SOL in transit and 9 lamports listed, of the tasks the budgets of three, none paid in part.
      escrowLamports: 500_000_009n + 3n * 4_000_001n,
      assets: [],
      lastEventSeq: expect.any(Number),
      medianFormationMs: expect.any(Number),
    });
  });
});

describe('counts that are kept', () => {
  const database = withTestDatabase(migrateAt, 'service');
  let db: Db;
  beforeAll(() => {
    db = connect(database.connectionString, 2, () => undefined);
  });
  afterAll(() => db.destroy());

  test('are taken once for everybody who asks at the same time, and again when they are a second old (S-23)', async () => {
    let now = 5_000;
    const counts = keepCounts(db, () => now);
    const first = counts();
    expect(counts()).toBe(first);
    const { packages } = await first;

    await insertPackages(db, [packageRow()]);
    now += 1_000;
    const second = await counts();
    expect(second.packages.listed).toBe(packages.listed + 1);
    await insertPackages(db, [packageRow()]);
    now += 999;
    expect(await counts()).toBe(second);
    now += 1;
    expect((await counts()).packages.listed).toBe(packages.listed + 2);
  });

  test('are taken one at a time, and kept for twenty times as long as it took (S-23)', async () => {
    let now = 5_000;
    const counts = keepCounts(db, () => now);
    const first = counts();
    now += 10_000;
    expect(counts()).toBe(first);
    await first;
    now = 5_000 + 20 * 10_000 - 1;
    expect(counts()).toBe(first);
    now += 1;
    expect(counts()).not.toBe(first);
  });

  test('that failed are not kept', async () => {
    const counts = keepCounts(db, () => 0);
    await sql`alter table bids rename to elsewhere`.execute(db);
    await expect(counts()).rejects.toThrow('bids');
    await sql`alter table elsewhere rename to bids`.execute(db);
    expect(await counts()).toMatchObject({ bids: 0 });
  });
});
