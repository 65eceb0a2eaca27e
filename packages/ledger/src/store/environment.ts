import { spawnSync } from 'node:child_process';
import { chmodSync, closeSync, openSync, readSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { open, type Database, type RootDatabase } from 'lmdb';
import { builtModule } from '../builtModule.js';
import { DamagedStoreError } from '../errors.js';

/** A database of raw bytes. */
export type Bytes = Database<Uint8Array, Uint8Array>;

/** Two pages: what LMDB writes first. */
const LEAST_BYTES = 8192;

/** The mark of LMDB's files, and its place. */
const MAGIC = 0xbeefc0de;
const MAGIC_AT = 24;

/** Opens or creates the LMDB file at `path`, for its owner alone. Rule L-73. @throws DamagedStoreError */
export function openEnvironment(path: string): RootDatabase {
  requireHead(path);
  const root = openFile(path);
  // Earlier versions left them readable by others.
  for (const file of [path, `${path}-lock`]) chmodSync(file, 0o600);
  try {
    requireWhole(root, path);
  } catch (error) {
    void root.close();
    throw error;
  }
  return root;
}

/** The databases of each file. */
const opened = new WeakMap<RootDatabase, object[]>();

export function openBytes(root: RootDatabase, name: string): Bytes {
  return remembered(root, root.openDB<Uint8Array, Uint8Array>(name, { encoding: 'binary', keyEncoding: 'binary' }));
}

export function openJson(root: RootDatabase, name: string): Database<unknown, string> {
  return remembered(root, root.openDB<unknown, string>(name, { encoding: 'json' }));
}

function remembered<D extends object>(root: RootDatabase, database: D): D {
  opened.set(root, [...(opened.get(root) ?? []), database]);
  return database;
}

/**
 * Ends reading, and closes the file. A call that is under way when a ledger stops goes on reading. LMDB lets such a read
 * begin until the last write is on disk, and throws later in a timer of its own, where nobody can catch it.
 */
export async function closeEnvironment(root: RootDatabase): Promise<void> {
  const refuse = (): never => {
    throw new Error('the ledger is closed');
  };
  for (const database of opened.get(root) ?? []) {
    Object.assign(database, { get: refuse, getRange: refuse, getKeys: refuse });
  }
  await root.close();
}

function openFile(path: string): RootDatabase {
  try {
    // The store itself batches writes that go together. LMDB's own batches end the process when the disk is full.
    return open({ path, noSubdir: true, maxDbs: 8, encoding: 'json', eventTurnBatching: false });
  } catch (error) {
    throw new DamagedStoreError(path, error instanceof Error ? error.message : String(error));
  }
}

/** LMDB ends the process when it finds something else. @throws DamagedStoreError */
function requireHead(path: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) return;
  if (size < LEAST_BYTES) throw new DamagedStoreError(path, `it has only ${size} bytes`);
  const head = Buffer.alloc(MAGIC_AT + 4);
  const file = openSync(path, 'r');
  readSync(file, head, 0, head.length, 0);
  closeSync(file);
  if (head.readUInt32LE(MAGIC_AT) !== MAGIC)
    throw new DamagedStoreError(path, 'it does not begin as an LMDB file does');
}

/** Reading beyond the end of the file would end the process without a word. @throws DamagedStoreError */
function requireWhole(root: RootDatabase, path: string): void {
  const { lastPageNumber, pageSize } = root.getStats() as { lastPageNumber: number; pageSize: number };
  const { size } = statSync(path);
  const reach = (lastPageNumber + 1) * pageSize;
  if (size >= reach) return;
  // Nevertheless it may be whole: pages at the end that were taken and given back at once are never written.
  const reader = fileURLToPath(builtModule('store/readEverything.js'));
  if (spawnSync(process.execPath, [reader, path], { stdio: 'ignore' }).status === 0) return;
  throw new DamagedStoreError(path, `it was cut off: it has ${size} bytes of ${reach}`);
}
