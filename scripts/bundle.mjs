// Makes one piece of the command, packages/cli/bundle, out of what `tsc -b` compiled: Node spends most of a short command's time
// on finding and opening a thousand modules. bin/legwork.mjs runs it while nothing that it was made of is newer.
import { readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { root } from './bootstrap.mjs';

/** Packages with native parts, files of their own beside their code, or hooks for others to find them by stay outside. */
const OUTSIDE = [/^node:/, /^(events|path|fs\/promises)$/, /^(lmdb|pg|pino|prom-client|ws)$/, /^litesvm/, /^@?fastify/];

const LEDGER = 'packages/ledger/dist';

/** Where threads and processes of the ledger begin: `builtModule` finds them by their paths beside the code that starts them. */
function besideTheLedger() {
  const names = readdirSync(join(root, LEDGER), { recursive: true }).filter((name) => name.endsWith('.js'));
  const sources = names.map((name) => readFileSync(join(root, LEDGER, name), 'utf8'));
  return sources.flatMap((source) => [...source.matchAll(/builtModule\('([^']+)\.js'\)/g)].map(([, path]) => path));
}

const folder = join(root, 'packages/cli/bundle');
await rm(folder, { recursive: true, force: true });
const build = await rolldown({
  cwd: root,
  input: {
    runCli: 'packages/cli/dist/runCli.js',
    ...Object.fromEntries(besideTheLedger().map((path) => [path, `${LEDGER}/${path}.js`])),
  },
  platform: 'node',
  external: OUTSIDE,
});
const comments = { legal: false, annotation: false, jsdoc: false };
// Chunks lie beside the entry: what is found relative to code is as far from there as from dist.
await build.write({ dir: folder, format: 'esm', chunkFileNames: '[name]-[hash].js', comments, keepNames: true });
await build.close();
