// Sends transfers to a JSON-RPC node as fast as it takes them.
import http from 'node:http';
import { connect } from 'node:net';
import { createRequire } from 'node:module';
import { makeWallet } from '../../soak/ledger/wallet.mjs';

const WebSocket = createRequire(new URL('../../packages/ledger/package.json', import.meta.url))('ws');

export const SINK = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T';
/** Enough for a million transfers. */
const FUNDS = 10_000_000_000_000;
const CONFIRMED = { commitment: 'confirmed' };
const AT_ONCE = { single: 32, batch: 4 };

/** Of every transfer another amount, so that no two are the same transaction. */
let unique = 1_000_000n;

async function post(url, body, agent) {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const request = http.request(url, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part) => {
        text += part;
      });
      response.on('end', () => resolve(text));
    });
    request.on('error', reject);
    request.end(body);
  });
}

const LENGTH = /\r\ncontent-length: (\d+)\r\n/i;

/**
 * Posts bodies over one connection, each after the answer to the one before. Node's own client takes as much of the processor as the
 * ledger does: what is measured would be the client.
 */
async function postAll(url, bodies) {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  let answered;
  let failed;
  let text = '';
  socket.setEncoding('latin1').on('data', (part) => {
    text += part;
    const end = text.indexOf('\r\n\r\n') + 4;
    if (end === 3) return;
    const [, length] = LENGTH.exec(text) ?? [];
    if (length === undefined) failed(new Error('an answer does not tell its length'));
    else if (text.length >= end + Number(length)) {
      answered(text.slice(end));
      text = '';
    }
  });
  socket.on('error', (error) => failed(error));
  for (const body of bodies) {
    const answer = new Promise((resolve, reject) => ([answered, failed] = [resolve, reject]));
    const head = `POST / HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
    socket.write(head + body, 'latin1');
    const said = await answer;
    if (said.includes('"error"')) throw new Error(said.slice(0, 500));
  }
  socket.end();
}

export async function call(url, method, params = []) {
  const text = await post(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), undefined);
  const { result, error } = JSON.parse(text);
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}

/** A wallet with lamports; waits until the node shows them. */
export async function fundedWallet(url) {
  const wallet = makeWallet();
  await call(url, 'requestAirdrop', [wallet.address, FUNDS]);
  while ((await call(url, 'getBalance', [wallet.address, CONFIRMED])).value === 0) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return wallet;
}

export function transfers(wallet, count, blockhash) {
  return Array.from({ length: count }, () => wallet.transfer(SINK, (unique += 1n), blockhash));
}

async function freshTransfers(url, wallet, count) {
  const { blockhash } = (await call(url, 'getLatestBlockhash', [CONFIRMED])).value;
  return transfers(wallet, count, blockhash);
}

/** Sends transfers, `batch` a request. @returns how many a second were accepted */
export async function measureRate(url, wallet, count, { skipPreflight = false, batch = 1 }) {
  const config = { encoding: 'base64', preflightCommitment: 'confirmed', skipPreflight };
  const requests = (await freshTransfers(url, wallet, count)).map(({ wire }, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'sendTransaction',
    params: [wire, config],
  }));
  const bodies = [];
  for (let i = 0; i < requests.length; i += batch) {
    bodies.push(JSON.stringify(batch === 1 ? requests[i] : requests.slice(i, i + batch)));
  }
  const start = performance.now();
  const queue = bodies.values();
  const atOnce = batch === 1 ? AT_ONCE.single : AT_ONCE.batch;
  await Promise.all(Array.from({ length: atOnce }, () => postAll(url, queue)));
  return count / ((performance.now() - start) / 1000);
}

/** How long a sender waits for "confirmed" after sending, one transfer after the other. @returns milliseconds, in order */
export async function measureWaits({ rpcUrl, wsUrl }, wallet, count) {
  const socket = new WebSocket(wsUrl);
  await new Promise((resolve) => socket.once('open', resolve));
  const agent = new http.Agent({ keepAlive: true });
  const waits = [];
  for (const { signature, wire } of await freshTransfers(rpcUrl, wallet, count)) {
    const subscription = { jsonrpc: '2.0', id: 1, method: 'signatureSubscribe', params: [signature, CONFIRMED] };
    socket.send(JSON.stringify(subscription));
    await new Promise((resolve) => socket.once('message', resolve));
    const start = performance.now();
    const told = new Promise((resolve) => socket.once('message', resolve));
    const params = [wire, { encoding: 'base64', preflightCommitment: 'confirmed' }];
    const sending = post(rpcUrl, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sendTransaction', params }), agent);
    await Promise.all([told.then(() => waits.push(performance.now() - start)), sending]);
  }
  agent.destroy();
  socket.close();
  return waits.sort((a, b) => a - b);
}
