// Renders program/idl/relay.mjs into program/idl/relay.json and packages/program-client/src/generated, and these with the operations'
// contracts into python/src/legwork/_generated.
//   node scripts/generate.mjs           writes all three
//   node scripts/generate.mjs --check   exits 1 if what is committed differs
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { renderVisitor } from '@codama/renderers-js';
import { createFromRoot } from 'codama';
import { idl } from '../program/idl/relay.mjs';
import { adaptRendered } from './generate/adaptRendered.mjs';
import { BootstrapError, orExplain, run } from './bootstrap.mjs';
import { errorTable } from './generate/errorTable.mjs';
import { renderPython } from './generate/python.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const IDL = join(root, 'program/idl/relay.json');
const CLIENT = join(root, 'packages/program-client/src/generated');
const PYTHON = join(root, 'python/src/legwork/_generated');

/** Where generated code takes addresses from; all else comes from the library. */
const KEYS = { solanaAddresses: '../../keys' };

/** Renders everything into `folder`, as a map from path to text; nothing outside `folder` is touched. */
async function render(folder) {
  const codama = createFromRoot(idl);
  await codama.accept(renderVisitor(folder, { syncPackageJson: false, dependencyMap: KEYS }));
  const rendered = adaptRendered(await readFiles(folder));
  rendered.set('errors.ts', errorTable(idl.program));
  return { json: `${JSON.stringify(JSON.parse(codama.getJson()), null, 2)}\n`, files: rendered };
}

/** The contracts as they were compiled, so that is done first. */
async function renderContracts() {
  const { code, output } = await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-b']);
  if (code !== 0) throw new BootstrapError(output.trim());
  return renderPython(idl.program);
}

async function readFiles(folder) {
  const files = new Map();
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  // What Python compiles lies beside it.
  for (const entry of entries.filter((candidate) => candidate.isFile() && !candidate.name.endsWith('.pyc'))) {
    const path = join(entry.parentPath, entry.name);
    files.set(path.slice(folder.length + 1).replaceAll('\\', '/'), await readFile(path, 'utf8'));
  }
  return files;
}

async function write(folder, files) {
  await rm(folder, { recursive: true, force: true });
  for (const [path, text] of files) {
    await mkdir(join(folder, path, '..'), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

/** Paths whose committed text is not what would be written. */
async function outdated(folder, files) {
  const committed = await readFiles(folder);
  const paths = [...new Set([...committed.keys(), ...files.keys()])];
  return paths.filter((path) => committed.get(path) !== files.get(path)).map((path) => join(folder, path));
}

async function main(folder) {
  const { json, files } = await render(folder);
  const isCheck = process.argv.includes('--check');
  if (!isCheck) {
    await writeFile(IDL, json);
    await write(CLIENT, files);
    await write(PYTHON, await renderContracts());
    return;
  }
  const isStale = (await readFile(IDL, 'utf8').catch(() => '')) !== json;
  const python = await outdated(PYTHON, await renderContracts());
  const stale = [...(isStale ? [IDL] : []), ...(await outdated(CLIENT, files)), ...python];
  if (stale.length === 0) return;
  const paths = stale.map((path) => path.slice(root.length)).join(', ');
  console.error(`What is generated is not current (${paths}): run "npm run generate".`);
  process.exitCode = 1;
}

const folder = await mkdtemp(join(tmpdir(), 'relay-client-'));
try {
  await orExplain(() => main(folder));
} finally {
  await rm(folder, { recursive: true, force: true });
}
