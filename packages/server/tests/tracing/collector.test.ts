import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config.js';
import { type RunningServer, startServer } from '../../src/startServer.js';
import { post } from '../mcp/toolCalls.js';
import { draft } from '../support/market.js';
import { withService } from '../support/service.js';
import { until } from '../support/until.js';
import { Collector, newTrace } from './collector.js';

const service = withService();
const logged: { msg: string }[] = [];
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
  logged.splice(0);
});

async function collecting(): Promise<Collector> {
  const collector = await Collector.start();
  ends.push(() => collector.close());
  return collector;
}

/** A service that sends its spans there. */
async function tracing(settings: Record<string, string>): Promise<RunningServer> {
  const usual = { ...service.current.environment(), LOG_LEVEL: 'info', METRICS_PORT: '0' };
  const logTo = { write: (line: string) => void logged.push(JSON.parse(line) as { msg: string }) };
  const server = await startServer(loadConfig({ ...usual, ...settings }), { logTo });
  ends.push(() => server.close());
  return server;
}

async function spansCounted({ metricsUrl = '' }: RunningServer, outcome: string): Promise<number> {
  const text = await (await fetch(metricsUrl)).text();
  return Number(new RegExp(`^legwork_trace_spans_total\\{outcome="${outcome}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
}

const isTold = (text: string) => logged.some(({ msg }) => msg.startsWith(text));

const ANSWERS: Record<string, (response: ServerResponse) => void> = {
  'never answers': () => undefined,
  'answers what is no HTTP': (response) => void response.socket?.end('SPAM\r\n\r\n'),
  'answers 500': (response) => void response.writeHead(500).end('no'),
  'answers 400 with a body without end': (response) => {
    response.writeHead(400);
    const more = () => void response.write('x'.repeat(1 << 20), more);
    response.on('error', () => undefined);
    more();
  },
};

describe('a collector', () => {
  test.for(Object.entries(ANSWERS))(
    'that %s holds up no call and no stop, and its spans are counted (S-273)',
    async ([, answer]) => {
      const collector = await collecting();
      collector.answer = answer;
      const server = await tracing({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
      const shipper = await service.current.party(0);
      const posted = { ...draft(), shipperPubkey: shipper.pubkey };
      expect((await post(server.url, posted, {}, '/packages/sponsored')).status).toBe(201);
      await until('a batch came', async () => collector.requests > 0);
      expect((await fetch(`${server.url}/stats`)).status).toBe(200);
      await until('the log tells', async () => isTold('the collector takes no spans'));
      expect(await spansCounted(server, 'refused')).toBeGreaterThan(0);
      expect(await spansCounted(server, 'sent')).toBe(0);
      collector.answer = undefined;
      await until('the next ones are taken', async () => {
        await fetch(`${server.url}/stats`);
        return isTold('the collector takes spans again');
      });
      collector.answer = answer;
      await fetch(`${server.url}/stats`);
      await server.close();
      expect(isTold('stopped')).toBe(true);
    },
  );

  test('that is not there holds up no call and no stop (S-273)', async () => {
    const server = await tracing({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:1/anything' });
    expect((await fetch(`${server.url}/stats`)).status).toBe(200);
    await until('they are dropped', async () => (await spansCounted(server, 'refused')) > 0);
    await server.close();
  });

  test('that hangs has no more than 2048 spans wait for it; the others are dropped and counted (S-273)', async () => {
    const collector = await collecting();
    collector.answer = () => undefined;
    const server = await tracing({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, LIMIT_READS: '0' });
    await until('there is no room', async () => {
      await Promise.all(Array.from({ length: 500 }, () => fetch(`${server.url}/config`)));
      return (await spansCounted(server, 'no_room')) > 0;
    });
    expect((await fetch(`${server.url}/stats`)).status).toBe(200);
  });

  test('hears of a share of what begins here, and of all that a client has recorded (S-270)', async () => {
    const collector = await collecting();
    const server = await tracing({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER_ARG: '0' });
    await fetch(`${server.url}/stats`);
    const { traceId, traceparent } = newTrace();
    await fetch(`${server.url}/stats`, { headers: { traceparent } });
    await until('the span', async () => collector.spans.length > 0);
    expect(new Set(collector.spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
  });
});

/** Which modules of OpenTelemetry a process has loaded that runs a service with these settings. */
async function loadedBy(settings: Record<string, string>): Promise<string[]> {
  const code = `
    const { createRequire } = await import('node:module');
    const { join } = await import('node:path');
    const { loadConfig, startServer } = await import(${JSON.stringify(join(import.meta.dirname, '../../dist/index.js'))});
    const server = await startServer(loadConfig(process.env));
    await (await fetch(server.url + '/stats')).text();
    await server.close();
    // prom-client loads their common interface, traced or not.
    const isOfTracing = (path) => path.includes('@opentelemetry') && !path.includes(join('@opentelemetry', 'api', ''));
    const loaded = Object.keys(createRequire(import.meta.url).cache).filter(isOfTracing);
    process.stdout.write(JSON.stringify(loaded));`;
  const environment = { ...process.env, ...service.current.environment(), LOG_LEVEL: 'silent', ...settings };
  const child: ChildProcess = spawn(process.execPath, ['--input-type=module', '-e', code], {
    env: { ...environment, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout?.on('data', (chunk: Buffer) => (out += chunk.toString()));
  await once(child, 'close');
  return JSON.parse(out) as string[];
}

test('a service without a collector loads nothing of OpenTelemetry; one with it does (S-270)', async () => {
  const collector = await collecting();
  expect(await loadedBy({})).toEqual([]);
  expect((await loadedBy({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })).length).toBeGreaterThan(0);
});

test.for([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4317', /must be an address such as http:\/\/localhost:4318/],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'key', /must be name=value with commas between them/],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'key=%zz', /must be name=value with commas between them/],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'key=%0d%0ax: y', /must be name=value with commas between them/],
  ['OTEL_TRACES_SAMPLER_ARG', '7', /OTEL_TRACES_SAMPLER_ARG/],
] as const)('%s %s stops the start with a sentence (S-270)', ([name, value, sentence]) => {
  expect(() => loadConfig({ ...service.current.environment(), [name]: value })).toThrow(sentence);
});
