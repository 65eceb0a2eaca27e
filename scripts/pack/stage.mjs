// Lays out a package of ours as it is published: compiled code, declarations, README and license, without what only a clone has.
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { root } from '../bootstrap.mjs';
import { bundleInto, isBundled } from './bundled.mjs';
import { publicManifest, renamed } from './manifest.mjs';
import { KIT_DOORS, renameImports } from './bundled.mjs';

/** Maps point at sources, which are not in the package. */
const LEFT_OUT = /\.map$|\.tsbuildinfo$/;
const CODE = /\.(m?js|d\.ts)$/;

/** Writes the package in `source` (a folder of the workspace) into `folder`. @param workspace the root's package.json */
export async function stagePackage(source, folder, workspace) {
  const manifest = JSON.parse(await readFile(join(source, 'package.json'), 'utf8'));
  await mkdir(folder, { recursive: true });
  for (const path of manifest.files) {
    // Links are followed: the built on-chain program lies elsewhere in a clone.
    const filter = (file) => !LEFT_OUT.test(basename(file));
    await cp(join(source, path), join(folder, path), { recursive: true, dereference: true, filter });
  }
  // What imports nothing is bundled already, and has its hash in its name.
  if (manifest.dependencies) await adaptCode(folder);
  await writeFile(join(folder, 'README.md'), withoutRelativeLinks(await readFile(join(source, 'README.md'), 'utf8')));
  await cp(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  const bundled = await bundleInto(folder, Object.keys(manifest.dependencies ?? {}).filter(isBundled));
  const packed = publicManifest(manifest, workspace, bundled);
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(packed, null, 2)}\n`);
}

/** Lets the code import the names that its consumers have. */
async function adaptCode(folder) {
  for (const file of await readdir(folder, { recursive: true })) {
    if (!CODE.test(file)) continue;
    const path = join(folder, file);
    const text = renameImports(renamed(await readFile(path, 'utf8')), (name) => publicName(name, file));
    await writeFile(path, text.replace(/^\/\/# sourceMappingURL=.*\n?/m, ''));
  }
}

function publicName(name, file) {
  if (name.startsWith('@solana') && !KIT_DOORS.has(name)) throw new Error(`@legwork/kit has no ${name}, for ${file}`);
  return KIT_DOORS.get(name) ?? name;
}

/** Links that lead to a file of the clone lead nowhere from a package: their words stay. */
export function withoutRelativeLinks(page) {
  return page.replaceAll(/\[([^\]]+)\]\((?![a-z]+:|#)[^)]+\)/g, '$1');
}
