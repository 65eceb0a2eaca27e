import { Client } from 'pg';
import { expect, inject, test } from 'vitest';
import { createTestDatabase, withTestDatabase } from '../support/database.js';

let migrations = 0;

async function migrate(connectionString: string): Promise<void> {
  migrations += 1;
  await query(connectionString, 'create table parcel (id int primary key)');
}

async function query(connectionString: string, text: string): Promise<unknown[]> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

const database = withTestDatabase(migrate);

test('a file gets a migrated database that the role relay owns', async () => {
  expect(await query(database.connectionString, 'select current_user as me, count(*)::int as n from parcel')).toEqual([
    { me: 'relay', n: 0 },
  ]);
});

test('clones share nothing but the migrations, which run once', async () => {
  const clones = await Promise.all([createTestDatabase(migrate), createTestDatabase(migrate)]);
  const [first, second] = clones;
  await query(first?.connectionString ?? '', 'insert into parcel values (1)');
  expect(await query(second?.connectionString ?? '', 'select * from parcel')).toEqual([]);
  expect(migrations).toBe(1);
  await Promise.all(clones.map((clone) => clone.drop()));
});

test('another migration set has another template', async () => {
  const other = await createTestDatabase(async (url) => void (await query(url, 'create table courier (id int)')));
  expect(await query(other.connectionString, 'select * from courier')).toEqual([]);
  await expect(query(other.connectionString, 'select * from parcel')).rejects.toThrow(/parcel/);
  await other.drop();
});

test('a failed migration leaves no template behind', async () => {
  const failing = () => Promise.reject(new Error('migration 3 failed'));
  await expect(createTestDatabase(failing, 'failing')).rejects.toThrow('migration 3 failed');
  const repaired = await createTestDatabase(
    (url) => query(url, 'create table leg ()').then(() => undefined),
    'failing',
  );
  expect(await query(repaired.connectionString, 'select * from leg')).toEqual([]);
  await repaired.drop();
});

test('dropping a database cuts the connections still open to it', async () => {
  const clone = await createTestDatabase(migrate);
  const client = new Client({ connectionString: clone.connectionString });
  client.on('error', () => undefined);
  await client.connect();
  const ended = new Promise((resolve) => {
    client.once('end', resolve);
  });
  await clone.drop();
  await ended;
  await expect(query(clone.connectionString, 'select 1')).rejects.toThrow(/does not exist/);
});

test('the shared server takes no time for durability, which tests do not need', async () => {
  const { host, port } = inject('postgres');
  expect(host).toMatch(/^\//);
  expect(port).toBeGreaterThan(0);
  expect(await query(database.connectionString, 'show fsync')).toEqual([{ fsync: 'off' }]);
});
