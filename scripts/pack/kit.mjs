// Makes @legwork/kit: consumers who installed @solana/kit itself would get its command line, which warns on Node 20, and 140 MB.
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { root } from '../bootstrap.mjs';
import { copyTypes } from './kitTypes.mjs';
import { KIT_DOORS } from './bundled.mjs';

const SOLANA = join(root, 'node_modules/@solana');

/** A door's name as a file: `@legwork/kit/system` is `system`, `@legwork/kit` is `index`. */
const fileOf = (door) => door.split('/')[2] ?? 'index';

/** Writes the package into `folder`. */
export async function makeKit(folder, { version, engines, license }) {
  await mkdir(folder, { recursive: true });
  await bundle(join(folder, 'node'), ['node', 'import']);
  await bundle(join(folder, 'browser'), ['browser', 'import']);
  const types = await copyTypes(join(folder, 'types'), [...KIT_DOORS.keys()]);
  const exports = [...KIT_DOORS].map(([original, door]) => [
    door.replace('@legwork/kit', '.'),
    {
      types: `./types/${types.get(original)}`,
      browser: `./browser/${fileOf(door)}.js`,
      default: `./node/${fileOf(door)}.js`,
    },
  ]);
  const manifest = {
    name: '@legwork/kit',
    version,
    description: 'The parts of @solana/kit that Legwork uses, bundled.',
    license: `${license} AND MIT`,
    type: 'module',
    sideEffects: false,
    engines,
    exports: Object.fromEntries(exports),
    files: ['node', 'browser', 'types', 'LICENSE-kit'],
    dependencies: await dependenciesOfKit(),
    publishConfig: { access: 'public' },
  };
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  await cp(join(root, 'scripts/pack/kit/README.md'), join(folder, 'README.md'));
  await cp(join(SOLANA, 'kit/LICENSE'), join(folder, 'LICENSE-kit'));
}

/** One module a door and one that they share, for Node or for browsers. */
async function bundle(folder, conditionNames) {
  const build = await rolldown({
    cwd: root,
    input: Object.fromEntries([...KIT_DOORS].map(([original, door]) => [fileOf(door), original])),
    // Neutral: those who bundle a page decide about NODE_ENV.
    platform: 'neutral',
    resolve: { conditionNames, mainFields: ['module', 'main'] },
    external: [/^node:/, 'events', 'fs/promises', 'path', 'ws'],
    plugins: [oneCopy()],
  });
  const comments = { legal: false, annotation: true, jsdoc: false };
  await build.write({ dir: folder, format: 'esm', chunkFileNames: 'shared.js', comments });
  await build.close();
}

/** npm may have put the same part of kit beside several others: each goes in once. */
function oneCopy() {
  const found = new Map();
  return {
    name: 'one-copy',
    resolveId(source, importer) {
      if (!source.startsWith('@solana/')) return undefined;
      if (!found.has(source)) found.set(source, this.resolve(source, importer, { skipSelf: true }));
      return found.get(source);
    },
  };
}

/** What kit's parts import of others, in the versions that we have tried. */
async function dependenciesOfKit() {
  const of = async (name, folder) => [
    name,
    JSON.parse(await readFile(join(folder, name, 'package.json'), 'utf8')).version,
  ];
  return Object.fromEntries([
    await of('undici-types', join(SOLANA, 'rpc-transport-http/node_modules')),
    await of('ws', join(root, 'node_modules')),
  ]);
}
