import type { KeptKey } from './key.js';
import { t } from '../language.js';

/** The key of this device. */
export interface OwnKey extends KeptKey {
  /** Its phrase was written down, as its person says: without one it dies with the browser's data. */
  readonly isWrittenDown: boolean;
}

/**
 * The one key of this device, in a database of the browser's own: what lies there is the key's handle, which signs and cannot be read.
 * Every tab of these pages sees the same; a database is the browser's to delete, and then the key is gone.
 */
const DATABASE = 'legwork-device';
const STORE = 'keys';
const OWN = 'own';
const TRIAL = 'trial';

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.addEventListener('upgradeneeded', () => request.result.createObjectStore(STORE));
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () =>
      reject(request.error ?? new Error(t('The browser did not open its database.'))),
    );
    // Another tab deletes it just now.
    request.addEventListener('blocked', () =>
      reject(new Error(t('Another tab of this site is holding the database. Close it and try again.'))),
    );
  });
}

/** Does one thing with the store. @throws {DOMException} such as QuotaExceededError, ConstraintError */
async function within<T>(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const database = await open();
  try {
    return await new Promise<T>((resolve, reject) => {
      // What is told as kept has reached the disk: a phone may die at once.
      const transaction = database.transaction(STORE, mode, { durability: 'strict' });
      const request = act(transaction.objectStore(STORE));
      transaction.addEventListener('complete', () => resolve(request.result));
      transaction.addEventListener('abort', () =>
        reject(transaction.error ?? new Error(t('The browser failed to store it.'))),
      );
    });
  } finally {
    database.close();
  }
}

/** The key of this device; undefined: it has none. */
export function readKey(): Promise<OwnKey | undefined> {
  return within<OwnKey | undefined>('readonly', (store) => store.get(OWN));
}

/**
 * Keeps a key, if this device has none: two tabs that make one at once end with the same.
 *
 * @returns the key that is kept now
 */
export async function keepKey(key: OwnKey): Promise<OwnKey> {
  try {
    await within('readwrite', (store) => store.add({ ...key }, OWN));
    return key;
  } catch (error) {
    const kept = isTaken(error) ? await readKey() : undefined;
    if (kept === undefined) throw error;
    return kept;
  }
}

const isTaken = (error: unknown) => error instanceof DOMException && error.name === 'ConstraintError';

/** Forgets the key of this device. Without its phrase nobody has it any more. */
export async function forgetKey(): Promise<void> {
  await within('readwrite', (store) => store.delete(OWN));
}

/** Puts a key there and takes it away again: some browsers keep no keys in private windows. @throws {DOMException} */
export async function tryStore(key: KeptKey['privateKey']): Promise<void> {
  await within('readwrite', (store) => store.put(key, TRIAL));
  await within('readwrite', (store) => store.delete(TRIAL));
}
