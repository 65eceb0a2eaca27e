// Many open overviews, for bench/dashboard.mjs, which starts it as a process of its own. Each has its socket, and asks what and when
// the page asks: by the page's own code, bundled here. It keeps answers as long as the browser's cache would.
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { root } from '../scripts/bootstrap.mjs';

const WebSocket = createRequire(new URL('../packages/server/package.json', import.meta.url))('ws');

/** The reads that an overview keeps current. */
const READS = { getStats: '/stats', listRelays: '/relays' };
/** The reads that it makes once. */
const FIRST = ['/', '/events?limit=80', '/agents?limit=200'];
/** As the page takes events together. */
const BATCH_MS = 120;
const AT_ONCE = 20;

const agent = new Agent({ keepAlive: true, maxSockets: 200 });
const counts = { asked: 0, unchanged: 0, failed: 0, events: 0 };
/** Every socket hears the same text: it is read once. */
const parsed = new Map();

/** The page's rules of when to read again, and the library that they stand on. */
async function rulesOfPage() {
  const folder = await mkdtemp(join(tmpdir(), 'legwork-bench-'));
  const file = join(folder, 'rules.mjs');
  const ENTRY = join(root, 'packages/dashboard/src/rules-of-page.ts');
  const code = `export { Rereads } from './data/rereads.js'; export { QueryClient, QueryObserver } from '@tanstack/query-core';`;
  const bundle = await rolldown({
    input: ENTRY,
    platform: 'node',
    resolve: {
      conditionNames: ['legwork-source', 'import', 'node', 'default'],
      extensionAlias: { '.js': ['.ts', '.tsx', '.js'] },
    },
    plugins: [
      { name: 'entry', resolveId: (id) => (id === ENTRY ? id : null), load: (id) => (id === ENTRY ? code : null) },
    ],
  });
  await bundle.write({ file, format: 'esm', codeSplitting: false });
  const rules = await import(file);
  await rm(folder, { recursive: true });
  return rules;
}

function ask(url, kept) {
  counts.asked += 1;
  return new Promise((resolve, reject) => {
    const known = kept.get(url);
    const request = get(url, { agent, headers: known ? { 'if-none-match': known } : {} }, (response) => {
      if (response.statusCode === 304) counts.unchanged += 1;
      else if (response.statusCode !== 200) counts.failed += 1;
      if (response.headers.etag) kept.set(url, response.headers.etag);
      response.resume().once('end', () => resolve(null));
    });
    request.once('error', (error) => {
      counts.failed += 1;
      reject(error);
    });
  });
}

async function openOne(url, { Rereads, QueryClient, QueryObserver }) {
  const kept = new Map();
  const queries = new QueryClient({
    defaultOptions: { queries: { staleTime: 60_000, retry: false, networkMode: 'always' } },
  });
  const rereads = new Rereads(queries, { isSeen: () => true, restsUntil: () => 0 });
  await Promise.all(FIRST.map((path) => ask(url + path, kept)));
  for (const [name, path] of Object.entries(READS)) {
    new QueryObserver(queries, { queryKey: [name], queryFn: () => ask(url + path, kept) }).subscribe(() => undefined);
  }
  let waiting = [];
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`);
  socket.on('message', (data) => {
    counts.events += 1;
    const text = String(data);
    if (!parsed.has(text)) parsed.set(text, JSON.parse(text));
    waiting.push(parsed.get(text));
    if (waiting.length > 1) return;
    setTimeout(() => {
      rereads.after(waiting);
      waiting = [];
    }, BATCH_MS);
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
}

const [url, count] = process.argv.slice(2);
const rules = await rulesOfPage();
for (let open = 0; open < Number(count); open += AT_ONCE) {
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - open) }, () => openOne(url, rules)));
}
process.send({ opened: Number(count) });
process.on('message', () => process.send({ ...counts }));
