import type { Account } from './account.js';
import { lastHeightOf, type Blockhashes } from './blockhashes.js';
import type { Commitment } from './commitment.js';
import { nonceNamedBy } from './nonces.js';
import type { RecentStatuses } from './recentStatuses.js';
import { SlotBound } from './slotBound.js';
import { namesOf, type TransactionNames } from './statusCache.js';
import type { TransactionError } from './transactionError.js';
import type { WireMessage, WireTransaction } from './wire.js';

/** The parts that the bank lends. */
type LivingBank = {
  readonly blockhashes: Blockhashes;
  readonly statuses: RecentStatuses;
  readonly account: (address: Uint8Array, at: Commitment) => Account | undefined;
  readonly slotAt: (commitment: Commitment) => number;
};

/** When a transaction may run: while its blockhash or its nonce lives, once, and not before all that it names counts. */
export class Lifetimes {
  readonly #bank: LivingBank;
  readonly slotBound: SlotBound;

  constructor(bank: LivingBank) {
    this.#bank = bank;
    this.slotBound = new SlotBound(
      (address) => bank.account(address, 'processed'),
      () => bank.slotAt('processed'),
    );
  }

  /**
   * The last block height at which a transaction may name this blockhash.
   *
   * @returns undefined when the state of this commitment does not know it, or no longer takes it
   */
  lastValidBlockHeight(blockhash: Uint8Array, at: Commitment): number | undefined {
    const [slot = Infinity, now] = [this.#bank.blockhashes.read(blockhash)?.slot, this.#bank.slotAt(at)];
    return slot <= now && now <= lastHeightOf(slot) ? lastHeightOf(slot) : undefined;
  }

  /** Reports whether a message may still run, by its blockhash as known at this commitment, or by the nonce that it names. */
  isAlive(message: WireMessage, at: Commitment): boolean {
    return this.lastValidBlockHeight(message.blockhash, at) !== undefined || this.nonceOf(message, at) !== undefined;
  }

  /** The durable nonce that a message names. */
  nonceOf(message: WireMessage, at: Commitment): Uint8Array | undefined {
    return nonceNamedBy(message, (address) => this.#bank.account(address, at));
  }

  /** Why a transaction cannot land, by what is known at this commitment. */
  refuse(message: WireMessage, names: TransactionNames, at: Commitment): TransactionError | null {
    if (!this.isAlive(message, at)) return 'BlockhashNotFound';
    return this.#bank.statuses.has(names, this.#bank.slotAt(at)) ? 'AlreadyProcessed' : null;
  }

  /**
   * Reports whether a transaction that arrived in slot `arrived` has to wait, since something that it names counts from the next slot on.
   * Rule L-29.
   *
   * @param mayLand true: one that cannot land need not wait, since others may use the same nonce slot after slot
   */
  mustWait(transaction: WireTransaction, arrived: number, mayLand: boolean): boolean {
    const { message } = transaction;
    if (!this.slotBound.isTooEarly(message, arrived)) return false;
    return !mayLand || this.refuse(message, namesOf(transaction), 'processed') === null;
  }
}
