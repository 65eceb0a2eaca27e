// Makes one piece of the command, packages/cli/bundle, out of what `tsc -b` compiled: Node spends most of a short command's time
// on finding and opening a thousand modules. bin/legwork.mjs runs it while nothing that it was made of is newer.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { root } from './bootstrap.mjs';

/** What has native parts, files of its own beside its code, or hooks for others to find it by stays outside. */
const OUTSIDE = [/^node:/, /^(events|path|fs\/promises)$/, /^(lmdb|pg|pino|prom-client|ws)$/, /^litesvm/, /^@?fastify/];

/** Where threads and processes of the ledger begin: they are found by their paths beside the code that starts them. */
const BESIDE = ['bank/signatureWorker', 'store/readEverything'];

const folder = join(root, 'packages/cli/bundle');
await rm(folder, { recursive: true, force: true });
const build = await rolldown({
  cwd: root,
  input: {
    runCli: 'packages/cli/dist/runCli.js',
    ...Object.fromEntries(BESIDE.map((path) => [path, `packages/ledger/dist/${path}.js`])),
  },
  platform: 'node',
  external: OUTSIDE,
});
const comments = { legal: false, annotation: false, jsdoc: false };
// Chunks lie beside the entry: what is found relative to code is as far from there as from dist.
await build.write({ dir: folder, format: 'esm', chunkFileNames: '[name]-[hash].js', comments, keepNames: true });
await build.close();
