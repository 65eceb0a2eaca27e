import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { startPostgres } from '../src/index.js';
import {
  clusterOf,
  eventually,
  forkSupervisor,
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

test('after SIGKILL of the supervising process the next start adopts the server, and stop stops it', async () => {
  const killed = await superviseElsewhere(dataDir);
  expect(killed.adopted).toBe(false);
  await query(killed.connectionString, 'create table kept as select 1 as id');
  const pid = await postmasterPid(dataDir);
  await killed.kill();

  const postgres = await startPostgres({ dataDir });
  expect(postgres.adopted).toBe(true);
  expect(postgres.connectionString).toBe(killed.connectionString);
  expect(await postmasterPid(dataDir)).toBe(pid);
  expect(await query(postgres.connectionString, 'select id from kept')).toEqual([{ id: 1 }]);
  await postgres.stop();
  await untilEnded(pid);
});

test('after SIGKILL of everything the next start recovers what was committed', async () => {
  const killed = await superviseElsewhere(dataDir);
  await query(killed.connectionString, 'insert into kept values (2)');
  const pid = await postmasterPid(dataDir);
  await killed.kill();
  process.kill(pid, 'SIGKILL');
  await untilEnded(pid);

  const postgres = await startPostgres({ dataDir });
  expect(postgres.adopted).toBe(false);
  expect(await query(postgres.connectionString, 'select id from kept order by id')).toEqual([{ id: 1 }, { id: 2 }]);
  await postgres.stop();
});

test('a server that is killed under a living supervisor comes back under the same address', async () => {
  const lines: string[] = [];
  const postgres = await startPostgres({ dataDir, log: (line) => lines.push(line) });
  const pid = await postmasterPid(dataDir);
  process.kill(pid, 'SIGKILL');
  await untilEnded(pid);
  const rows = await eventually(async () => query(postgres.connectionString, 'select count(*)::int as n from kept'));
  expect(rows).toEqual([{ n: 2 }]);
  await eventually(async () => lines.some((line) => line.startsWith('PostgreSQL is back')));
  const next = await postmasterPid(dataDir);
  expect(next).not.toBe(pid);
  await postgres.stop();
  await untilEnded(next);
});

test('a supervisor whose connection is cut keeps its claim', async () => {
  const lines: string[] = [];
  const postgres = await startPostgres({ dataDir, log: (line) => lines.push(line) });
  const superuser = postgres.connectionString.replace('relay@/relay', 'postgres@/postgres');
  await query(
    superuser,
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name like '%supervisor%'`,
  );
  await eventually(async () => lines.some((line) => line.startsWith('PostgreSQL is back')));
  await expect(startPostgres({ dataDir })).rejects.toThrow(/in use/);
  await postgres.stop();
});

test('a server process that is still busy after its postmaster was killed is waited for, then ended', async () => {
  const killed = await superviseElsewhere(dataDir);
  // Never waits for anything, so it does not notice on its own.
  const busy = query(killed.connectionString, `do $$ begin loop perform 1; end loop; end $$`).catch(
    (error: unknown) => error,
  );
  await eventually(async () => {
    const rows = await query(killed.connectionString, `select pid from pg_stat_activity where query like 'do $$%'`);
    return rows.length > 0;
  });
  const pid = await postmasterPid(dataDir);
  await killed.kill();
  process.kill(pid, 'SIGKILL');
  await untilEnded(pid);

  const postgres = await startPostgres({ dataDir });
  expect(await busy).toBeInstanceOf(Error);
  expect(await query(postgres.connectionString, 'select count(*)::int as n from kept')).toEqual([{ n: 2 }]);
  await postgres.stop();
});

describe('lock files left behind', () => {
  /** A program of the server's account that is no server. */
  async function bystander(): Promise<number> {
    const { uid, gid } = await stat(clusterOf(dataDir));
    const child = spawn('sleep', ['600'], { uid, gid, stdio: 'ignore' });
    await once(child, 'spawn');
    onTestFinished(() => {
      // It is none of the supervisor's business.
      expect(child.signalCode).toBeNull();
      child.kill('SIGKILL');
    });
    return child.pid ?? Number.NaN;
  }

  async function leave(file: string, text: string): Promise<void> {
    await writeFile(file, text, { mode: 0o600 });
    const { uid, gid } = await stat(clusterOf(dataDir));
    await chown(file, uid, gid);
  }

  test.each([
    ['of a process that is gone', async () => '4194304'],
    ['whose number another program has now', async () => String(await bystander())],
    ['torn in the writing', async () => ''],
  ])('%s do not hinder a start', async (_, number) => {
    const pid = await number();
    await leave(
      join(clusterOf(dataDir), 'postmaster.pid'),
      pid && `${pid}\n${clusterOf(dataDir)}\n1\n5432\n../run\n\n`,
    );
    await leave(join(dataDir, 'postgres', 'run', '.s.PGSQL.5432.lock'), pid && `${pid}\n`);
    const postgres = await startPostgres({ dataDir });
    expect(postgres.adopted).toBe(false);
    await postgres.stop();
  });
});

test('a start that is killed while it makes the cluster leaves nothing that hinders the next', async () => {
  const folder = await temporaryFolder();
  onTestFinished(() => removeFolder(folder));
  await mkdir(join(folder, 'postgres'), { recursive: true });
  const child = forkSupervisor(folder);
  await eventually(async () => {
    const unfinished = (await namesIn(join(folder, 'postgres'))).find((name) => name.startsWith('initdb-'));
    return unfinished && (await namesIn(join(folder, 'postgres', unfinished))).length > 3;
  });
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
  expect(await namesIn(clusterOf(folder))).toEqual([]);

  const postgres = await startPostgres({ dataDir: folder });
  expect(await query(postgres.connectionString, 'select 1 as one')).toEqual([{ one: 1 }]);
  expect(await namesIn(join(folder, 'postgres'))).toEqual(['cluster', 'run']);
  expect(await readFile(join(clusterOf(folder), 'PG_VERSION'), 'utf8')).toMatch(/^\d+/);
  await postgres.stop();
});
