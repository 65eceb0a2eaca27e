import { setTimeout as pause } from 'node:timers/promises';
import { runDemo } from '../runDemo.js';
import { COURIERS, POSTERS, SHIPPERS, WORKERS } from './cast.js';
import type { Failing } from './cast.js';
import { agentsPlot } from './plot.js';

const at = process.argv.indexOf('--minutes');
const [, minutes = '3'] = at === -1 ? [] : process.argv.splice(at, 2);
if (!(Number(minutes) > 0)) {
  console.error(`--minutes is "${minutes}"; give a number above 0, such as 3.`);
  process.exit(1);
}
const quarterMs = Number(minutes) * 15_000;

/** An agent that is stopped or killed in the middle has a process of its own. */
const apart: readonly (Failing | undefined)[] = ['goes silent', 'is killed'];

const plot = agentsPlot({
  groups: {
    couriers: COURIERS.filter(({ failing }) => !apart.includes(failing)),
    silent: COURIERS.filter(({ failing }) => failing === 'goes silent'),
    workers: WORKERS.filter(({ failing }) => !apart.includes(failing)),
    killed: WORKERS.filter(({ failing }) => failing === 'is killed'),
  },
  shippers: SHIPPERS,
  posters: POSTERS,
  hasSaboteur: true,
  postEveryMs: 5_000,
  drainMs: 75_000,
  disturb: async ({ couriers, silent, killed }) => {
    await pause(quarterMs);
    await killed.killAndRestart();
    await pause(quarterMs);
    silent.silence();
    await couriers.killAndRestart();
    await pause(quarterMs);
    await killed.killAndRestart();
    await pause(quarterMs);
  },
});

await runDemo('npm run demo:agents', plot);
