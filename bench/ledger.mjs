// How fast the embedded ledger is: raw LiteSVM against the ledger through HTTP, how long a sender waits for "confirmed", and how long
// a start over that history takes.
// Run after `npx tsc -b`: node bench/ledger.mjs [transactions]
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { startLedger } from '../packages/ledger/dist/index.js';

const require = createRequire(new URL('../packages/ledger/package.json', import.meta.url));
const { LiteSVM } = require('litesvm');
const { LiteSvm, Account } = require('litesvm/dist/internal.js');
const kit = require('@solana/kit');
const { getTransferSolInstruction } = require('@solana-program/system');
const WebSocket = require('ws');

const SINK = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T';
/** Of every transfer another amount, so that no two are the same transaction. */
let unique = 1_000_000n;

if (isMainThread) await main();
else await serve();

/** The ledger has a thread of its own, as it has a process of its own in use. */
async function serve() {
  const ledger = await startLedger({ dataDir: workerData.dataDir, port: 0 });
  parentPort.postMessage({ rpcUrl: ledger.rpcUrl, wsUrl: ledger.wsUrl });
  await new Promise((resolve) => parentPort.once('message', resolve));
  await ledger.close();
}

async function main() {
  const count = Number(process.argv[2] ?? 5000);
  const dataDir = mkdtempSync(join(tmpdir(), 'ledger-bench-'));
  try {
    const { rpcUrl, wsUrl, stop } = await launch(dataDir);
    try {
      await run(count, rpcUrl, wsUrl);
    } finally {
      await stop();
    }
    await measureStart(dataDir, 3 * count);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function launch(dataDir) {
  const worker = new Worker(new URL(import.meta.url), { workerData: { dataDir } });
  const { rpcUrl, wsUrl } = await new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  const stop = async () => {
    worker.postMessage('stop');
    await new Promise((resolve) => worker.once('exit', resolve));
  };
  return { rpcUrl, wsUrl, stop };
}

/** How long it takes to start on what was written before, and to list the newest and the oldest of it. */
async function measureStart(dataDir, written) {
  let since = performance.now();
  const took = () => `${(performance.now() - since).toFixed(0)} ms`;
  const { rpcUrl, stop } = await launch(dataDir);
  console.log(`start over more than ${written} transactions: ${took()}`);
  try {
    since = performance.now();
    const newest = await call(rpcUrl, 'getSignaturesForAddress', [SINK, { limit: 1000, commitment: 'confirmed' }]);
    console.log(`getSignaturesForAddress, the newest ${newest.length}: ${took()}`);
    since = performance.now();
    let pages = 0;
    for (let page = newest; page.length === 1000; pages += 1)
      page = await call(rpcUrl, 'getSignaturesForAddress', [
        SINK,
        { limit: 1000, before: page.at(-1).signature, commitment: 'confirmed' },
      ]);
    console.log(`the ${pages} pages before: ${took()}`);
  } finally {
    await stop();
  }
}

async function run(count, rpcUrl, wsUrl) {
  const payer = await kit.generateKeyPairSigner();
  await call(rpcUrl, 'requestAirdrop', [payer.address, 1_000_000_000_000]);
  const raw = measureRaw(await transfers(payer, count, kit.blockhash(payer.address)), payer);
  console.log(`raw LiteSVM, its JavaScript interface:       ${line(raw.wrapper)}`);
  console.log(`raw LiteSVM, its native interface:           ${line(raw.native)}`);
  const ways = [
    { name: 'one a request, preflight' },
    { name: 'one a request, skipPreflight', skipPreflight: true },
    { name: 'batches of 50, preflight', batch: 50 },
  ];
  for (const { name, ...options } of ways) {
    const { blockhash } = (await call(rpcUrl, 'getLatestBlockhash', [{ commitment: 'confirmed' }])).value;
    const rate = await measureHttp(rpcUrl, await transfers(payer, count, blockhash), options);
    const share = (of) => `${((100 * rate) / of).toFixed(0)} %`;
    console.log(
      `ledger over HTTP, ${name}:`.padEnd(45) + `${line(rate)}   ${share(raw.wrapper)} and ${share(raw.native)} of raw`,
    );
  }
  const waits = await measureWaits(rpcUrl, wsUrl, payer, Math.min(300, count));
  const at = (share) => waits[Math.floor(share * (waits.length - 1))].toFixed(2);
  console.log(`send -> confirmed notification: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms`);
}

function line(rate) {
  return `${rate.toFixed(0).padStart(7)} tx/s`;
}

async function transfers(payer, count, blockhash) {
  const all = [];
  for (let i = 0; i < count; i += 1) {
    unique += 1n;
    const message = kit.pipe(
      kit.createTransactionMessage({ version: 0 }),
      (m) => kit.setTransactionMessageFeePayerSigner(payer, m),
      (m) => kit.setTransactionMessageLifetimeUsingBlockhash({ blockhash, lastValidBlockHeight: 0n }, m),
      (m) =>
        kit.appendTransactionMessageInstruction(
          getTransferSolInstruction({ source: payer, destination: kit.address(SINK), amount: unique }),
          m,
        ),
    );
    all.push(await kit.signTransactionMessageWithSigners(message));
  }
  return all;
}

function measureRaw(signed, payer) {
  const half = Math.floor(signed.length / 2);
  const funds = 1_000_000_000_000n;
  const wrapper = new LiteSVM().withTransactionHistory(0n).withBlockhashCheck(false);
  wrapper.setAccount({
    address: payer.address,
    lamports: kit.lamports(funds),
    data: new Uint8Array(),
    programAddress: kit.address('11111111111111111111111111111111'),
    executable: false,
    space: 0n,
  });
  const first = rateOf(half, (i) => wrapper.sendTransaction(signed[i]));
  const native = new LiteSvm();
  native.setTransactionHistory(0n);
  native.setBlockhashCheck(false);
  const address = kit.getAddressEncoder().encode(payer.address);
  native.setAccount(address, new Account(funds, new Uint8Array(), new Uint8Array(32), false, 0n));
  const bytes = signed.map((one) => kit.getTransactionEncoder().encode(one));
  const second = rateOf(half, (i) => native.sendVersionedTransaction(bytes[half + i]));
  return { wrapper: first, native: second };
}

function rateOf(count, work) {
  const start = performance.now();
  for (let i = 0; i < count; i += 1) work(i);
  return count / ((performance.now() - start) / 1000);
}

async function measureHttp(rpcUrl, signed, { skipPreflight = false, batch = 1 }) {
  const config = { encoding: 'base64', preflightCommitment: 'confirmed', skipPreflight };
  const requests = signed.map((one, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'sendTransaction',
    params: [kit.getBase64EncodedWireTransaction(one), config],
  }));
  const bodies = [];
  for (let i = 0; i < requests.length; i += batch) {
    bodies.push(JSON.stringify(batch === 1 ? requests[i] : requests.slice(i, i + batch)));
  }
  const agent = new http.Agent({ keepAlive: true, maxSockets: 32 });
  const start = performance.now();
  const queue = bodies.values();
  const clients = Array.from({ length: batch === 1 ? 32 : 4 }, async () => {
    for (const body of queue) {
      const text = await post(rpcUrl, body, agent);
      if (text.includes('"error"')) throw new Error(text);
    }
  });
  await Promise.all(clients);
  const rate = signed.length / ((performance.now() - start) / 1000);
  agent.destroy();
  return rate;
}

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

async function call(url, method, params) {
  const text = await post(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), undefined);
  const { result, error } = JSON.parse(text);
  if (error) throw new Error(error.message);
  return result;
}

async function measureWaits(rpcUrl, wsUrl, payer, count) {
  const { blockhash } = (await call(rpcUrl, 'getLatestBlockhash', [{ commitment: 'confirmed' }])).value;
  const signed = await transfers(payer, count, blockhash);
  const socket = new WebSocket(wsUrl);
  await new Promise((resolve) => socket.once('open', resolve));
  const agent = new http.Agent({ keepAlive: true });
  const waits = [];
  for (const one of signed) {
    const signature = kit.getSignatureFromTransaction(one);
    socket.send(
      JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'signatureSubscribe',
        params: [signature, { commitment: 'confirmed' }],
      }),
    );
    await new Promise((resolve) => socket.once('message', resolve));
    const start = performance.now();
    const told = new Promise((resolve) => socket.once('message', resolve));
    const config = { encoding: 'base64', preflightCommitment: 'confirmed' };
    const params = [kit.getBase64EncodedWireTransaction(one), config];
    await Promise.all([
      told.then(() => waits.push(performance.now() - start)),
      post(rpcUrl, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sendTransaction', params }), agent),
    ]);
  }
  agent.destroy();
  socket.close();
  return waits.sort((a, b) => a - b);
}
