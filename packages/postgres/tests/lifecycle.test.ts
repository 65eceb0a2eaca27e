import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PostgresFailedError, PostgresInUseError, startPostgres } from '../src/index.js';
import {
  asSuperuser,
  clusterOf,
  exists,
  namesIn,
  postmasterPid,
  query,
  removeFolder,
  superviseElsewhere,
  temporaryFolder,
  untilEnded,
} from './scenario.js';

// Making a cluster writes a thousand files to disk.
vi.setConfig({ testTimeout: 90_000 });

let dataDir: string;

beforeAll(async () => {
  dataDir = await temporaryFolder();
});

afterAll(() => removeFolder(dataDir));

test('a fresh start makes role and database relay, durable, in UTF-8, on the unix socket alone', async () => {
  const postgres = await startPostgres({ dataDir });
  expect(postgres.adopted).toBe(false);
  expect(
    await query(
      postgres.connectionString,
      `select current_user as me, current_database() as here, rolsuper as super,
              current_setting('listen_addresses') as tcp, current_setting('server_encoding') as encoding, datcollate,
              current_setting('fsync') as fsync, current_setting('synchronous_commit') as sync,
              current_setting('timezone') as timezone
       from pg_roles, pg_database where rolname = current_user and datname = current_database()`,
    ),
  ).toEqual([
    {
      me: 'relay',
      here: 'relay',
      super: false,
      tcp: '',
      encoding: 'UTF8',
      datcollate: 'C',
      fsync: 'on',
      sync: 'on',
      timezone: 'UTC',
    },
  ]);
  const socketDir = postgres.poolConfig.host ?? '';
  expect((await stat(socketDir)).mode & 0o777).toBe(0o700);
  expect(await namesIn(socketDir)).toContain('.s.PGSQL.5432');
  await postgres.stop();
});

test('stop ends the server, a restart keeps the rows, for pg and for Kysely', async () => {
  const first = await startPostgres({ dataDir });
  await query(first.connectionString, 'create table kept as select 1 as id');
  const pid = await postmasterPid(dataDir);
  await Promise.all([first.stop(), first.stop()]);
  await untilEnded(pid);
  expect(await exists(join(clusterOf(dataDir), 'postmaster.pid'))).toBe(false);

  const second = await startPostgres({ dataDir });
  expect(second.adopted).toBe(false);
  const pool = new Pool(second.poolConfig);
  // A pool says it has ended before its connections have: the stopping server may still speak to one.
  pool.on('error', () => undefined);
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  expect((await sql`select id from kept`.execute(db)).rows).toEqual([{ id: 1 }]);
  await db.destroy();
  await second.stop();
});

test('stop sends away a client that would stay', async () => {
  const postgres = await startPostgres({ dataDir });
  const pid = await postmasterPid(dataDir);
  const outcome = query(postgres.connectionString, 'select pg_sleep(600)').catch((error: unknown) => error);
  await postgres.stop();
  await untilEnded(pid);
  expect(await outcome).toBeInstanceOf(Error);
});

test('a second start on the same folder is refused and leaves the first alone', async () => {
  const first = await startPostgres({ dataDir });
  const refusal = startPostgres({ dataDir });
  await expect(refusal).rejects.toBeInstanceOf(PostgresInUseError);
  await expect(refusal).rejects.toThrow(`process ${process.pid}`);
  expect(await query(first.connectionString, 'select 1 as one')).toEqual([{ one: 1 }]);
  await first.stop();
});

test('Ctrl-C in the terminal does not reach the server', async () => {
  const elsewhere = await superviseElsewhere(dataDir);
  const group = elsewhere.child.pid ?? Number.NaN;
  const interrupted = once(elsewhere.child, 'message');
  process.kill(-group, 'SIGINT');
  expect((await interrupted)[0]).toBe('interrupted');
  expect(await query(elsewhere.connectionString, 'select 1 as one')).toEqual([{ one: 1 }]);
  const pid = await postmasterPid(dataDir);
  await elsewhere.stop();
  await untilEnded(pid);
  expect(elsewhere.printed()).toBe('');
  expect(await readFile(join(dataDir, 'postgres.log'), 'utf8')).toContain('ready to accept connections');
});

test('settings changed by the operator stay', async () => {
  const first = await startPostgres({ dataDir });
  await query(asSuperuser(first.connectionString), 'alter system set max_connections = 33');
  await first.stop();
  const second = await startPostgres({ dataDir });
  expect(await query(second.connectionString, 'show max_connections')).toEqual([{ max_connections: '33' }]);
  await second.stop();
});

describe('on a new folder', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await temporaryFolder();
  });
  afterAll(() => removeFolder(folder));

  test('of two starts at the same moment exactly one wins', async () => {
    const contested = join(folder, 'contested');
    const outcomes = await Promise.allSettled([
      startPostgres({ dataDir: contested }),
      startPostgres({ dataDir: contested }),
    ]);
    const winners = outcomes.filter((outcome) => outcome.status === 'fulfilled');
    const losers = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(losers.map((loser): unknown => loser.reason)).toEqual([expect.any(PostgresInUseError)]);
    expect(await namesIn(join(contested, 'postgres'))).toEqual(['cluster', 'run']);
    for (const winner of winners) {
      expect(await query(winner.value.connectionString, 'select 1 as one')).toEqual([{ one: 1 }]);
      await winner.value.stop();
    }
  });

  test('a copy of the data works under a deep path with blanks and umlauts, its socket always in the same closed folder elsewhere', async () => {
    const deep = join(folder, 'für alle Kuriere', randomBytes(60).toString('hex'), randomBytes(60).toString('hex'));
    await cp(dataDir, deep, { recursive: true });
    const first = await startPostgres({ dataDir: deep });
    expect(first.adopted).toBe(false);
    const socketDir = first.poolConfig.host ?? '';
    expect(socketDir.startsWith(folder)).toBe(false);
    expect((await stat(socketDir)).mode & 0o777).toBe(0o700);
    await query(first.connectionString, 'insert into kept values (7)');
    await first.stop();
    const second = await startPostgres({ dataDir: deep });
    expect(second.connectionString).toBe(first.connectionString);
    expect(await query(second.connectionString, 'select id from kept')).toEqual([{ id: 1 }, { id: 7 }]);
    await second.stop();
    await removeFolder(socketDir);
  });

  test('a cluster folder with other files in it is refused and left alone', async () => {
    const foreign = join(folder, 'foreign');
    const note = join(clusterOf(foreign), 'note.txt');
    await mkdir(clusterOf(foreign), { recursive: true });
    await writeFile(note, 'mine');
    await expect(startPostgres({ dataDir: foreign })).rejects.toBeInstanceOf(PostgresFailedError);
    expect(await readFile(note, 'utf8')).toBe('mine');
  });

  test('a broken configuration is reported in the words of the server', async () => {
    const broken = join(folder, 'contested');
    await writeFile(join(clusterOf(broken), 'postgresql.auto.conf'), 'shared_buffers = plenty\n');
    await expect(startPostgres({ dataDir: broken })).rejects.toThrow(/shared_buffers.*plenty/s);
  });
});
