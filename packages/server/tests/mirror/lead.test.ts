import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { connect, type Db } from '../../src/db/connect.js';
import { readMeta, setMeta } from '../../src/db/migrate.js';
import { Lead } from '../../src/mirror/lead.js';
import { startServer } from '../../src/startServer.js';
import { withTestDatabase } from '../support/database.js';
import { migrateAt, withService } from '../support/service.js';
import { until } from '../support/until.js';
import { untilListed, Wallets } from './walletScene.js';

const database = withTestDatabase(migrateAt);
const service = withService();

const leaderOf = async (db: Db) => (await readMeta(db, 'lead'))?.split(' ')[0];

test('[S-51] one replica leads, until it gives up or has not renewed its lead for ten seconds', async () => {
  const db = connect(database.connectionString, 6, () => undefined);
  const leads = Array.from({ length: 5 }, () => new Lead(db));
  const taken = await Promise.all(leads.map((lead) => lead.take()));
  expect(taken.filter(Boolean)).toHaveLength(1);
  await leads.find(({ isOurs }) => isOurs)?.giveUp();
  expect(leads.some(({ isOurs }) => isOurs)).toBe(false);
  expect([await new Lead(db).take(), await new Lead(db).take()]).toEqual([true, false]);
  const left = sql<{
    left: number;
  }>`select split_part(value, ' ', 2)::float8 - extract(epoch from now())::float8 as left from meta where key = 'lead'`;
  expect((await left.execute(db)).rows[0]?.left).toBeLessThanOrEqual(10);
  const end = sql`update meta set value = split_part(value, ' ', 1) || ' ' || extract(epoch from now()) - 0.001 where key = 'lead'`;
  await end.execute(db);
  expect(await new Lead(db).take()).toBe(true);
  // The clock of a database whose standby was promoted may be behind.
  for (const value of ['somebody 99999999999.5', 'somebody', 'somebody soon', '']) {
    await setMeta(db, 'lead', value);
    expect(await new Lead(db).take()).toBe(true);
  }
  await db.destroy();
});

test('[S-51] a replica writes what its leader leaves undone, and leads when that one ends', async () => {
  const { config, db } = await service.current.context();
  const first = await until('a leader', () => leaderOf(db));
  const other = await startServer({ ...config, port: 0 });
  expect(await leaderOf(db)).toBe(first);
  // It renews its lead, and does nothing else.
  const idle = await until('an idle leader', async () => {
    const lead = new Lead(db);
    await setMeta(db, 'lead', 'nobody');
    return (await lead.take()) && lead;
  });
  const renewing = setInterval(() => void idle.take(), 500);
  const shipper = await service.current.party();
  const wallets = new Wallets(service.current);
  const { packageId, instruction } = await wallets.listing(shipper);
  await wallets.send(shipper, [instruction]);
  await untilListed(service.current, packageId);
  expect(await idle.take()).toBe(true);
  clearInterval(renewing);
  await idle.giveUp();
  await until('another leader', () => leaderOf(db));
  await other.close();
  await until('the one that is left', async () => (await leaderOf(db)) === first);
  await db.destroy();
});
