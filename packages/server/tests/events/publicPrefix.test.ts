import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { followEvents } from '@legwork/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startSequencer } from '../../src/events/sequencer.js';
import { startEvents } from '../../src/events/fanout.js';
import { testContext } from '../http/service.js';
import { withTestDatabase } from '../support/database.js';
import { Listener, refusal } from './client.js';
import { appendOne, migrateDatabase } from './log.js';

const database = withTestDatabase(migrateDatabase);
const ends: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

/** Listens on a free port until the end of the tests. @returns the port */
async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(async () => server.close());
  return (server.address() as AddressInfo).port;
}

interface Service {
  port: number;
  /** Commits one event. @returns the id of its package */
  append: () => Promise<string>;
}

/** The event stream of a service that is known at this address. */
async function startAt(publicUrl: string): Promise<Service> {
  const context = await testContext(database.connectionString, [], { publicUrl });
  const events = await startEvents(context);
  const sequencer = startSequencer(context);
  const server = createServer();
  events.attach(server);
  const port = await listening(server);
  ends.push(async () => {
    await Promise.all([events.stop(), sequencer.stop()]);
    await context.db.destroy();
  });
  const append = async () => {
    const id = await appendOne(context.db);
    context.wakers.sequencer.wake();
    return id;
  };
  return { port, append };
}

/** A reverse proxy for upgrades, which sends every request on with another path. @returns its port */
async function proxyTo(port: number, change: (path: string) => string): Promise<number> {
  const proxy = createServer();
  proxy.on('upgrade', (request, client, head) => {
    const { rawHeaders } = request;
    const headers = rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1]}`] : []));
    const upstream = connect(port, '127.0.0.1', () => {
      upstream.write([`GET ${change(request.url ?? '')} HTTP/1.1`, ...headers, '', ''].join('\r\n'));
      upstream.write(head);
      client.pipe(upstream).pipe(client);
    });
    for (const end of [client, upstream]) {
      end.on('error', () => {
        client.destroy();
        upstream.destroy();
      });
    }
  });
  return listening(proxy);
}

const kept = (path: string) => path;
const takenOff = (path: string) => path.replace('/relay', '');

describe('the event stream of a public address with a prefix', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startAt('https://api.example/relay');
  });

  test.each([
    ['keeps', kept],
    ['takes off', takenOff],
  ])('[S-26] is followed through a proxy that %s the prefix', async (_, change) => {
    const port = await proxyTo(service.port, change);
    const first = await service.append();
    const seen: string[] = [];
    for await (const event of followEvents({ url: `http://127.0.0.1:${port}/relay`, since: 0 })) {
      seen.push(event.type === 'PACKAGE_FAILED' ? event.packageId : event.type);
      if (seen.at(-1) === first) break;
    }
    const listener = await new Listener(`ws://127.0.0.1:${port}/relay/ws?since=${seen.length}`).opened();
    const second = await service.append();
    await listener.until(1);
    expect(listener.packageIds()).toEqual([second]);
    await listener.end();
  });

  test.each(['/relay/ws', '/ws'])('[S-32] refuses a wrong parameter at %s too', async (path) => {
    const { status, body } = await refusal(`ws://127.0.0.1:${service.port}${path}?from=1`);
    expect([status, body['code']]).toEqual([400, 'invalid_input']);
  });

  test.each(['/relayws', '/relay/relay/ws', '/other/ws', '/relay', '/relay/'])(
    '[S-26] has one prefix, exactly: %s',
    async (path) => {
      const { status, body } = await refusal(`ws://127.0.0.1:${service.port}${path}`);
      expect([status, body['code']]).toEqual([404, 'not_found']);
    },
  );
});

test.each(['/ws', '/ws/ws'])('[S-26] a prefix like its own path does not hide the event stream: %s', async (path) => {
  const { append, port } = await startAt('https://api.example/ws');
  const listener = await new Listener(`ws://127.0.0.1:${port}${path}`).opened();
  const id = await append();
  await listener.until(1);
  expect(listener.packageIds()).toEqual([id]);
  await listener.end();
});
