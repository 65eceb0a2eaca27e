import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ConfigError, loadConfig } from '../../src/config.js';
import {
  NewerSchemaError,
  OldPostgresError,
  PortInUseError,
  SharedSessionError,
  UnreachableError,
} from '../../src/errors.js';
import { startServer } from '../../src/startServer.js';
import { createTestDatabase } from '../support/database.js';
import { migrateAt, withService } from '../support/service.js';

const NOWHERE = '127.0.0.1:1';
const service = withService();

/** Starts another service beside the one of this file, with these changes. */
function startWith(changes: Record<string, string>): Promise<unknown> {
  const usual = { ...service.current.environment(), LOG_LEVEL: 'silent', START_WAIT_SEC: '0' };
  return startServer(loadConfig({ ...usual, ...changes }));
}

/** A port that is taken as long as the test runs. */
async function takenPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describe('a start that cannot succeed says which setting is wrong', () => {
  test('a setting that is missing or empty, and one that is malformed', () => {
    const load = () => loadConfig({ DATABASE_URL: '', METRICS_PORT: '70000', RELAY_PROGRAM_ID: 'relay' });
    expect(load).toThrow(ConfigError);
    expect(load).toThrow(/DATABASE_URL is not set; SOLANA_RPC_URL is not set;/);
    expect(load).toThrow(/RELAY_PROGRAM_ID: must be the base58 address of a program/);
    expect(load).toThrow(/METRICS_PORT: .*65535/);
  });

  test('real money for anybody who asks: sponsoring on mainnet-beta without API keys (S-17)', () => {
    const load = (changes: Record<string, string>) =>
      loadConfig({ ...service.current.environment(), SOLANA_CLUSTER: 'mainnet-beta', ...changes });
    expect(() => load({})).toThrow(ConfigError);
    expect(() => load({})).toThrow(/API_KEYS is not set, .*set API_KEYS, or SPONSOR_TASK_SOL=0/);
    expect(load({ API_KEYS: 'a-key-of-many-characters' }).apiKeys).toHaveLength(1);
    expect(load({ SPONSOR_TASK_SOL: '0' }).sponsorCaps.task).toBe(0n);
    // Test clusters stay open to anybody.
    expect(load({ SOLANA_CLUSTER: 'devnet' }).apiKeys).toEqual([]);
  });

  test('a database that is not there, without its password', async () => {
    const started = startWith({ DATABASE_URL: `postgresql://relay:hunter2@${NOWHERE}/relay` });
    await expect(started).rejects.toThrow(UnreachableError);
    await expect(started).rejects.toThrow(/^The database that DATABASE_URL names cannot be used: connect ECONNREFUSED/);
    await expect(started).rejects.not.toThrow(/hunter2/);
  });

  test.each([
    ['START_WAIT_SEC', '0', /ECONNREFUSED [^ ]+\.$/],
    ['START_WAIT_SEC', '1', /ECONNREFUSED [^ ]+\. It was waited for 1 s \(START_WAIT_SEC\)\.$/],
  ])('what does not answer within %s=%s (S-81)', async (setting, value, says) => {
    await expect(startWith({ [setting]: value, DATABASE_URL: `postgresql://relay@${NOWHERE}/x` })).rejects.toThrow(
      says,
    );
    await expect(startWith({ [setting]: value, SOLANA_RPC_URL: `http://${NOWHERE}` })).rejects.toThrow(says);
  });

  /** What ends the start; fails when it waits. */
  const endedBy = async (changes: Record<string, string>) => {
    const told: string[] = [];
    const config = loadConfig({ ...service.current.environment(), LOG_LEVEL: 'silent', ...changes });
    const error = await startServer(config, { tell: (line) => void told.push(line) }).catch(
      (thrown: unknown) => thrown,
    );
    expect(told).toEqual([]);
    return error instanceof Error ? error.message : 'it started';
  };

  test.each([
    ['role', /relay@/, 'nobody@', /role "nobody" does not exist\. Let its pg_hba\.conf admit/],
    [
      'database',
      /\/\w+\?/,
      '/nothing?',
      /database "nothing" does not exist\. Create that database, or name another one\.$/,
    ],
  ])('a %s that the database does not know, at once (S-81)', async (_what, part, wrong, says) => {
    const usual = service.current.environment()['DATABASE_URL'] ?? '';
    expect(await endedBy({ DATABASE_URL: usual.replace(part, wrong) })).toMatch(says);
  });

  test.each([
    ['a page', 200, '<!doctype html>', /is not valid JSON\. Name the JSON-RPC of a node/],
    [
      'no JSON-RPC',
      200,
      '{"status":"ok"}',
      /SOLANA_RPC_URL: what answers there is not the JSON-RPC of a Solana cluster/,
    ],
    ['a refusal', 403, '{}', /\(403\).*Name the JSON-RPC of a node that takes requests from here/],
  ])('a ledger that is %s, at once (S-81)', async (_what, status, body, says) => {
    const page = createHttpServer((_, reply) => reply.writeHead(status).end(body)).listen(0, '127.0.0.1');
    await once(page, 'listening');
    onTestFinished(() => void page.close());
    const { port } = page.address() as AddressInfo;
    expect(await endedBy({ SOLANA_RPC_URL: `http://127.0.0.1:${port}` })).toMatch(says);
  });

  test("a ledger's WebSocket, at once (S-81)", async () => {
    const { wsUrl } = service.current.ledger;
    expect(await endedBy({ SOLANA_RPC_URL: wsUrl.replace('ws', 'http') })).toMatch(/Name the JSON-RPC of a node/);
  });

  test('a program that the ledger does not show, and says that it is not behind, at once (S-81)', async () => {
    const RELAY_PROGRAM_ID = 'Stake11111111111111111111111111111111111111';
    expect(await endedBy({ RELAY_PROGRAM_ID })).toMatch(/no initialised program at Stake1.*legwork program deploy/);
  });

  test('a database that a newer version has upgraded', async () => {
    const database = await createTestDatabase(migrateAt);
    onTestFinished(() => database.drop());
    const client = new Client({ connectionString: database.connectionString });
    await client.connect();
    await client.query(`insert into kysely_migration (name, timestamp) values ('9999_of_tomorrow', '')`);
    await client.end();
    const started = startWith({ DATABASE_URL: database.connectionString });
    await expect(started).rejects.toThrow(NewerSchemaError);
    await expect(started).rejects.toThrow(/\(9999_of_tomorrow\).*Start the newer version, or restore the backup/);
  });

  /** Another service's start at a database where these functions of PostgreSQL say something else. */
  async function startWhere(functions: string): Promise<unknown> {
    const database = await createTestDatabase(migrateAt);
    onTestFinished(() => database.drop());
    const client = new Client({ connectionString: database.connectionString });
    await client.connect();
    const { rows } = await client.query<{ name: string }>('select quote_ident(current_database()) as name');
    await client.query(`create schema other; ${functions};
      alter database ${rows[0]?.name} set search_path = other, pg_catalog, public`);
    await client.end();
    return startWith({ DATABASE_URL: database.connectionString });
  }

  test('a PostgreSQL that is too old', async () => {
    const started = startWhere(`create function other.current_setting(name text) returns text language sql
      as $$ select case name when 'server_version' then '15.14' when 'server_version_num' then '150014' end $$`);
    await expect(started).rejects.toThrow(OldPostgresError);
    await expect(started).rejects.toThrow(/PostgreSQL 15\.14.*16 or newer/);
  });

  test.each([
    [
      'the next transaction another session',
      `create sequence other.calls; create function other.pg_backend_pid() returns int language sql
      as $$ select nextval('other.calls')::int $$`,
    ],
    [
      'two connections one session',
      'create function other.pg_backend_pid() returns int language sql as $$ select 7 $$',
    ],
  ])('a pooler that gives %s (S-81)', async (_what, functions) => {
    const started = startWhere(functions);
    await expect(started).rejects.toThrow(SharedSessionError);
    await expect(started).rejects.toThrow(/pool_mode = session/);
  });

  test('a ledger that is not there', async () => {
    const started = startWith({ SOLANA_RPC_URL: `http://${NOWHERE}` });
    await expect(started).rejects.toThrow(/^The ledger that SOLANA_RPC_URL names cannot be used: /);
  });

  test.each(['PORT', 'METRICS_PORT'])('%s, when it is taken', async (setting) => {
    const started = startWith({ [setting]: String(await takenPort()) });
    await expect(started).rejects.toThrow(PortInUseError);
    await expect(started).rejects.toThrow(new RegExp(`choose another port with ${setting}\\.$`));
  });
});
