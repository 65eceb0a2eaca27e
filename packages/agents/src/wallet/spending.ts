import { formatSol } from '@legwork/sdk';
import type { JournalEntry, JournalView } from '../journal.js';

/** What a key may spend, lamports. */
export interface SpendingLimits {
  readonly perTransaction: bigint;
  /** In any 24 hours. */
  readonly perDay: bigint;
  readonly inAll: bigint;
}

/** A limit stands in the way. Nothing was signed. */
export class LimitError extends Error {
  override readonly name = 'LimitError';
}

/** It would pay for a parcel that nobody has picked up: a person has to want that. Nothing was signed. */
export class EarlyPaymentError extends LimitError {}

/** The wallet has less than it would cost. Nothing was signed. */
export class FundsError extends Error {
  override readonly name = 'FundsError';
}

const DAY_MS = 86_400_000;

/** What the transactions of a journal may have spent. What was signed counts, landed or not. Rule A-6. */
export class Spending implements JournalView {
  #inAll = 0n;
  /** Of the last day, oldest first. */
  #recent: { atMs: number; lamports: bigint }[] = [];

  take(entry: JournalEntry): void {
    if (entry.kind !== 'signed') return;
    this.#inAll += entry.lamports;
    this.#recent.push({ atMs: Date.parse(entry.at), lamports: entry.lamports });
  }

  get inAll(): bigint {
    return this.#inAll;
  }

  ofLastDay(nowMs: number): bigint {
    // A clock that was put back makes nothing younger than a day older.
    this.#recent = this.#recent.filter(({ atMs }) => nowMs - atMs < DAY_MS);
    return this.#recent.reduce((sum, { lamports }) => sum + lamports, 0n);
  }

  /** @throws {LimitError} when so many lamports more would pass a limit; it names the limit */
  check(lamports: bigint, limits: SpendingLimits, nowMs: number): void {
    const tried = [
      ['perTransaction', 0n, limits.perTransaction],
      ['perDay', this.ofLastDay(nowMs), limits.perDay],
      ['inAll', this.#inAll, limits.inAll],
    ] as const;
    for (const [name, spent, limit] of tried) {
      if (spent + lamports <= limit) continue;
      const already = spent > 0n ? `, and ${formatSol(spent)} SOL are spent` : '';
      throw new LimitError(
        `this may cost ${formatSol(lamports)} SOL${already}, but limits.${name} is ${formatSol(limit)} SOL`,
      );
    }
  }
}
