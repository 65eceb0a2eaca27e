// The overhead of `legwork mcp` on a call of a tool: signed, through the bridge's standard input and output, against an unsigned
// POST /mcp/call straight to the service. They are asked in turns, one call at a time, in one run.
// Run it after `npm run build`: node bench/bridge.mjs [calls of each, 500 unless given]
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createKeyFile } from '@legwork/agents';
import { startOwnInstance } from '../examples/dist/demo/instance.js';

const CALLS = Number(process.argv[2] ?? 500);
/** A process that has just begun is several times slower. */
const WARM_UP = 200;
const COMMAND = fileURLToPath(new URL('../packages/cli/bin/legwork.mjs', import.meta.url));
const TOOLS = ['svc_list_digital_tasks', 'svc_leaderboard'];

const { resolve } = createRequire(new URL('../packages/server/package.json', import.meta.url));
const { Client } = await import(pathToFileURL(resolve('@modelcontextprotocol/client')).href);
const { StdioClientTransport } = await import(pathToFileURL(resolve('@modelcontextprotocol/client/stdio')).href);

const folder = await mkdtemp(join(tmpdir(), 'legwork-bench-'));
const instance = await startOwnInstance({ LIMIT_TOOL_CALLS: '0', LIMIT_READS: '0', LOG_LEVEL: 'warn' });
const client = new Client({ name: 'bench', version: '1' });
try {
  const key = join(folder, 'ada.json');
  await createKeyFile(key);
  const args = [COMMAND, 'mcp', '--key', key, '--url', instance.url];
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));
  for (const tool of TOOLS) await compare(tool);
} finally {
  await client.close();
  await instance.stop();
  await rm(folder, { recursive: true, force: true });
}

async function compare(tool) {
  const ways = { direct: () => callDirectly(tool), bridge: () => client.callTool({ name: tool, arguments: {} }) };
  const times = { direct: [], bridge: [] };
  for (let call = 0; call < WARM_UP + CALLS; call += 1) {
    for (const [way, run] of Object.entries(ways)) {
      const began = performance.now();
      await run();
      if (call >= WARM_UP) times[way].push(performance.now() - began);
    }
  }
  for (const share of [0.5, 0.95]) {
    const [direct, bridge] = [quantile(times.direct, share), quantile(times.bridge, share)];
    const added = `${(bridge - direct).toFixed(2)} ms added (${(bridge / direct).toFixed(2)} times)`;
    console.log(
      `${tool} p${share * 100}: ${direct.toFixed(2)} ms directly, ${bridge.toFixed(2)} ms through the bridge, ${added}`,
    );
  }
}

async function callDirectly(tool) {
  const body = JSON.stringify({ tool, arguments: {} });
  const answer = await fetch(`${instance.url}/mcp/call`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  const { isError } = await answer.json();
  if (isError !== false) throw new Error(`${tool} failed`);
}

function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(share * (sorted.length - 1))];
}
