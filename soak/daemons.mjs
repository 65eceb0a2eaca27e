// `npm run soak:daemons`: SIGKILLs daemons of couriers and workers at random moments of a market, starts them again at once, and
// checks that nothing was done twice, no limit was passed, and the books are exact.
//   npm run soak:daemons -- --kills 1000 --seed 7
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { BootstrapError, ensureBuilt, ensureInstalled, orExplain } from '../scripts/bootstrap.mjs';

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '1000' }, seed: { type: 'string', default: `${Date.now() % 2 ** 31}` } },
});
const kills = Number(values.kills);
const say = (line) => process.stdout.write(`${line}\n`);

/** A daemon lives so long at most, in milliseconds: some do not live to their first poll, some carry a package. */
const LIVES_MS = 6_000;

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomOf(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

await orExplain(async () => {
  for (const [name, value] of Object.entries(values)) {
    if (!/^[1-9]\d{0,9}$/.test(value)) throw new BootstrapError(`--${name} is "${value}"; give a whole number from 1.`);
  }
  await ensureInstalled();
  await ensureBuilt();
  const { COURIERS, POSTERS, SHIPPERS, WORKERS } = await import('../examples/dist/demo/agents/cast.js');
  const { agentsPlot } = await import('../examples/dist/demo/agents/plot.js');
  const { startOwnInstance } = await import('../examples/dist/demo/instance.js');
  const { tellStory } = await import('../examples/dist/demo/story.js');
  const { findFaults } = await import('./daemonsChecks.mjs');
  const { UNLIMITED } = await import('../bench/market.mjs');

  const honest = (agents) => agents.filter(({ failing }) => failing === undefined || failing === 'is killed');
  const [couriers, workers] = [honest(COURIERS), honest(WORKERS)];
  const random = randomOf(Number(values.seed));
  say(`seed ${values.seed}, ${kills} kills`);
  let left = kills;
  const keepKilling = async (daemon) => {
    while (left > 0) {
      left -= 1;
      if (left % 100 === 0) say(`${left} kills to come`);
      await pause(random() ** 2 * LIVES_MS);
      await daemon.killAndRestart();
    }
  };
  const plot = agentsPlot({
    groups: { north: couriers.slice(0, 4), south: couriers.slice(4, 8), alone: couriers.slice(8), workers },
    shippers: SHIPPERS,
    posters: POSTERS,
    hasSaboteur: false,
    postEveryMs: 4_000,
    drainMs: 180_000,
    disturb: (daemons) => Promise.all(Object.values(daemons).map(keepKilling)),
  });
  const home = await mkdtemp(join(tmpdir(), 'legwork-soak-'));
  const instance = await startOwnInstance(UNLIMITED);
  const checked = {
    ...plot,
    play: async (stage) => {
      const { escrows, faults } = await plot.play(stage);
      const found = await findFaults(stage, [...couriers, ...workers]);
      for (const fault of found) stage.say(`FOUND ${fault}`);
      return { escrows, faults: [...faults, ...found] };
    },
  };
  try {
    const isRight = await tellStory(checked, {
      url: instance.url,
      home,
      resume: false,
      say,
    });
    say(isRight ? 'no findings' : 'there are findings, or the books do not agree');
    process.exitCode = isRight ? 0 : 1;
  } finally {
    await instance.stop();
    if (process.exitCode === 0) await rm(home, { recursive: true, force: true });
    else say(`keys, policies and journals are in ${home}`);
  }
});
