import { formatAmount, SOL } from '@legwork/sdk';
import type { Asset } from '@legwork/sdk';
import type { JournalEntry, JournalView } from '../journal.js';

/** The most that a key may spend of one asset, base units. */
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

/** The asset of amounts, and the section of the policy that limits them. */
type Limited = Asset & { readonly section: string };
const IN_SOL: Limited = { ...SOL, section: 'limits' };

/** The most that transactions of a journal have spent, by asset: SOL, or the mint of a token. Signed transactions count, landed or not. Rule A-6. */
export class Spending implements JournalView {
  readonly #inAll = new Map<string, bigint>();
  /** Of the last day, oldest first. */
  #recent: { atMs: number; key: string; amount: bigint }[] = [];

  take(entry: JournalEntry): void {
    if (entry.kind !== 'signed') return;
    const atMs = Date.parse(entry.at);
    this.#add({ atMs, key: SOL.asset, amount: entry.lamports });
    if (entry.token) this.#add({ atMs, key: entry.token.mint, amount: entry.token.amount });
  }

  #add(one: { atMs: number; key: string; amount: bigint }): void {
    this.#inAll.set(one.key, this.spentIn(one.key) + one.amount);
    this.#recent.push(one);
  }

  get inAll(): bigint {
    return this.spentIn(SOL.asset);
  }

  /** Base units, since the key was first used. */
  spentIn(key: string): bigint {
    return this.#inAll.get(key) ?? 0n;
  }

  ofLastDay(nowMs: number, key: string = SOL.asset): bigint {
    // A clock that was put back makes nothing younger than a day older.
    this.#recent = this.#recent.filter(({ atMs }) => nowMs - atMs < DAY_MS);
    return this.#recent.reduce((sum, one) => sum + (one.key === key ? one.amount : 0n), 0n);
  }

  /** @throws {LimitError} when so much more would pass a limit; it names the limit */
  check(amount: bigint, limits: SpendingLimits, nowMs: number, key: string = SOL.asset, of: Limited = IN_SOL): void {
    const tried = [
      ['perTransaction', 0n, limits.perTransaction],
      ['perDay', this.ofLastDay(nowMs, key), limits.perDay],
      ['inAll', this.spentIn(key), limits.inAll],
    ] as const;
    for (const [name, spent, limit] of tried) {
      if (spent + amount <= limit) continue;
      const already = spent > 0n ? `, and ${formatAmount(spent, of)} are spent` : '';
      throw new LimitError(
        `this may cost ${formatAmount(amount, of)}${already}, but ${of.section}.${name} is ${formatAmount(limit, of)}`,
      );
    }
  }
}
