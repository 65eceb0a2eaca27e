import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The folder for what a list of packages installs: another list, another folder. */
export function cacheFolder(name, list) {
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  return join(cache, 'legwork', `${name}-${createHash('sha256').update(list).digest('hex').slice(0, 16)}`);
}
