// `npm run check`: everything a machine can say about the code without running it. Runs every step, names those that fail.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureInstalled, orExplain, root, run } from './bootstrap.mjs';

const node = (...args) => run(process.execPath, args);
const tool = (name, ...args) => run(join(root, 'node_modules/.bin', name), args);

/** @type {[name: string, check: () => Promise<{ code: number, output: string }>][]} */
const steps = [
  // First, because the later ones read what it writes.
  ['types', () => tool('tsc', '-b')],
  ['format', () => tool('biome', 'format', '.')],
  ['lint', () => tool('oxlint', '--type-aware', '--deny-warnings')],
  ['types of tests', () => tool('tsc', '-p', 'tsconfig.tests.json')],
  ['types of the dashboard', () => tool('tsc', '-p', 'packages/dashboard')],
  ['types of its service worker', () => tool('tsc', '-p', 'packages/dashboard/worker')],
  ['every export is imported', () => tool('knip', '--no-progress')],
  ['generated clients, TypeScript and Python, are current', () => node('scripts/generate.mjs', '--check')],
  ['settings page is current', () => node('scripts/docs/configuration.mjs', '--check')],
  ['tools page is current', () => node('scripts/docs/tools.mjs', '--check')],
  ['index of the rules is current', () => node('scripts/docs/rules.mjs', '--check')],
  ['tests that try attacks exist', () => node('scripts/docs/attacks.mjs')],
  ['vectors are current', () => node('packages/protocol/vectors/generate.mjs', '--check')],
  ['vectors of receipts are current', () => node('examples/receipts/vectors.mjs', '--check')],
  ['lockfile names no registry', async () => registryAddresses()],
  ['links in the documentation, phrases it retires', () => node('scripts/docs/links.mjs')],
  ['TypeScript in the documentation', () => node('scripts/docs/typescript.mjs')],
  ['shell in the documentation', () => node('scripts/docs/shell.mjs')],
];

/** Makes sure that package-lock.json works with any registry. */
function registryAddresses() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const tied = Object.entries(packages)
    .filter(([, { resolved }]) => /^\w+:/.test(resolved ?? ''))
    .map(([path, { resolved }]) => `package-lock.json: ${path} is tied to ${resolved}`);
  return { code: tied.length === 0 ? 0 : 1, output: tied.join('\n') };
}

await orExplain(async () => {
  await ensureInstalled();
  const failed = [];
  for (const [name, check] of steps) {
    const started = performance.now();
    const { code, output } = await check();
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    process.stdout.write(`${code === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)\n`);
    if (code !== 0) {
      process.stdout.write(`${output.trim()}\n\n`);
      failed.push(name);
    }
  }
  if (failed.length === 0) return;
  process.stdout.write(`Failed: ${failed.join(', ')}\n`);
  process.exitCode = 1;
});
