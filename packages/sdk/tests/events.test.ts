import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import { followEvents, LegworkNetworkError, LegworkProtocolError } from '../src/index.js';
import type { LegworkEvent } from '../src/index.js';
import { portOf } from './support/ports.js';

const ADDRESS = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';
const ID = '01900000-0000-7000-8000-000000000001';

function frame(seq: number, more: object = {}) {
  const payload = { packageId: ID, bidId: ID, agentPubkey: ADDRESS, costLamports: 5 };
  return JSON.stringify({ type: 'BID_STORED', seq, occurredAt: '2026-01-02T03:04:05.678Z', ...payload, ...more });
}

/** A bare event stream in the place of the service: each connection is handed to the next of `connections`. */
async function startStream(...connections: ((socket: WebSocket, since: number) => void)[]) {
  const urls: string[] = [];
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await new Promise((resolve) => {
    server.once('listening', resolve);
  });
  server.on('connection', (socket, request) => {
    urls.push(request.url ?? '');
    const since = Number(new URL(request.url ?? '', 'http://localhost').searchParams.get('since'));
    connections[urls.length - 1]?.(socket, since);
  });
  onTestFinished(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  return { url: `http://127.0.0.1:${portOf(server)}`, urls };
}

async function take(count: number, events: AsyncGenerator<LegworkEvent>): Promise<number[]> {
  const seqs: number[] = [];
  for await (const event of events) {
    seqs.push(event.seq);
    if (seqs.length === count) break;
  }
  return seqs;
}

describe('following events', () => {
  test.each([
    ['too slow (4008)', (socket: WebSocket) => socket.close(4008)],
    ['restarting (1012)', (socket: WebSocket) => socket.close(1012)],
    ['cut off', (socket: WebSocket) => socket.terminate()],
  ])('goes on after being %s, without gap or duplicate', async (_, end) => {
    const stream = await startStream(
      (socket) => {
        socket.send(frame(1));
        socket.send(frame(2), () => end(socket));
      },
      (socket, since) => {
        // A service that repeats the last one does no harm either.
        for (const seq of [since, since + 1, since + 2]) socket.send(frame(seq));
      },
    );
    expect(await take(4, followEvents({ url: stream.url, since: 0 }))).toEqual([1, 2, 3, 4]);
    expect(stream.urls).toEqual(['/ws?since=0', '/ws?since=2']);
  });

  test('gives the types that were asked for and no others, whatever the service sends', async () => {
    const other = { type: 'TASK_COMPLETED', seq: 1, occurredAt: '2026-01-02T03:04:05.678Z', taskId: ID };
    const stream = await startStream((socket) => {
      socket.send(JSON.stringify({ ...other, settleSignature: 's', refundLamports: 1 }));
      socket.send(frame(2));
    });
    const { value } = await followEvents({ url: stream.url, since: 0, topics: ['BID_STORED'] }).next();
    expect(value).toMatchObject({ type: 'BID_STORED', seq: 2, bidId: ID });
  });

  test('decodes lamports and instants, and asks for the topics', async () => {
    const stream = await startStream((socket) => socket.send(frame(7)));
    const events = followEvents({ url: stream.url, topics: ['BID_STORED', 'SWARM_FORMED'] });
    const { value } = await events.next();
    await events.return();
    expect(value).toMatchObject({
      type: 'BID_STORED',
      costLamports: 5n,
      occurredAt: new Date('2026-01-02T03:04:05.678Z'),
    });
    expect(stream.urls).toEqual(['/ws?topics=BID_STORED%2CSWARM_FORMED']);
  });

  test('passes over types it does not know, and does not ask for them again', async () => {
    const stream = await startStream(
      (socket) => socket.send(frame(3, { type: 'NEWER_THAN_THIS' }), () => socket.close(1012)),
      (socket) => socket.send(frame(4)),
    );
    expect(await take(1, followEvents({ url: stream.url, since: 0 }))).toEqual([4]);
    expect(stream.urls[1]).toBe('/ws?since=3');
  });

  test('survives a consumer slower than the stream', async () => {
    const send = (socket: WebSocket, since: number) => {
      for (let seq = since + 1; seq <= 2_500; seq += 1) socket.send(frame(seq));
    };
    const stream = await startStream(send, send, send, send);
    const seqs: number[] = [];
    for await (const { seq } of followEvents({ url: stream.url, since: 0 })) {
      if (seqs.length === 0) await new Promise((resolve) => setTimeout(resolve, 100));
      seqs.push(seq);
      if (seq === 2_500) break;
    }
    expect(seqs).toEqual(Array.from({ length: 2_500 }, (_, index) => index + 1));
  });

  test('ends quietly when told to', async () => {
    const stop = new AbortController();
    const stream = await startStream((socket) => socket.send(frame(1)));
    const seen: number[] = [];
    for await (const { seq } of followEvents({ url: stream.url, signal: stop.signal })) {
      seen.push(seq);
      setTimeout(() => stop.abort(), 10);
    }
    expect(seen).toEqual([1]);
  });

  test('fails at once when there is no service', async () => {
    await expect(followEvents({ url: 'http://127.0.0.1:1' }).next()).rejects.toThrow(LegworkNetworkError);
  });

  test('refuses a frame that is not an event', async () => {
    const stream = await startStream((socket) => socket.send(frame(1, { costLamports: 'many' })));
    await expect(followEvents({ url: stream.url }).next()).rejects.toThrow(LegworkProtocolError);
  });
});
