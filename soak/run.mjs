// `npm run soak`: makes trouble for the parts of an instance at random moments of running packages, see README.md.
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { BootstrapError, ensureBuilt, ensureInstalled, orExplain, root, run } from '../scripts/bootstrap.mjs';

const PARTS = ['service', 'ledger', 'postgres', 'all', 'pause', 'network', 'disk'];

function parse() {
  try {
    return parseArgs({
      options: {
        kills: { type: 'string' },
        minutes: { type: 'string' },
        former: { type: 'string' },
        seed: { type: 'string' },
        only: { type: 'string' },
        services: { type: 'string' },
        keep: { type: 'boolean' },
        'lose-database': { type: 'boolean' },
        promote: { type: 'boolean' },
        pooler: { type: 'boolean' },
        plant: { type: 'boolean' },
      },
    }).values;
  } catch (error) {
    throw new BootstrapError(
      `${error.message}. Give --kills N, --minutes N, --seed S, --services N, --former FOLDER, --only ${PARTS.join('|')}, --keep, --lose-database, --promote, --pooler, --plant.`,
    );
  }
}

function readOptions() {
  const values = parse();
  const { minutes = '', former = '', only } = values;
  // More than fit into the time that is given.
  const { kills = minutes === '' ? '13' : '9999' } = values;
  const { services = '3', seed = String(Math.floor(Math.random() * 2 ** 32)) } = values;
  if (!/^([1-9]\d{0,2})?$/.test(minutes)) throw new BootstrapError(`--minutes is "${minutes}"; give 1 to 999.`);
  if (!/^[1-9]\d{0,3}$/.test(kills)) throw new BootstrapError(`--kills is "${kills}"; give a whole number from 1.`);
  if (!/^\d{1,10}$/.test(seed)) throw new BootstrapError(`--seed is "${seed}"; give a whole number from 0.`);
  if (!/^[1-9]$/.test(services)) throw new BootstrapError(`--services is "${services}"; give 1 to 9.`);
  if (only !== undefined && !PARTS.includes(only)) {
    throw new BootstrapError(`--only is "${only}"; give one of ${PARTS.join(', ')}.`);
  }
  if (values.promote && values['lose-database']) throw new BootstrapError('Give --promote or --lose-database.');
  return {
    kills,
    minutes,
    former: former && resolve(former),
    seed,
    parts: only ?? PARTS.join(','),
    keep: values.keep ? '1' : '',
    loses: values['lose-database'] ? '1' : '',
    services,
    promote: values.promote ? '1' : '',
    pooler: values.pooler ? '1' : '',
    plant: values.plant ? '1' : '',
  };
}

await orExplain(async () => {
  const { kills, minutes, former, seed, parts, keep, loses, services, promote, pooler, plant } = readOptions();
  await ensureInstalled();
  await ensureBuilt();
  const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
  const { code } = await run(process.execPath, [vitest, 'run', '--root', root, '--config', 'soak/vitest.config.ts'], {
    show: true,
    env: {
      ...process.env,
      SOAK_KILLS: kills,
      SOAK_MINUTES: minutes,
      SOAK_FORMER: former,
      SOAK_SEED: seed,
      SOAK_PARTS: parts,
      SOAK_KEEP: keep,
      SOAK_LOSES: loses,
      SOAK_SERVICES: services,
      SOAK_PROMOTE: promote,
      SOAK_POOLER: pooler,
      SOAK_PLANT: plant,
    },
  });
  process.exitCode = code === 0 ? 0 : 1;
});
