// `npm run soak:bridge`: a model out of its mind and a lying service at two bridges that share a key, see README.md.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { BootstrapError, ensureBuilt, ensureInstalled, orExplain, root, run } from '../scripts/bootstrap.mjs';

function readOptions() {
  const { values } = parseArgs({ options: { calls: { type: 'string' }, seed: { type: 'string' } } });
  const { calls = '100000', seed = String(Math.floor(Math.random() * 2 ** 32)) } = values;
  for (const [name, value] of Object.entries({ calls, seed })) {
    if (!/^\d{1,10}$/.test(value)) throw new BootstrapError(`--${name} is "${value}"; give a whole number.`);
  }
  return { calls, seed };
}

await orExplain(async () => {
  const { calls, seed } = readOptions();
  await ensureInstalled();
  await ensureBuilt();
  const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
  const args = [vitest, 'run', '--root', root, '--config', 'soak/bridge/vitest.config.ts'];
  const { code } = await run(process.execPath, args, {
    show: true,
    env: { ...process.env, SOAK_CALLS: calls, SOAK_SEED: seed },
  });
  process.exitCode = code === 0 ? 0 : 1;
});
