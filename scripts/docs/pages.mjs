import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../bootstrap.mjs';

const NOT_OURS = /^(\..*|node_modules|dist|target)$/;

/** Our Markdown pages in a folder of the project and below, as paths from the project's folder. */
export function markdownFiles(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isFile()) return entry.name.endsWith('.md') ? [path] : [];
    return entry.isDirectory() && !NOT_OURS.test(entry.name) ? markdownFiles(path) : [];
  });
}
