import type { Store } from '../store/store.js';
import type { Account } from './account.js';
import type { AccountKeys } from './accountKeys.js';
import type { Engine } from './engine.js';
import { bytesOfKey, keyOf, type Key } from './keys.js';
import { OwnerIndex } from './ownerIndex.js';
import { PastAccounts } from './pastAccounts.js';
import { PastValue } from './pastValue.js';
import { Richest } from './richest.js';

export type ChangedAccount = { readonly address: Key; readonly account: Account | undefined };

/** The accounts that a transaction may write, at one moment. */
export type WritableAccounts = ReadonlyMap<Key, Account | undefined>;

/**
 * All accounts: their current state (in the engine), their states of the last 32 slots, an index by owner, the sum of
 * their lamports and those that have the most.
 */
export class Accounts {
  readonly #engine: Engine;
  readonly #owners = new OwnerIndex();
  readonly #past = new PastAccounts();
  readonly #supply = new PastValue();
  readonly #richest = new Richest();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Loads what is stored. */
  restore(store: Store): void {
    const programs: { address: Uint8Array; account: Account }[] = [];
    for (const entry of store.accounts()) {
      this.#owners.update(keyOf(entry.address), entry.account);
      this.#supply.shift(entry.account.lamports);
      this.#richest.update(keyOf(entry.address), entry.account.lamports);
      if (entry.account.executable) programs.push(entry);
      else this.#engine.setAccount(entry.address, entry.account);
    }
    // The engine loads a program's code when its account is set, so the data account must be there first.
    for (const { address, account } of programs) this.#engine.setAccount(address, account);
  }

  /** Sets an account that no transaction made. */
  put(address: Uint8Array, account: Account): void {
    this.#supply.shift(account.lamports - this.#engine.balance(address));
    this.#richest.update(keyOf(address), account.lamports);
    this.#engine.setAccount(address, account);
    this.#owners.update(keyOf(address), account);
  }

  now(address: Uint8Array): Account | undefined {
    return this.#engine.account(address);
  }

  /** The account at the end of a slot, which must not be older than the last final one. */
  at(address: Uint8Array, slot: number): Account | undefined {
    return this.#past.at(keyOf(address), slot, this.now(address));
  }

  /** All accounts that a program owned at the end of a slot. */
  *ownedBy(owner: Uint8Array, slot: number): Generator<{ address: Uint8Array; account: Account }> {
    const ownerKey = keyOf(owner);
    const candidates = new Set(this.#owners.ownedBy(ownerKey));
    for (const key of this.#past.changedAfter(slot)) candidates.add(key);
    for (const key of candidates) {
      const address = bytesOfKey(key);
      const account = this.at(address, slot);
      if (account !== undefined && keyOf(account.owner) === ownerKey) yield { address, account };
    }
  }

  /** The lamports of all accounts at the end of a slot. */
  supplyAt(slot: number): bigint {
    return this.#supply.at(slot);
  }

  /** The accounts with the most lamports at the end of a slot, the richest first. */
  richestAt(slot: number, count: number): { address: Uint8Array; lamports: bigint }[] {
    if (!this.#richest.has(count)) this.#findRichest();
    return [...new Set([...this.#richest.keys(), ...this.#past.changedAfter(slot)])]
      .map((key) => ({ address: bytesOfKey(key), lamports: this.at(bytesOfKey(key), slot)?.lamports ?? 0n }))
      .filter(({ lamports }) => lamports > 0n)
      .sort((one, other) => (one.lamports > other.lamports ? -1 : 1))
      .slice(0, count);
  }

  #findRichest(): void {
    this.#richest.clear();
    for (const key of this.#owners.all()) this.#richest.update(key, this.#engine.balance(bytesOfKey(key)));
  }

  /** The current state of the accounts that a transaction may write. */
  writable(keys: AccountKeys): WritableAccounts {
    const accounts = new Map<Key, Account | undefined>();
    keys.all.forEach((address, index) => {
      if (keys.isWritable(index)) accounts.set(keyOf(address), this.now(address));
    });
    return accounts;
  }

  /** The balances of a transaction's accounts, given the state of those that it may write; the others do not change. */
  balances(keys: AccountKeys, writable: WritableAccounts): bigint[] {
    return keys.all.map((address, index) =>
      keys.isWritable(index) ? (writable.get(keyOf(address))?.lamports ?? 0n) : this.#engine.balance(address),
    );
  }

  /** Records and returns what a transaction in this slot changed. */
  change(before: WritableAccounts, after: WritableAccounts, slot: number): ChangedAccount[] {
    const changed: ChangedAccount[] = [];
    for (const [address, account] of after) {
      const old = before.get(address);
      if (isSame(old, account)) continue;
      this.#past.remember(address, slot, old);
      this.#owners.update(address, account);
      this.#supply.add(slot, (account?.lamports ?? 0n) - (old?.lamports ?? 0n));
      this.#richest.update(address, account?.lamports ?? 0n);
      changed.push({ address, account });
    }
    return changed;
  }

  /** Refunds a failed transaction's fee: its payer's balance is all that it changed. */
  undo(before: WritableAccounts, after: WritableAccounts): void {
    for (const [address, account] of before) {
      if (!isSame(account, after.get(address))) this.#engine.setAccount(bytesOfKey(address), account);
    }
  }

  /** Drops states from before this slot. */
  forgetUpTo(slot: number): void {
    this.#past.forgetUpTo(slot);
    this.#supply.forgetUpTo(slot);
  }
}

function isSame(one: Account | undefined, other: Account | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return (
    one.lamports === other.lamports &&
    one.executable === other.executable &&
    one.rentEpoch === other.rentEpoch &&
    Buffer.compare(one.owner, other.owner) === 0 &&
    Buffer.compare(one.data, other.data) === 0
  );
}
