// The SDK with the packages of ours that it needs inside: one file to install, while no registry has them. Beside the others they would
// be there twice, so it is packed for itself.
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const OURS = /^@legwork\//;
const manifestOf = async (folder) => JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));

/**
 * Writes a package with all of ours that it needs into a folder. What those need of others npm has to be told: it installs nothing for
 * what is inside another package.
 *
 * @param stage the folder in which each of ours is laid out under its name
 */
export async function makeAlone(stage, name, folder) {
  await cp(join(stage, name), folder, { recursive: true });
  const manifest = await manifestOf(folder);
  const inside = new Set(Object.keys(manifest.dependencies).filter((one) => OURS.test(one)));
  // A set goes on to what is added while it is read.
  for (const one of inside) {
    const from = join(stage, one.replace(OURS, ''));
    await cp(from, join(folder, 'node_modules', one), { recursive: true });
    const { dependencies = {} } = await manifestOf(from);
    for (const needed of Object.keys(dependencies)) if (OURS.test(needed)) inside.add(needed);
    manifest.dependencies = { ...dependencies, ...manifest.dependencies };
  }
  const alone = { ...manifest, bundleDependencies: [...inside] };
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(alone, null, 2)}\n`);
}
