import type { JournalEntry, JournalView } from '../journal.js';

const DAY_MS = 86_400_000;

/** What the models of a key used, by its journal. Rule A-51. */
export class TokensUsed implements JournalView {
  /** Of the last day, by ask. */
  readonly #asks = new Map<string, { readonly atMs: number; readonly tokens: number }>();

  take(entry: JournalEntry): void {
    if (entry.kind !== 'tokens') return;
    const { ask, tokens } = entry;
    // What came out later counts for the time at which it was asked.
    this.#asks.set(ask, { atMs: this.#asks.get(ask)?.atMs ?? Date.parse(entry.at), tokens });
  }

  ofLastDay(nowMs: number): number {
    let sum = 0;
    for (const [ask, { atMs, tokens }] of this.#asks) {
      // A clock that was put back makes nothing younger than a day older.
      if (nowMs - atMs < DAY_MS) sum += tokens;
      else this.#asks.delete(ask);
    }
    return sum;
  }
}
