// A crowd of agents that live by their policies: a hundred couriers in one process and fifty workers in another, against one service
// whose limits are raised by name. Prints packages and legs an hour, CPU and memory of each process, and what the service bears.
//   node bench/agents.mjs [minutes] [couriers] [workers]
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ANSWER, PLACES } from '../examples/dist/demo/agents/cast.js';
import { agentsPlot } from '../examples/dist/demo/agents/plot.js';
import { startOwnInstance } from '../examples/dist/demo/instance.js';
import { tellStory } from '../examples/dist/demo/story.js';
import { UNLIMITED } from './market.mjs';
import { usageOf } from './processes.mjs';

const [minutes = 10, couriers = 100, workers = 50] = process.argv.slice(2).map(Number);
const SETTINGS = { ...UNLIMITED, NEWCOMER_IP_SOL: '1', NEWCOMER_DAY_SOL: '2' };

const limits = { legsAtOnce: 8, minPayment: 0.003 };
const around = ({ lat, lng }, index) => ({ home: [lat, lng], radiusKm: 6 + (index % 7) });
const courier = (_, index) => ({
  name: `C${index}`,
  role: 'courier',
  policy: {
    courier: {
      ...around(PLACES[index % PLACES.length], index),
      price: { perKm: 0.003 + (index % 11) * 0.0002 },
      handoff: { how: 'auto' },
      vehicle: { maxKg: 60, maxLitres: 300 },
    },
    limits,
  },
});
const worker = (_, index) => ({
  name: `W${index}`,
  role: 'worker',
  policy: { worker: { run: { command: ANSWER } }, limits },
});

const home = await mkdtemp(join(tmpdir(), 'legwork-bench-'));
const instance = await startOwnInstance(SETTINGS);
const lines = [];
const plot = agentsPlot({
  groups: { couriers: Array.from({ length: couriers }, courier), workers: Array.from({ length: workers }, worker) },
  shippers: Array.from({ length: 6 }, (_, index) => `S${index}`),
  posters: Array.from({ length: 4 }, (_, index) => `P${index}`),
  postEveryMs: 3_000,
  drainMs: 30_000,
  disturb: async (daemons, { client }) => {
    const pids = { couriers: daemons.couriers.pid, workers: daemons.workers.pid, service: instance.pid };
    // The cost of starting is not counted.
    await pause(20_000);
    const began = Date.now();
    const [before, stats] = [await Promise.all(Object.values(pids).map(usageOf)), await client.getStats()];
    await pause(minutes * 60_000);
    const [after, now] = [await Promise.all(Object.values(pids).map(usageOf)), await client.getStats()];
    const hours = (Date.now() - began) / 3_600_000;
    const perHour = (count) => Math.round(count / hours);
    lines.push(
      `packages delivered an hour: ${perHour(now.packagesByStatus.delivered - stats.packagesByStatus.delivered)}`,
      `tasks completed an hour: ${perHour(now.digitalTasksByStatus.completed - stats.digitalTasksByStatus.completed)}`,
      `bids an hour: ${perHour(now.bids - stats.bids)}`,
    );
    for (const [index, name] of Object.keys(pids).entries()) {
      const share = ((after[index].cpuSec - before[index].cpuSec) / (hours * 3_600)) * 100;
      const [mb, mbBefore] = [after, before].map((all) => Math.round(all[index].bytes / 2 ** 20));
      lines.push(`${name}: ${share.toFixed(1)} % of a core, ${mb} MB resident (${mbBefore} MB at the start)`);
    }
  },
});
try {
  const isRight = await tellStory(plot, { url: instance.url, home, resume: false, say: () => undefined });
  for (const line of lines) console.log(line);
  console.log(isRight ? 'every lamport is accounted for' : 'the books do not agree');
  process.exitCode = isRight ? 0 : 1;
} finally {
  await instance.stop();
  await rm(home, { recursive: true, force: true });
}
