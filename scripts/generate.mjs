// Renders program/idl/relay.mjs into program/idl/relay.json and packages/program-client/src/generated.
//   node scripts/generate.mjs           writes both
//   node scripts/generate.mjs --check   exits 1 if what is committed differs
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { renderVisitor } from '@codama/renderers-js';
import { createFromRoot } from 'codama';
import { idl } from '../program/idl/relay.mjs';
import { adaptRendered } from './generate/adaptRendered.mjs';
import { errorTable } from './generate/errorTable.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const IDL = join(root, 'program/idl/relay.json');
const CLIENT = join(root, 'packages/program-client/src/generated');

/** Renders everything into `folder`, as a map from path to text; nothing outside `folder` is touched. */
async function render(folder) {
  const codama = createFromRoot(idl);
  await codama.accept(renderVisitor(folder, { syncPackageJson: false }));
  const rendered = adaptRendered(await readFiles(folder));
  rendered.set('errors.ts', errorTable(idl.program));
  return { json: `${JSON.stringify(JSON.parse(codama.getJson()), null, 2)}\n`, files: rendered };
}

async function readFiles(folder) {
  const files = new Map();
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  for (const entry of entries.filter((candidate) => candidate.isFile())) {
    const path = join(entry.parentPath, entry.name);
    files.set(path.slice(folder.length + 1).replaceAll('\\', '/'), await readFile(path, 'utf8'));
  }
  return files;
}

async function write({ json, files }) {
  await writeFile(IDL, json);
  await rm(CLIENT, { recursive: true, force: true });
  for (const [path, text] of files) {
    await mkdir(join(CLIENT, path, '..'), { recursive: true });
    await writeFile(join(CLIENT, path), text);
  }
}

/** Paths whose committed text is not what would be written. */
async function outdated({ json, files }) {
  const committed = await readFiles(CLIENT);
  const paths = [...new Set([...committed.keys(), ...files.keys()])];
  const stale = paths.filter((path) => committed.get(path) !== files.get(path)).map((path) => join(CLIENT, path));
  return (await readFile(IDL, 'utf8').catch(() => '')) === json ? stale : [IDL, ...stale];
}

const folder = await mkdtemp(join(tmpdir(), 'relay-client-'));
try {
  const output = await render(folder);
  if (process.argv.includes('--check')) {
    const stale = (await outdated(output)).map((path) => path.slice(root.length));
    if (stale.length > 0) {
      console.error(`The generated program client is not current (${stale.join(', ')}): run "npm run generate".`);
      process.exitCode = 1;
    }
  } else {
    await write(output);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
