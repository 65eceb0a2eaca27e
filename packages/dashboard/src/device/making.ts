import { importKey, importSeed } from './key.js';
import { keepKey, type OwnKey, tryStore } from './store.js';
import { t } from '../language.js';

/** Makes sure that a key could be made and kept here, before anybody writes a phrase down. @throws {DOMException} */
export async function requireKeys(): Promise<void> {
  await importSeed(crypto.getRandomValues(new Uint8Array(32)));
  const { privateKey } = await importKey(crypto.getRandomValues(new Uint8Array(32)));
  await tryStore(privateKey);
}

/**
 * Keeps the key of a phrase on this device.
 *
 * @throws {Error} when the device has another one meanwhile, which counts
 */
export async function keepPhrase(phrase: string, isWrittenDown: boolean): Promise<OwnKey> {
  const { seedOfPhrase } = await import('./phrase.js');
  const seed = await seedOfPhrase(phrase);
  try {
    const key = { ...(await importKey(seed)), isWrittenDown };
    const kept = await keepKey(key);
    if (kept.address !== key.address)
      throw new Error(t('Another tab has made a key in the meantime, and that one counts. Close this.'));
    // Browsers delete what nobody asked them to keep, when their disk is full.
    await navigator.storage?.persist?.().catch(() => false);
    return kept;
  } finally {
    seed.fill(0);
  }
}

/** Three places of twelve, to be typed back; counted from 0, in order. */
export function placesToAsk(words: number): number[] {
  const places = Array.from({ length: words }, (_, at) => at);
  const random = crypto.getRandomValues(new Uint32Array(words));
  return places
    .toSorted((one, other) => (random[one] ?? 0) - (random[other] ?? 0))
    .slice(0, 3)
    .toSorted((one, other) => one - other);
}
