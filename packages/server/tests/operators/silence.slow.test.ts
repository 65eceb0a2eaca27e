import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startCommand } from '../../../cli/tests/support/command.js';
import { appendOne, until } from '../events/log.js';
import { Listener } from '../events/client.js';
import { LyingNode } from '../support/lyingNode.js';
import { TestService } from '../support/service.js';
import { SilentProxy } from '../support/silentProxy.js';

/** A bound for a machine that is busy with other tests. */
const SLOW = 180_000;
let proxy: SilentProxy;
let service: TestService;

beforeAll(async () => {
  service = await TestService.start();
  proxy = await SilentProxy.start(service.environment()['DATABASE_URL'] ?? '');
});
afterEach(() => proxy.mend());
afterAll(async () => {
  proxy.close();
  await service.close();
});

/** The settings of a service that reaches its database through the proxy. */
function behindProxy(): Record<string, string> {
  const environment = service.environment();
  return { ...environment, DATABASE_URL: proxy.through(environment['DATABASE_URL'] ?? '') };
}

/** `legwork serve`, once it is ready. */
async function startServe(environment: Record<string, string>) {
  const command = startCommand(['serve'], environment);
  onTestFinished(() => void command.child.kill('SIGKILL'));
  await command.shows('"msg":"started"');
  const [, url = ''] = /"url":"([^"]+)"/.exec(command.stdout()) ?? [];
  return { ...command, url };
}

async function problemAt(url: string): Promise<{ status: number; code?: string; detail?: string }> {
  const answer = await fetch(url);
  const body = (await answer.json()) as { code?: string; detail?: string };
  return { ...body, status: answer.status };
}

/** The server processes that the services' connections for hints have. */
async function hintProcesses(): Promise<number[]> {
  const { rows } = await sql<{ pid: number }>`select pid from pg_stat_activity
    where application_name = 'legwork events' and datname = current_database()`.execute(service.db);
  return rows.map(({ pid }) => pid);
}

describe('[S-81] a database that falls silent', () => {
  test('is told as 503, and everything goes on over new connections once it can be reached again', {
    timeout: SLOW,
  }, async () => {
    await service.stop();
    const { url } = await startServe(behindProxy());
    const events = await new Listener(`${url.replace('http', 'ws')}/ws`).opened();
    const before = await hintProcesses();
    expect(before).toHaveLength(1);
    proxy.silence();
    expect(await problemAt(`${url}/readyz`)).toMatchObject({ status: 503, detail: 'no answer from: database' });
    // More than the pool has connections.
    const reads = await Promise.all(Array.from({ length: 30 }, () => problemAt(`${url}/packages`)));
    expect(new Set(reads.map(({ status, code }) => `${status} ${code}`))).toEqual(new Set(['503 not_ready']));
    expect((await problemAt(`${url}/healthz`)).status).toBe(200);

    proxy.mend();
    await until(async () => (await problemAt(`${url}/readyz`)).status === 200);
    await until(async () => (await problemAt(`${url}/packages`)).status === 200);
    await appendOne(service.db);
    await events.until(1);
    await until(async () => (await hintProcesses()).some((pid) => !before.includes(pid)));
  });
});

describe('[S-44] SIGTERM ends the process in order', () => {
  test('while its database is silent', { timeout: SLOW }, async () => {
    const command = await startServe(behindProxy());
    proxy.silence();
    expect((await problemAt(`${command.url}/readyz`)).status).toBe(503);
    command.child.kill('SIGTERM');
    expect(await command.ended).toEqual({ code: 0, signal: null });
  });

  test('while its ledger is silent', { timeout: SLOW }, async () => {
    const ledger = await LyingNode.start(service.ledger.rpcUrl);
    onTestFinished(() => ledger.close());
    const command = await startServe({ ...service.environment(), SOLANA_RPC_URL: ledger.url });
    await ledger.begin({ kind: 'silent' });
    expect(await problemAt(`${command.url}/readyz`)).toMatchObject({ status: 503, detail: 'no answer from: ledger' });
    command.child.kill('SIGTERM');
    expect(await command.ended).toEqual({ code: 0, signal: null });
  });
});
