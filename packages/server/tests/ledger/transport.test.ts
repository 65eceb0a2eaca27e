import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { createRpcMessage, createSolanaRpcFromTransport, SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR } from '@solana/kit';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { keptTransport } from '../../src/ledger/transport.js';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const HEIGHT = 9_007_199_254_740_993n;
const truth: Answer = (_, response) => response.end(`{"jsonrpc":"2.0","id":"1","result":${HEIGHT}}`);

let answer: Answer;
let asked: string[];
const sockets = new Set<Socket>();
async function hear(request: IncomingMessage, response: ServerResponse): Promise<void> {
  sockets.add(request.socket);
  asked.push(await text(request));
  answer(request, response);
}
const node = createServer((request, response) => {
  hear(request, response).catch(() => response.destroy());
});
beforeAll(async () => {
  node.listen(0, '127.0.0.1');
  await once(node, 'listening');
});
afterAll(() => {
  node.closeAllConnections();
  node.close();
});
beforeEach(() => {
  answer = truth;
  asked = [];
  sockets.clear();
});

const transport = () => keptTransport(`http://127.0.0.1:${(node.address() as AddressInfo).port}`);
const height = (send = transport()) => createSolanaRpcFromTransport(send).getBlockHeight().send();

test('questions go over one connection, and numbers are exact', async () => {
  const send = transport();
  for (let times = 0; times < 5; times += 1) expect(await height(send)).toBe(HEIGHT);
  expect([asked.length, sockets.size]).toEqual([5, 1]);
});

test('a connection that the node closed meanwhile is replaced; the question is asked again, once', async () => {
  const send = transport();
  await height(send);
  let isFirst = true;
  answer = (request, response) => {
    if (isFirst) request.socket.resetAndDestroy();
    else truth(request, response);
    isFirst = false;
  };
  expect(await height(send)).toBe(HEIGHT);
  expect(sockets.size).toBe(2);

  answer = ({ socket }) => socket.resetAndDestroy();
  asked = [];
  await expect(height(send)).rejects.toMatchObject({ code: 'ECONNRESET' });
  expect(asked).toHaveLength(2);
});

test.each<[string, Answer, object]>([
  [
    'a refusal of its HTTP server',
    (_, response) => response.writeHead(502).end('no'),
    { context: { __code: SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR, statusCode: 502 } },
  ],
  ['what is no JSON', (_, response) => response.end('<html>'), { name: 'SyntaxError' }],
  [
    'half an answer',
    (_, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"jsonrpc"', () => response.destroy());
    },
    { code: 'ECONNRESET' },
  ],
])('%s is an error', async (_, said, error) => {
  answer = said;
  await expect(height()).rejects.toMatchObject(error);
});

test.each([
  ['that does not begin', () => undefined],
  ['that does not end', (response: ServerResponse) => response.writeHead(200).write('{"jsonrpc"')],
])('nobody waits for an answer %s once it is given up', async (_, begin) => {
  const givenUp = new AbortController();
  answer = (_request, response) => {
    begin(response);
    // By then what there is of it has come, as a rule; it is given up in either case.
    setTimeout(() => givenUp.abort(), 50);
  };
  const payload = createRpcMessage({ methodName: 'getHealth', params: [] });
  await expect(transport()({ payload, signal: givenUp.signal })).rejects.toThrow('aborted');
});
