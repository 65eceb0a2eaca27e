// Two people's first minutes with the packages, from an empty folder to the first payment, by the commands of the README:
// a courier with a policy file, and an MCP host with the bridge that earns on a digital task and carries a package.
//   npm run pack && node soak/stopwatch.mjs
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { spawn } from 'node:child_process';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { ensureBuilt, ensureInstalled, orExplain, root } from '../scripts/bootstrap.mjs';
import { install, playPrinted, runIn } from '../scripts/packed/consumer.mjs';

const PATIENCE_MS = 120_000;
const folder = await mkdtemp(join(tmpdir(), 'legwork-stopwatch-'));
const legwork = join(folder, 'node_modules/.bin/legwork');

/** Runs the command to its end. @returns its output */
async function run(...args) {
  const { code, output } = await runIn(folder, legwork, args);
  if (code !== 0) throw new Error(`legwork ${args.join(' ')}: ${output}`);
  return output;
}

/** Starts something that goes on. */
function start(cwd, program, args) {
  // A group of its own, which a stop reaches as a whole, as Ctrl-C does.
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  return {
    output: () => output,
    shows: (pattern) =>
      until(
        () => pattern.exec(output) ?? undefined,
        () => `${pattern} in ${output}`,
      ),
    stop: async () => {
      process.kill(-Number(child.pid), 'SIGTERM');
      await new Promise((ended) => (child.exitCode === null ? child.once('exit', ended) : ended()));
    },
  };
}

async function until(look, what) {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await pause(200)) {
    const found = await look();
    if (found !== undefined) return found;
  }
  throw new Error(`waited in vain for ${what()}`);
}

async function timed(what, work) {
  const began = performance.now();
  await work();
  process.stdout.write(`${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${what}`);
}

/** `legwork init courier`, `npm start`; somebody else has a package carried by `legwork init shipper`, `npm start`. */
async function courier(url) {
  await run('init', 'courier', 'ada', '--url', url);
  const daemon = start(join(folder, 'ada'), 'npm', ['start']);
  await daemon.shows(/at work as/);
  await run('init', 'shipper', 'ben', '--url', url);
  const shipper = start(join(folder, 'ben'), 'npm', ['start']);
  // At a terminal both are asked; here they do as they are told.
  const sides = [daemon, shipper].map((side, index) => ({
    side,
    at: join(folder, ['ada', 'ben'][index]),
    played: new Set(),
  }));
  const playing = setInterval(
    () => sides.forEach(({ side, at, played }) => void playPrinted(at, side.output(), played)),
    500,
  );
  await shipper.shows(/delivered; [\d.]+ SOL came back/);
  clearInterval(playing);
  await daemon.stop();
}

/** A host with the bridge: registers, claims and hands in a leg, bids on a package, hands it over, is paid for both. */
async function model(url) {
  await run('key', 'new', 'model.json');
  const bridge = ['legwork', 'mcp', '--key', 'model.json', '--url', url];
  const transport = new StdioClientTransport({ command: 'npx', args: bridge, cwd: folder, stderr: 'ignore' });
  const host = new Client({ name: 'stopwatch', version: '1' });
  await host.connect(transport);
  const call = async (name, args = {}) => {
    const { isError, structuredContent, content } = await host.callTool({ name, arguments: args });
    if (isError) throw new Error(`${name}: ${content[0].text}`);
    return structuredContent;
  };
  await call('svc_register_agent', { displayName: 'a model' });
  const shipper = ['--key', 'carl.json', '--url', url];
  await run('key', 'new', 'carl.json');
  await run('register', '--name', 'Carl', ...shipper);
  await run(
    'post',
    'task',
    '--budget',
    '0.1',
    '--title',
    'Words',
    '--what',
    'Count the words.',
    '--leg',
    'Count them.',
    ...shipper,
  );
  await timed('    a task is done and paid', () => work(call));
  await run('post', 'package', '--budget', '0.3', '--what', 'a book', ...PARCEL, ...shipper);
  await timed('    a package is carried and paid', () => carry(call, shipper));
  await host.close();
}

const PARCEL = ['--kg', '1', '--litres', '2', '--from', '52.5074,13.3326', '--to', '52.5031,13.4694'];

async function work(call) {
  const { items } = await call('svc_list_digital_tasks', { open: true });
  const [task] = items;
  const leg = { taskId: task.id, legId: task.legs[0].id };
  await call('svc_bid_digital_leg', { ...leg, bidSol: task.paymentPerLegSol });
  const paid = await until(
    async () => (await call('svc_complete_digital_leg', { ...leg, result: '3 words' })).paymentLamports ?? undefined,
    () => 'the payment of the task',
  );
  if (paid !== 100_000_000) throw new Error(`paid ${paid}`);
}

async function carry(call, shipper) {
  const { items } = await call('svc_list_packages', { status: 'listed' });
  const {
    id: packageId,
    originLat: pickupLat,
    originLng: pickupLng,
    destLat: dropoffLat,
    destLng: dropoffLng,
  } = items[0];
  const places = { pickupLat, pickupLng, dropoffLat, dropoffLng };
  await call('svc_submit_bid', { packageId, ...places, distanceKm: 12, estimatedDurationMin: 30, costSol: 0.1 });
  await until(
    async () => (await call('due_now')).due[0],
    () => 'the leg',
  );
  const [due] = await until(
    async () => {
      const found = JSON.parse(await run('due', '--json', ...shipper));
      return found.length > 0 ? found : undefined;
    },
    () => 'the parcel',
  );
  await run(...due.command.replace(/^.*?legwork /, '').split(' '), ...shipper);
  const { status } = await call('svc_get_package', { packageId });
  if (!['in_transit', 'delivered'].includes(status)) throw new Error(`the package is ${status}`);
}

await orExplain(async () => {
  await ensureInstalled();
  await ensureBuilt();
  const tarballs = (await readdir(join(root, 'packed'))).filter((name) => name.endsWith('.tgz'));
  await timed('installed', () =>
    install(
      folder,
      tarballs.map((name) => join(root, 'packed', name)),
    ),
  );
  const service = start(folder, legwork, ['start', '--ephemeral', '--port', '0', '--ledger-port', '0']);
  try {
    const [, url] = await service.shows(/Service +(http\S+)/);
    await timed('a courier, from an empty folder to the payment', () => courier(url));
    await timed('an MCP host with the bridge, from no key to both payments', () => model(url));
  } finally {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  }
});
