import { createUuid } from '@legwork/protocol/contract';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { confirmAll, formedPackage, untilPackage } from '../support/market.js';
import { withService } from '../support/service.js';

const service = withService({ settings: () => ({ METRICS_PORT: '0' }) });

interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** The samples of the text format, as a collector reads them. */
function parse(text: string): Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', text = '']) => [key, text]);
      return { name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) };
    });
}

function metricsUrl(): string {
  const { metricsUrl: url } = service.current.server;
  if (url === undefined) throw new Error('This service shows no metrics.');
  return url;
}

async function scrape(): Promise<Sample[]> {
  const response = await fetch(metricsUrl());
  expect(response.status).toBe(200);
  return parse(await response.text());
}

function valueOf(samples: Sample[], name: string, labels: Record<string, string> = {}): number | undefined {
  const wanted = Object.entries(labels);
  return samples.find((sample) => sample.name === name && wanted.every(([key, text]) => sample.labels[key] === text))
    ?.value;
}

describe('[S-42] metrics', () => {
  test('count what a package did from listing to settlement', async () => {
    const market = await formedPackage(service.current, [
      ['zoo', 'alexanderplatz', 0.05],
      ['alexanderplatz', 'ostkreuz', 0.04],
    ]);
    await confirmAll(service.current, market);
    await untilPackage(service.current, market.parcel.id, ({ status }) => status === 'delivered');
    const socket = new WebSocket(service.current.server.wsUrl);
    await new Promise((resolve) => socket.once('open', resolve));

    // The mirror may be ahead of the worker that counts, and of the numbers of events.
    let samples = await scrape();
    await expect
      .poll(async () => {
        samples = await scrape();
        return [
          valueOf(samples, 'legwork_intents_total', { kind: 'settle', outcome: 'delivered' }),
          valueOf(samples, 'legwork_events_unnumbered'),
        ];
      })
      .toEqual([1, 0]);
    const value = (name: string, labels?: Record<string, string>) => valueOf(samples, `legwork_${name}`, labels);
    const request = (method: string, route: string) =>
      value('http_request_duration_seconds_count', { method, route, status: '201' }) ??
      value('http_request_duration_seconds_count', { method, route, status: '200' });
    expect(request('POST', '/bids')).toBe(2);
    expect(request('POST', '/swarms/legs/:legId/confirm')).toBe(2);
    expect(request('GET', '/packages/:packageId')).toBeGreaterThan(0);
    // The first bid alone makes no chain; both together do.
    expect(value('evaluation_duration_seconds_count', { outcome: 'exact' })).toBe(1);
    expect(value('evaluation_duration_seconds_count', { outcome: 'inexact' })).toBeUndefined();
    expect(value('intents_total', { kind: 'form_swarm', outcome: 'delivered' })).toBe(1);
    expect(value('intents_total', { kind: 'settle', outcome: 'delivered' })).toBe(1);
    // The listing, which the service sends on for the shipper, the formation and the settlement; again where it took long.
    const sent = { method: 'sendTransaction', outcome: 'answered' };
    expect(value('ledger_request_duration_seconds_count', sent)).toBeGreaterThanOrEqual(3);
    expect(value('database_up')).toBe(1);
    expect(value('ledger_up')).toBe(1);
    expect(value('ledger_slot')).toBeGreaterThan(0);
    expect(value('coordinator_lamports')).toBeGreaterThan(0);
    expect(value('event_sockets')).toBe(1);
    expect(value('database_waiting')).toBe(0);
    expect(value('database_connections', { state: 'idle' })).toBeGreaterThan(0);
    expect(valueOf(samples, 'process_resident_memory_bytes')).toBeGreaterThan(0);
    const numbered = await service.current.db
      .selectFrom('events')
      .select((select) => select.fn.max('seq').as('seq'))
      .executeTakeFirstOrThrow();
    expect(value('events_last_seq')).toBe(Number(numbered.seq));
    expect(value('events_unnumbered')).toBe(0);
    socket.close();
  });

  test('count what is refused for its method at its path, and what is nowhere at none', async () => {
    const { url } = service.current.server;
    for (const [method, path] of [
      ['PUT', `/packages/${createUuid()}`],
      ['GET', '/packages/build-tx'],
      ['POST', '/nothing/at/all'],
    ] as const) {
      await (await fetch(`${url}${path}`, { method })).text();
    }
    const count = async (method: string, route: string, status: string) =>
      valueOf(await scrape(), 'legwork_http_request_duration_seconds_count', { method, route, status });
    await expect.poll(() => count('PUT', '/packages/:packageId', '405')).toBe(1);
    await expect.poll(() => count('GET', '/packages/build-tx', '405')).toBe(1);
    await expect.poll(() => count('POST', 'none', '404')).toBe(1);
  });

  test('show what waits in the outbox and what was given up, with its age', async () => {
    const { db } = service.current;
    const row = (status: 'pending' | 'failed' | 'done', kind: 'settle' | 'form_swarm', minutes: number) => ({
      kind,
      status,
      subject: `package:${status}`,
      unique_key: `${kind}:${status}`,
      payload: JSON.stringify({ swarmId: 'none' }),
      // Not due, so that no worker takes it.
      available_at: new Date(Date.now() + 3_600_000),
      created_at: new Date(Date.now() - minutes * 60_000),
    });
    const rows = [row('pending', 'form_swarm', 2), row('failed', 'settle', 10), row('done', 'settle', 60)];
    await db.insertInto('outbox').values(rows).execute();
    const samples = await scrape();
    const depth = samples.filter(({ name }) => name === 'legwork_outbox_intents');
    expect(depth.map(({ labels, value }) => ({ ...labels, value }))).toEqual(
      expect.arrayContaining([
        { kind: 'form_swarm', status: 'pending', value: 1 },
        { kind: 'settle', status: 'failed', value: 1 },
      ]),
    );
    expect(depth).toHaveLength(2);
    const age = valueOf(samples, 'legwork_outbox_oldest_age_seconds', { kind: 'settle', status: 'failed' });
    expect(age).toBeGreaterThanOrEqual(600);
    await db
      .deleteFrom('outbox')
      .where('subject', 'in', ['package:pending', 'package:failed', 'package:done'])
      .execute();
    expect((await scrape()).some(({ name }) => name === 'legwork_outbox_intents')).toBe(false);
  });

  test('count a given-up intent until it is tried again, which repeats nothing that has happened', async () => {
    const { db } = service.current;
    const settlements = () =>
      db.selectFrom('swarms').select(['id', 'status', 'settle_signature']).orderBy('id').execute();
    const before = await settlements();
    await db.updateTable('outbox').set({ status: 'failed' }).where('kind', '=', 'settle').execute();
    const failed = { kind: 'settle', status: 'failed' };
    expect(valueOf(await scrape(), 'legwork_outbox_intents', failed)).toBe(1);

    // As docs/operators/troubleshooting.md says.
    await sql`update outbox set status = 'pending', attempts = 0, available_at = now() where status = 'failed'`.execute(
      db,
    );
    const statuses = () => db.selectFrom('outbox').select('status').where('kind', '=', 'settle').execute();
    await expect.poll(statuses).toEqual([{ status: 'done' }]);
    expect(valueOf(await scrape(), 'legwork_outbox_intents', failed)).toBeUndefined();
    expect(await settlements()).toEqual(before);
  });

  test('name routes, not addresses, so that strangers cannot make up series', async () => {
    await fetch(`${service.current.server.url}/made-up/${crypto.randomUUID()}`);
    await fetch(`${service.current.server.url}/packages/${crypto.randomUUID()}`);
    const routes = (await scrape()).flatMap(({ labels: { route } }) => (route === undefined ? [] : [route]));
    expect(routes).toContain('none');
    expect(routes.filter((route) => /made-up|[0-9a-f]{8}-/.test(route))).toEqual([]);
  });

  test('are not part of the public service, and nothing else is beside them', async () => {
    expect((await fetch(`${service.current.server.url}/metrics`)).status).toBe(404);
    expect((await fetch(new URL('/packages', metricsUrl()))).status).toBe(404);
    expect((await fetch(metricsUrl(), { method: 'POST' })).status).toBe(404);
    expect(new URL(metricsUrl()).hostname).toBe('127.0.0.1');
  });

  test('are shown without the ledger, and say so', async () => {
    await service.current.ledger.close();
    const samples = await scrape();
    expect(valueOf(samples, 'legwork_ledger_up')).toBe(0);
    expect(valueOf(samples, 'legwork_ledger_slot')).toBeUndefined();
    expect(valueOf(samples, 'legwork_database_up')).toBe(1);
  });
});
