import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@legwork/postgres';
import { PostgresAdapter, sql } from 'kysely';
import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startCommand } from '../../../cli/tests/support/command.js';
import { loadConfig } from '../../src/config.js';
import { startServer } from '../../src/startServer.js';
import { createTestDatabase } from '../support/database.js';
import { LyingNode } from '../support/lyingNode.js';
import { withService } from '../support/service.js';
import { SilentProxy } from '../support/silentProxy.js';
import { until } from '../support/until.js';

/** A bound for a machine that is busy with other tests. */
const SLOW = 240_000;
const service = withService();
const databaseUrl = () => service.current.environment()['DATABASE_URL'] ?? '';

/** Starts another service beside the one of this file, with these changes. */
function begin(changes: Record<string, string>) {
  const lines: string[] = [];
  const config = loadConfig({ ...service.current.environment(), LOG_LEVEL: 'silent', ...changes });
  const starting = startServer(config, { tell: (line) => void lines.push(line) });
  onTestFinished(() => starting.then((server) => server.close()).catch(() => undefined));
  return {
    lines,
    /** Resolves once the person who starts it is told what it waits for; rejects when the start ends before. */
    told: () => Promise.race([until('a line', async () => lines.length > 0), starting.then(endedUntold)]),
    /** Resolves once the service is ready. */
    ready: async () => {
      const { url } = await starting;
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
    },
    starting,
  };
}

const endedUntold = () => Promise.reject(new Error('it started and did not wait'));

/** A port on which nobody listens yet. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function lyingNode(): Promise<LyingNode> {
  const node = await LyingNode.start(service.current.ledger.rpcUrl);
  onTestFinished(() => node.close());
  return node;
}

async function proxy(port?: number): Promise<SilentProxy> {
  const between = await SilentProxy.start(databaseUrl(), port);
  onTestFinished(() => between.close());
  return between;
}

describe('a start waits for what passes by itself, and says once what for (S-81)', () => {
  test('a ledger that refuses connections', { timeout: SLOW }, async () => {
    const node = await lyingNode();
    const refusal = await node.begin({ kind: 'refused' });
    const { told, lines, ready } = begin({ SOLANA_RPC_URL: node.url });
    await told();
    await refusal.end();
    await ready();
    expect(lines).toEqual([
      expect.stringMatching(
        /^The ledger that SOLANA_RPC_URL names cannot be used: connect ECONNREFUSED .*\. Waiting for it since \d\d:\d\d:\d\d UTC, for up to 60 s\.$/,
      ),
    ]);
  });

  test('a ledger that is silent', { timeout: SLOW }, async () => {
    const node = await lyingNode();
    const silence = await node.begin({ kind: 'silent' });
    const { told, lines, ready } = begin({ SOLANA_RPC_URL: node.url });
    await told();
    await silence.end();
    await ready();
    expect(lines).toEqual([expect.stringMatching(/^The ledger .* no answer in time\. Waiting for it since /)]);
  });

  test('a ledger that is behind, and does not show the program yet', { timeout: SLOW }, async () => {
    const node = await lyingNode();
    await node.begin({ kind: 'rpc', code: -32_005, message: 'Node is behind by 42 slots' }, ['getHealth']);
    await node.begin({ kind: 'says', result: { context: { slot: 1 }, value: null } }, ['getAccountInfo']);
    const { told, lines, ready } = begin({ SOLANA_RPC_URL: node.url });
    await told();
    await node.mend();
    await ready();
    expect(lines).toEqual([expect.stringMatching(/^The ledger .* Waiting for it since /)]);
  });

  test('a database that refuses connections', { timeout: SLOW }, async () => {
    const port = await freePort();
    const DATABASE_URL = databaseUrl().replace(/@\/(\w+)\?.*/, `@127.0.0.1:${port}/$1?sslmode=disable`);
    const { told, lines, ready } = begin({ DATABASE_URL });
    await told();
    expect(lines).toEqual([
      expect.stringMatching(
        /^The database that DATABASE_URL names cannot be used: connect ECONNREFUSED .*\. Waiting for it since \d\d:\d\d:\d\d UTC, for up to 60 s\.$/,
      ),
    ]);
    await proxy(port);
    await ready();
  });

  test('a database that takes connections and is silent', { timeout: SLOW }, async () => {
    const between = await proxy();
    between.silence();
    const { told, lines, ready } = begin({ DATABASE_URL: between.through(databaseUrl()) });
    await told();
    between.mend();
    await ready();
    expect(lines).toEqual([expect.stringMatching(/^The database .*time.*\. Waiting for it since /)]);
  });

  test('another service that migrates', { timeout: SLOW }, async () => {
    const { db } = service.current;
    const { told, lines, ready, holder } = await db.connection().execute(async (ours) => {
      const adapter = new PostgresAdapter();
      const lock = { lockTable: '', lockRowId: '' };
      await adapter.acquireMigrationLock(ours, lock);
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(ours);
      const begun = begin({});
      await begun.told();
      await adapter.releaseMigrationLock(ours, lock);
      return { ...begun, holder: rows[0]?.pid };
    });
    await told();
    await ready();
    expect(lines).toEqual([
      expect.stringMatching(
        `^Session ${holder} of the database \\(legwork, .*\\) holds what the migration .* pg_terminate_backend\\(${holder}\\)`,
      ),
    ]);
  });

  test('another service that stands still amid its migrations: PostgreSQL ends it', { timeout: SLOW }, async () => {
    const database = await createTestDatabase(() => Promise.resolve(), 'empty');
    onTestFinished(() => database.drop());
    const client = new Client({ connectionString: database.connectionString });
    await client.connect();
    // The first migration waits for whether this comes to be.
    await client.query('begin; create table meta ()');
    const changes = { DATABASE_URL: database.connectionString };
    const first = startCommand(['serve'], { ...service.current.environment(), ...changes });
    await first.shows('holds what the migration of the schema needs');
    first.child.kill('SIGSTOP');
    onTestFinished(() => void first.child.kill('SIGKILL'));
    await client.query('rollback');
    await client.end();
    const { told, lines, ready } = begin(changes);
    await told();
    await ready();
    expect(lines).toEqual([expect.stringMatching(/^Session \d+ of the database \(legwork, at it since /)]);
  });
});

