// Reads a whole store, given its path: `openEnvironment` lets a process of its own try that, which ends if there is a hole.
import { ABORT, open, TransactionFlags } from 'lmdb';
import { openBytes } from './environment.js';

const root = open({ path: process.argv[2] ?? '', noSubdir: true, maxDbs: 8, encoding: 'json' });
for (const name of Array.from(root.getKeys())) {
  for (const { value } of openBytes(root, String(name)).getRange()) value.at(-1);
}
// Free pages are read when something is written.
root.transactionSync(() => {
  openBytes(root, 'accounts').putSync(Uint8Array.of(0), new Uint8Array(1_000_000));
  return ABORT;
}, TransactionFlags.ABORTABLE);
await root.close();
