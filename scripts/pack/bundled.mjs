// Names of imports in compiled code and in declarations.

/** What `@legwork/kit` takes the place of, and under which of its doors. */
export const KIT_DOORS = new Map([
  ['@solana/kit', '@legwork/kit'],
  ['@solana/kit/program-client-core', '@legwork/kit/program-client-core'],
  ['@solana/rpc-spec-types', '@legwork/kit/rpc-spec-types'],
  ['@solana-program/system', '@legwork/kit/system'],
  ['@solana-program/compute-budget', '@legwork/kit/compute-budget'],
]);

const SPECIFIER = /((?:\bfrom|\bimport)\s*\(?\s*)(['"])([^'"\n]+)\2/g;

/** The text with what `rename` gives for each imported name. */
export function renameImports(text, rename) {
  return text.replace(SPECIFIER, (_whole, before, quote, name) => `${before}${quote}${rename(name)}${quote}`);
}

// Dependencies that go into a package of ours, because installed by themselves they would warn: npm tells of every package that
// runs a script, and kit's command line does not run on Node 20. Their native parts stay packages of their own.
import { cp, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { root } from '../bootstrap.mjs';
import { without } from './manifest.mjs';

/** The name of a dependency, and those of its dependencies that go with it. */
const BUNDLED = { lmdb: ['msgpackr'], litesvm: [] };

/** What only a build of the native part needs, and maps. */
const LEFT_OUT = /^(src|dependencies|binding\.gyp|bin|test.*)$|\.(map|tsbuildinfo)$/;

/** Whether a package of ours carries this dependency. */
export const isBundled = (name) => name in BUNDLED;

/** What npm must not install: kit is not used by what we use of litesvm, and the others are for building or have a script. */
const UNWANTED = /^(@solana.*|node-addon-api|msgpackr-extract)$/;

/**
 * Copies dependencies into the `node_modules` of a package.
 *
 * @returns the names of all that went in, and what they need in turn: npm installs nothing for what is inside another package
 */
export async function bundleInto(folder, dependencies) {
  const names = dependencies.flatMap((name) => [name, ...BUNDLED[name]]);
  const needed = { dependencies: {}, optionalDependencies: {} };
  for (const name of names) {
    const target = join(folder, 'node_modules', name);
    const from = join(root, 'node_modules', name);
    const isWanted = (file) => file === from || !LEFT_OUT.test(basename(file));
    await cp(from, target, { recursive: true, filter: isWanted });
    const manifest = await quieten(join(target, 'package.json'));
    Object.assign(needed.dependencies, manifest.dependencies);
    Object.assign(needed.optionalDependencies, manifest.optionalDependencies);
  }
  for (const name of names) delete needed.dependencies[name];
  return { names, ...needed };
}

/** Takes out of a package.json what would run at the installation, and what would be installed in vain. */
async function quieten(file) {
  const manifest = JSON.parse(await readFile(file, 'utf8'));
  const wanted = (all = {}) => Object.fromEntries(Object.entries(all).filter(([name]) => !UNWANTED.test(name)));
  const dependencies = wanted(manifest.dependencies);
  const optionalDependencies = wanted(manifest.optionalDependencies);
  const quiet = {
    ...without(manifest, 'scripts', 'gypfile', 'bin', 'devDependencies'),
    dependencies,
    optionalDependencies,
  };
  await writeFile(file, `${JSON.stringify(quiet, null, 2)}\n`);
  return quiet;
}
