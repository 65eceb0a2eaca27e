import { createStore, type UseStore } from 'idb-keyval';

/** A store of the browser's. One that it refuses is refused when it is used, and keeps no page from being shown. */
export function storeOf(database: string, name: string): UseStore {
  let store: UseStore | undefined;
  return async (mode, act) => {
    store ??= createStore(database, name);
    return store(mode, act);
  };
}
