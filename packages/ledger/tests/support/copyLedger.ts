import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { open } from 'lmdb';

const DATABASE = 'ledger.lmdb';

/** Copies a ledger's data folder as it is at this moment, also while a process runs it. The copy belongs to nobody yet. */
export async function copyLedger(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  const files = (await readdir(from)).filter((file) => !file.startsWith(DATABASE));
  await Promise.all(files.map((file) => copyFile(join(from, file), join(to, file))));
  const original = open({ path: join(from, DATABASE), noSubdir: true, maxDbs: 8, encoding: 'json' });
  await original.backup(join(to, DATABASE), false);
  await original.close();
  const copy = open({ path: join(to, DATABASE), noSubdir: true, maxDbs: 8, encoding: 'json' });
  await copy.openDB<unknown, string>('meta', { encoding: 'json' }).remove('owner');
  await copy.close();
}
