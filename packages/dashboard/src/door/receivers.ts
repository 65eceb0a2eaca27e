import { del, get, set } from 'idb-keyval';
import { storeOf } from './store.js';
import { z } from 'zod';

/** The words of who receives a package, by the package's id: this browser alone has them, and they outlive the page. Rule D-90. */
const store = storeOf('legwork-receivers', 'words');

const kept = z.string();

/** @returns whether this browser keeps them: a full one does not, and a private window for as long as it is open */
export async function keepWords(packageId: string, words: string): Promise<boolean> {
  try {
    await set(packageId, words, store);
    return (await wordsOf(packageId)) === words;
  } catch {
    return false;
  }
}

/** Undefined: this browser does not have them. */
export async function wordsOf(packageId: string): Promise<string | undefined> {
  const found: unknown = await get(packageId, store).catch(() => undefined);
  return kept.safeParse(found).data;
}

/** Once the package is over, for good, its words open nothing. */
export const forgetWords = (packageId: string): Promise<void> => del(packageId, store).catch(() => undefined);
