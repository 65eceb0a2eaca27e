import { createHash } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { print } from '../print.js';
import { UserError } from '../userError.js';
import { adminClient } from './adminClient.js';

export interface ExportOptions {
  readonly url: string;
  readonly out: string;
}

/**
 * Writes the export to a file, whole or not at all.
 *
 * @returns the exit code
 * @throws UserError, and what the service or the file system said
 */
export async function exportClaims(
  { url, out }: ExportOptions,
  env: Record<string, string | undefined>,
): Promise<number> {
  const { csv, sha256, claims } = await adminClient(url, env).exportRewardClaims();
  if (createHash('sha256').update(csv).digest('hex') !== sha256) {
    throw new UserError('What arrived is not what was sent: its sha256 is another. Export again.');
  }
  const unfinished = `${out}.${process.pid}.part`;
  await writeFile(unfinished, csv);
  await rename(unfinished, out);
  await print(`${claims} ${claims === 1 ? 'claim' : 'claims'} in ${out}\nsha256 ${sha256}\n`);
  return 0;
}