describe('[S-81] a PostgreSQL of its own', () => {
  test('that is starting up is waited for; then a wrong password ends the start at once', {
    timeout: SLOW,
  }, async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'legwork-starting-'));
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
    const cluster = join(dataDir, 'postgres', 'cluster');
    const first = await startPostgres({ dataDir });
    await asSuperuser(first, `alter system set hot_standby = off`);
    await first.stop();
    // A standby that serves nobody says 57P03 until it is promoted.
    await writeFile(join(cluster, 'standby.signal'), '');
    const starting = startPostgres({ dataDir });
    onTestFinished(async () => (await starting).stop());
    const DATABASE_URL = first.connectionString;
    const { lines, ready } = begin({ DATABASE_URL });
    await until('57P03', async () => lines.some((line) => line.includes('the database system is ')));
    await writeFile(join(cluster, 'promote'), '');
    process.kill(Number.parseInt(await readFile(join(cluster, 'postmaster.pid'), 'utf8'), 10), 'SIGUSR1');
    await ready();
    expect(lines.at(-1)).toMatch(/^The database .* the database system is .*\. Waiting for it since /);

    const rules = join(cluster, 'pg_hba.conf');
    await writeFile(rules, `local all relay scram-sha-256\n${await readFile(rules, 'utf8')}`);
    await asSuperuser(await starting, `alter role relay password 'right'; select pg_reload_conf()`);
    const connectionString = DATABASE_URL.replace('relay@', 'relay:hunter2@');
    await until('the rules to be read', async () => {
      const client = new Client({ connectionString });
      return client.connect().then(
        () => client.end().then(() => false),
        () => true,
      );
    });
    const wrong = begin({ DATABASE_URL: connectionString });
    await expect(wrong.starting).rejects.toThrow(
      /^The database that DATABASE_URL names cannot be used: password authentication failed for user "relay"\. Set the right user and password\.$/,
    );
    expect(wrong.lines).toEqual([]);
  });
});

async function asSuperuser({ poolConfig }: Awaited<ReturnType<typeof startPostgres>>, statements: string) {
  const client = new Client({ ...poolConfig, user: 'postgres', database: 'postgres' });
  await client.connect();
  await client.query(statements);
  await client.end();
}

describe('[S-44] SIGTERM ends in order what waits for its database', () => {
  const nowhere = async () => ({
    ...service.current.environment(),
    DATABASE_URL: `postgresql://relay@127.0.0.1:${await freePort()}/x`,
  });

  test('legwork serve', { timeout: SLOW }, async () => {
    const command = startCommand(['serve'], await nowhere());
    await command.shows('Waiting for it since');
    command.child.kill('SIGTERM');
    expect(await command.ended).toEqual({ code: 0, signal: null });
  });

  test('legwork start', { timeout: SLOW }, async () => {
    const command = startCommand(['start', '--ephemeral'], await nowhere());
    await command.shows('Waiting for it since');
    command.child.kill('SIGTERM');
    expect(await command.ended).toEqual({ code: 0, signal: null });
    expect(command.stderr()).toBe('');
  });
});
