import type { Store } from '../store/store.js';
import type { Accounts, AddressedAccount, ChangedAccount } from './accounts.js';
import type { Announcements } from './announcements.js';
import { bytesOfKey } from './keys.js';
import { nonceHashOf, renewNonce } from './nonces.js';
import type { RecentChanges } from './recentChanges.js';
import type { Snapshots } from './snapshots.js';

/**
 * What follows from the slot is not stored; what follows from what was is; and snapshots take back what
 * rewards gave.
 */
type Kept = 'derived' | 'stored' | 'undoable';

/** The parts that the bank lends. */
export type EditedBank = {
  readonly store: Store;
  readonly accounts: Accounts;
  readonly snapshots: Snapshots;
  readonly announcements: Announcements;
  readonly recent: RecentChanges;
  /** Moves the ledger to the current slot, stores its time, and returns the slot. */
  readonly now: () => number;
  readonly freshBlockhash: (slot: number) => Uint8Array;
};

/** Changes of accounts without a transaction: of the genesis, for tests, and from another cluster. */
export class Edits {
  readonly #bank: EditedBank;

  constructor(bank: EditedBank) {
    this.#bank = bank;
  }

  /**
   * Sets accounts, all or none; `undefined` removes one. Subscribers are notified and the bank's `durable()` resolves once that is on
   * disk. Rule L-75.
   *
   * @throws UnfitAccountError when one is a program that does not load
   */
  set(accounts: readonly AddressedAccount[]): void {
    const { store, snapshots, announcements } = this.#bank;
    const { slot, changed } = this.#change(accounts);
    announcements.add({ slot, changed }, store.putAccounts(changed, snapshots.note(changed)));
  }

  /** Sets accounts that follow from the time, in the slot that has just begun. */
  follow(accounts: readonly AddressedAccount[], slot: number, kept: Kept): void {
    const { store, snapshots, announcements } = this.#bank;
    const changed = this.#changeIn(slot, accounts);
    const undo = kept === 'undoable' ? snapshots.note(changed) : [];
    announcements.add({ slot, changed }, kept === 'derived' ? Promise.resolve() : store.putAccounts(changed, undo));
  }

  /**
   * Takes over accounts of another cluster, as if they had always been there: nobody is told. `durable()` resolves once they are on
   * disk. Rule L-80.
   *
   * @throws UnfitAccountError when one is a program that does not load
   */
  adopt(accounts: readonly AddressedAccount[]): void {
    void this.#bank.store.putAccounts(this.#bank.accounts.adopt(accounts));
  }

  /** The snapshots that there are, the oldest first. */
  get snapshots(): readonly number[] {
    return this.#bank.snapshots.ids;
  }

  /** Takes a snapshot of all accounts. `durable()` resolves once it is on disk. */
  takeSnapshot(): number {
    const id = this.#bank.snapshots.take();
    void this.#bank.store.putAccounts([], [], this.snapshots);
    return id;
  }

  /**
   * Puts all accounts back to what they were at a snapshot, and forgets those after it. Time goes on, and what happened stays in the
   * record: a nonce gets another hash, so that no transaction lands twice. Rule L-82.
   *
   * @returns true if there is such a snapshot
   */
  restore(id: number): boolean {
    const { store, snapshots, announcements, freshBlockhash, now } = this.#bank;
    const former = snapshots.formerAt(id);
    if (former === undefined) return false;
    const hash = nonceHashOf(freshBlockhash(now()));
    const { slot, changed } = this.#change(
      [...former].map(([key, account]) => ({
        address: bytesOfKey(key),
        account: account && renewNonce(account, hash),
      })),
    );
    const undone = snapshots.goneBackTo(id);
    announcements.add({ slot, changed }, store.putAccounts(changed, undone, this.snapshots));
    return true;
  }

  #change(accounts: readonly AddressedAccount[]) {
    const slot = this.#bank.now();
    const changed = this.#changeIn(slot, accounts);
    this.#bank.recent.add(undefined, changed);
    return { slot, changed };
  }

  #changeIn(slot: number, accounts: readonly AddressedAccount[]): readonly ChangedAccount[] {
    const { before, after } = this.#bank.accounts.set(accounts);
    return this.#bank.accounts.change(before, after, slot);
  }
}
