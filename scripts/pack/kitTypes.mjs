// Copies the declarations of kit that its doors reach, into one folder: `types/<package>/…`, tied together by relative imports.
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { root } from '../bootstrap.mjs';
import { renameImports } from './bundled.mjs';

const OURS = /^(@solana(?:-program)?\/[^/]+)(\/.*)?$/;

/**
 * Copies what `entries` (names of packages, or of doors of packages) reach into `folder`.
 *
 * @returns where each entry's declarations are, from `folder`
 */
export async function copyTypes(folder, entries) {
  const versions = new Map();
  const copied = new Set();
  const waiting = entries.map((entry) => declarationsOf(entry, root));
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (copied.has(file)) continue;
    copied.add(file);
    const { text, reached } = await adapt(file, versions);
    waiting.push(...reached);
    const target = join(folder, placeOf(file));
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, text);
  }
  return new Map(entries.map((entry) => [entry, placeOf(declarationsOf(entry, root))]));
}

/** A file of declarations with its imports made relative, and the files they lead to. */
async function adapt(file, versions) {
  const folder = packageFolder(file);
  const { name, version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  if ((versions.get(name) ?? version) !== version) throw new Error(`${name} is installed in two versions`);
  versions.set(name, version);
  const reached = [];
  const rename = (imported) => {
    const found = imported.startsWith('.')
      ? declarationFile(join(dirname(file), imported))
      : OURS.test(imported) && declarationsOf(imported, folder);
    if (!found) return imported;
    reached.push(found);
    const path = relative(dirname(placeOf(file)), placeOf(found)).replace(/\.d\.ts$/, '.js');
    return path.startsWith('.') ? path : `./${path}`;
  };
  // Examples in comments stay as they are.
  const parts = (await readFile(file, 'utf8')).split(/(\/\*[^]*?\*\/)/);
  const text = parts.map((part, index) => (index % 2 === 0 ? renameImports(part, rename) : part)).join('');
  return { text: text.replace(/^\/\/# sourceMappingURL=.*$/m, ''), reached };
}

/** The file that declares what a package's door gives, for somebody in `from`. */
function declarationsOf(imported, from) {
  const [, name, path = ''] = OURS.exec(imported);
  const folder = installed(name, from);
  if (path !== '') return declarationFile(join(folder, path.includes('/dist/') ? path : `dist/types${path}`));
  return join(folder, 'dist/types/index.d.ts');
}

function installed(name, from) {
  const folder = join(from, 'node_modules', name);
  if (existsSync(folder)) return folder;
  if (from === dirname(from)) throw new Error(`${name} is not installed`);
  return installed(name, dirname(from));
}

/** The file that an import without an ending means. */
function declarationFile(path) {
  const found = [path.replace(/(\.js)?$/, '.d.ts'), join(path, 'index.d.ts')].find((file) => existsSync(file));
  if (!found) throw new Error(`no declarations at ${path}`);
  return found;
}

const TYPES = '/dist/types/';
const packageFolder = (file) => file.slice(0, file.lastIndexOf(TYPES));

/** `…/node_modules/@solana/keys/dist/types/key-pair.d.ts` is put to `keys/key-pair.d.ts`. */
function placeOf(file) {
  const folder = packageFolder(file);
  const [scope, name] = folder.split('/').slice(-2);
  return join(scope === '@solana' ? name : `program-${name}`, file.slice(folder.length + TYPES.length));
}
