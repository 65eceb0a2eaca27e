import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { AppContext } from '../../src/context.js';
import { type Events, startEvents } from '../../src/events/fanout.js';
import { startSequencer } from '../../src/events/sequencer.js';
import { buildHttp, drainHttp } from '../../src/http/httpServer.js';
import { runs } from '../../src/operations/index.js';
import { testContext } from '../http/service.js';
import { withTestDatabase } from '../support/database.js';
import { Listener } from './client.js';
import { appendOne, migrateDatabase, until } from './log.js';

const database = withTestDatabase(migrateDatabase);
interface Service {
  context: AppContext;
  events: Events;
  url: string;
  stop(): Promise<void>;
}

async function startStreams(): Promise<Service> {
  const context = await testContext(database.connectionString, [], { eventSocketsPerAddress: 3 });
  const app = await buildHttp(context, runs);
  const events = await startEvents(context);
  const sequencer = startSequencer(context);
  events.attach(app.server);
  events.serveStreams(app);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const stop = async () => {
    await Promise.all([drainHttp(app), events.stop(), sequencer.stop()]);
    await context.db.destroy();
  };
  return { context, events, url, stop };
}

let service: Service;
beforeAll(async () => {
  service = await startStreams();
});
afterAll(() => service.stop());

const append = async (type?: 'PACKAGE_FAILED' | 'PACKAGE_DELIVERED') => {
  const id = await appendOne(service.context.db, type);
  service.context.wakers.sequencer.wake();
  return id;
};

/** A client that keeps what a stream says, in blocks of fields as the standard has them. */
class Stream {
  readonly blocks: { id?: string; data?: string }[] = [];
  isOver = false;

  private constructor(
    readonly response: Response,
    readonly end: () => void,
  ) {
    void this.#read();
  }

  static async open(query: string, headers: Record<string, string> = {}, { url } = service): Promise<Stream> {
    const ending = new AbortController();
    const accept = { accept: 'text/event-stream', ...headers };
    const response = await fetch(`${url}/events${query}`, { headers: accept, signal: ending.signal });
    const stream = new Stream(response, () => ending.abort());
    onTestFinished(() => stream.end());
    return stream;
  }

  packageIds(): unknown[] {
    return this.blocks.flatMap(({ data }) => (data === undefined ? [] : (JSON.parse(data) as Frame).packageId));
  }

  async until(count: number): Promise<this> {
    await until(() => this.blocks.length >= count);
    return this;
  }

  async #read(): Promise<void> {
    let rest = '';
    try {
      for await (const chunk of this.response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        const parts = (rest + chunk).split('\n\n');
        rest = parts.pop() ?? '';
        for (const part of parts) {
          const lines = part.split('\n').filter((line) => !line.startsWith(':'));
          if (lines.length > 0) this.blocks.push(Object.fromEntries(lines.map((line) => line.split(/: (.*)/s, 2))));
        }
      }
    } catch {
      // Ended by the test.
    }
    this.isOver = true;
  }
}

interface Frame {
  packageId: string;
  seq: number;
}

describe('a stream of GET /events', () => {
  test('[S-182] tells what /ws tells, each with its number as its id', async () => {
    const stream = await Stream.open('');
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream');
    expect(stream.response.headers.get('access-control-allow-origin')).toBe('*');
    const socket = await new Listener(`${service.url.replace('http', 'ws')}/ws`).opened();
    await append();
    await append('PACKAGE_DELIVERED');
    await Promise.all([stream.until(2), socket.until(2)]);
    expect(stream.blocks.map(({ data = '' }) => JSON.parse(data) as unknown)).toEqual(socket.frames);
    expect(stream.blocks.map(({ id }) => Number(id))).toEqual(socket.frames.map(({ seq }) => seq));
    await socket.end();
  });

  test('[S-182] goes on behind Last-Event-ID, whatever since says, and filters', async () => {
    const stream = await Stream.open('?since=0&topics=PACKAGE_FAILED');
    const [first, , second] = [await append(), await append('PACKAGE_DELIVERED'), await append()];
    await until(() => stream.packageIds().includes(second));
    expect(stream.packageIds().slice(-2)).toEqual([first, second]);
    const id = stream.blocks.at(-2)?.id ?? '';
    const resumed = await Stream.open('?since=0&topics=PACKAGE_FAILED', { 'last-event-id': id });
    await resumed.until(1);
    expect(resumed.packageIds()).toEqual([second]);
  });

  test('[S-182] is what a client gets that prefers it; others get the list', async () => {
    const list = await fetch(`${service.url}/events`, { headers: { accept: '*/*' } });
    expect(list.headers.get('content-type')).toContain('application/json');
    expect(list.headers.get('vary')).toContain('Accept');
    await list.arrayBuffer();
    const stream = await Stream.open('', { accept: 'text/event-stream, application/json;q=0.5' });
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream');
  });

  test.each([
    ['?before=5', {}, 'before'],
    ['?limit=5', {}, 'limit'],
    ['?since=99999999', {}, 'since'],
    ['', { 'last-event-id': 'x' }, 'since'],
    ['?agent=me', {}, 'agent'],
  ])('[S-182] refuses %s by its field', async (query, headers, field) => {
    const { status, body } = await refused(query, headers);
    expect([status, body.errors[0]?.field]).toEqual([400, field]);
  });

  test('[S-79] counts with the sockets of its address', async () => {
    await until(() => service.events.openSockets() === 0);
    const held = await Promise.all([1, 2, 3].map(() => Stream.open('')));
    expect((await refused('')).status).toBe(429);
    held[0]?.end();
    await until(() => service.events.openSockets() === 2);
    await until(async () => (await Stream.open('')).response.status === 200);
  });

  test('[S-181] learns the head of the log as an id without data', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const other = await startStreams();
    const stream = await Stream.open('?topics=PACKAGE_DELIVERED', {}, other);
    const before = other.events.fanout.head();
    await appendOne(other.context.db);
    other.context.wakers.sequencer.wake();
    await until(() => other.events.fanout.head() > before);
    vi.advanceTimersByTime(25_000);
    await stream.until(1);
    expect(stream.blocks).toEqual([{ id: String(other.events.fanout.head()) }]);
    vi.useRealTimers();
    await other.stop();
    await until(() => stream.isOver);
  });
});

async function refused(query: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${service.url}/events${query}`, {
    headers: { accept: 'text/event-stream', ...headers },
  });
  return { status: response.status, body: (await response.json()) as { errors: { field: string }[] } };
}
