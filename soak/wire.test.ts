import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Wire } from './wire.js';

let echo: Server;
let heard: string[];
let wire: Wire;

beforeEach(async () => {
  heard = [];
  echo = createServer((socket) => {
    socket
      .on('error', () => undefined)
      .on('data', (chunk: Buffer) => {
        heard.push(chunk.toString());
        socket.write(chunk);
      });
  });
  echo.listen(0, '127.0.0.1');
  await once(echo, 'listening');
  const { port } = echo.address() as AddressInfo;
  wire = await Wire.start(() => ({ host: '127.0.0.1', port }));
});

afterEach(() => {
  wire.close();
  echo.close();
});

async function open(): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port: wire.port, noDelay: true });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** Says something and waits for the echo. */
async function say(socket: Socket, text: string): Promise<string> {
  socket.write(text);
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  return chunk.toString();
}

test('a wire passes on both ways, and that somebody hangs up', async () => {
  const socket = await open();
  expect(await say(socket, 'hello')).toBe('hello');
  socket.end();
  await once(socket, 'end');
});

test('a cut resets what is connected and what comes, until it is mended', async () => {
  const socket = await open();
  expect(await say(socket, 'hello')).toBe('hello');
  wire.begin({ kind: 'cut' });
  const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
  expect(error.code).toBe('ECONNRESET');
  const late = connect({ host: '127.0.0.1', port: wire.port }).on('error', () => undefined);
  await new Promise((resolve) => late.once('close', resolve));
  wire.mend();
  expect(await say(await open(), 'again')).toBe('again');
});

test('a cut ends what leads to a unix socket, too', async () => {
  const path = join(await mkdtemp(join(tmpdir(), 'wire-')), 'socket');
  const server = createServer((socket) => socket.pipe(socket).on('error', () => undefined)).listen(path);
  const local = await Wire.start(() => ({ path }));
  const socket = connect({ host: '127.0.0.1', port: local.port }).on('error', () => undefined);
  expect(await say(socket, 'hello')).toBe('hello');
  local.begin({ kind: 'cut' });
  await new Promise((resolve) => socket.once('close', resolve));
  local.close();
  await new Promise((resolve) => server.close(resolve));
});

test('a silence on the way back lets the other side act, and holds what it says until it is mended', async () => {
  const socket = await open();
  wire.begin({ kind: 'silent', way: 'back' });
  socket.write('done?');
  await expect.poll(() => heard).toEqual(['done?']);
  expect(socket.read()).toBeNull();
  wire.mend();
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  expect(chunk.toString()).toBe('done?');
});

test('what a slow wire holds comes before what is said after it is mended', async () => {
  const socket = await open();
  let all = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (all += chunk));
  wire.begin({ kind: 'slow', way: 'there', ms: 200 });
  socket.write('first ');
  // Long enough for the wire to have it, in all likelihood.
  await sleep(50);
  wire.mend();
  socket.write('second');
  await expect.poll(() => all).toBe('first second');
});
