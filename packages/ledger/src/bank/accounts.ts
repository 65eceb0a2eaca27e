import type { Store } from '../store/store.js';
import { isSame, type Account } from './account.js';
import { AccountIndex, traitOf, type Trait, outlineOf, Outlines, Richest } from './accountIndex.js';
import { readWritable, type AccountKeys } from './accountKeys.js';
import type { Engine } from './engine.js';
import { bytesOfKey, keyOf, type Key } from './keys.js';
import { isRenewed, nonceHashOf, renewNonce } from './nonces.js';
import { PastAccounts, PastValue } from './pastAccounts.js';
import { loadedSizeOf } from './fees.js';
import { codeAddressOf, isCode, UPGRADEABLE_LOADER } from './programs.js';
import type { AccountReader } from './tokenBalances.js';
import type { WireMessage } from './wire.js';

export type AddressedAccount = { readonly address: Uint8Array; readonly account: Account | undefined };

export type ChangedAccount = {
  readonly address: Key;
  readonly account: Account | undefined;
  readonly before: Account | undefined;
};

export type FoundAccount = { readonly address: Uint8Array; readonly account: Account };

/** The accounts that a transaction may write, at one moment. */
export type WritableAccounts = ReadonlyMap<Key, Account | undefined>;

/** An account with more data is not kept at hand. */
const KEPT_BYTES = 4096;
/** So many accounts are kept at hand. */
const KEPT = 10_000;

/** All accounts: as they are (in the engine), as they were in the last 32 slots, indexes, sum and richest. */
export class Accounts {
  readonly #engine: Engine;
  /** Accounts that transactions of this slot wrote, as they are now: reading one from the engine takes several microseconds. */
  readonly #kept = new Map<Key, Account | undefined>();
  /** The same of what they only read. */
  readonly #outlines = new Outlines((address, name) => this.#now(address, name));
  readonly #index = new AccountIndex();
  readonly #past = new PastAccounts();
  readonly #supply = new PastValue();
  readonly #richest = new Richest();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Loads what every ledger has, and what is stored. @param validator the accounts that the validator begins with */
  restore(store: Store, validator: readonly FoundAccount[]): void {
    // Of what comes with the engine only gains and losses are of the supply, and the validator's accounts.
    const brought = [...this.#engine.builtins(), ...validator];
    const own = new Map(brought.map(({ address, account }) => [keyOf(address), account]));
    for (const [address, account] of own) {
      this.#index.update(address, undefined, account, 0);
      this.#richest.update(address, account.lamports);
    }
    for (const { account } of validator) this.#supply.shift(account.lamports);
    const programs: { address: Uint8Array; account: Account }[] = [];
    for (const entry of store.accounts()) {
      this.#index.update(keyOf(entry.address), undefined, entry.account, 0);
      this.#supply.shift(entry.account.lamports - (own.get(keyOf(entry.address))?.lamports ?? 0n));
      this.#richest.update(keyOf(entry.address), entry.account.lamports);
      if (entry.account.executable) programs.push(entry);
      else this.#engine.setAccount(entry.address, entry.account);
    }
    // The engine loads a program's code when its account is set, so the data account must be there first.
    for (const { address, account } of programs) this.#engine.setAccount(address, account);
  }

  /**
   * Sets accounts in the engine, all or none; `undefined` removes one. A program whose code is among them is loaded again.
   *
   * @throws UnfitAccountError when one is a program that does not load
   */
  set(accounts: readonly AddressedAccount[]): { readonly before: WritableAccounts; readonly after: WritableAccounts } {
    const after = new Map(accounts.map(({ address, account }) => [keyOf(address), account]));
    for (const key of this.#programsWithCodeIn(after)) if (!after.has(key)) after.set(key, this.now(bytesOfKey(key)));
    const before = new Map([...after.keys()].map((key) => [key, this.now(bytesOfKey(key))]));
    try {
      this.#setAll(after);
    } catch (error) {
      this.#setAll(before);
      throw error;
    }
    return { before, after };
  }

  /** As `set`, of accounts that have always been there. @throws UnfitAccountError */
  adopt(accounts: readonly AddressedAccount[]): readonly ChangedAccount[] {
    const { before: earlier, after } = this.set(accounts);
    return [...after].map(([address, account]) => {
      const before = earlier.get(address);
      this.#index.update(address, before, account, 0);
      this.#supply.shift((account?.lamports ?? 0n) - (before?.lamports ?? 0n));
      this.#richest.update(address, account?.lamports ?? 0n);
      return { address, account, before };
    });
  }

  /** Sets programs last: the engine loads a program's code when its account is set. */
  #setAll(accounts: WritableAccounts): void {
    for (const programs of [false, true]) {
      for (const [key, account] of accounts) {
        if ((account?.executable ?? false) === programs) this.#set(key, account);
      }
    }
  }

  *#programsWithCodeIn(accounts: WritableAccounts): Generator<Key> {
    const codes = new Set([...accounts].filter(([, account]) => isCode(account)).map(([key]) => key));
    if (codes.size === 0) return;
    for (const key of this.#index.find('program', keyOf(UPGRADEABLE_LOADER))) {
      const code = codeAddressOf(this.now(bytesOfKey(key)));
      if (code !== undefined && codes.has(keyOf(code))) yield key;
    }
  }

  now(address: Uint8Array): Account | undefined {
    return this.#now(address, keyOf(address));
  }

  /** The account at the end of a slot, which must not be older than the last final one. */
  at(address: Uint8Array, slot: number): Account | undefined {
    return this.#past.at(keyOf(address), slot, this.now(address));
  }

  /** Reports whether an account changed after a slot, which must not be older than the last final one. */
  hasChangedAfter(address: Uint8Array, slot: number): boolean {
    return this.#past.hasChangedAfter(keyOf(address), slot);
  }

  /** Where the code of an upgradeable program is; undefined for any other account. */
  codeOf(address: Uint8Array): Uint8Array | undefined {
    return this.#outlines.of(address, keyOf(address))?.code;
  }

  /** All accounts that had a trait at the end of a slot, which must not be older than the last final one. */
  *find(trait: Trait, value: Uint8Array, slot: number): Generator<FoundAccount> {
    const wanted = keyOf(value);
    for (const key of this.#index.find(trait, wanted)) {
      const address = bytesOfKey(key);
      const account = this.at(address, slot);
      if (account !== undefined && traitOf(account, trait) === wanted) yield { address, account };
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
    for (const key of this.#index.all()) this.#richest.update(key, this.#engine.balance(bytesOfKey(key)));
  }

  /** The state of the accounts that a transaction may write, before it runs. */
  before(keys: AccountKeys): WritableAccounts {
    return readWritable(keys, (address, name) => this.#now(address, name));
  }

  /** The state of the accounts that a transaction may write, after it ran. */
  after(keys: AccountKeys): WritableAccounts {
    const accounts = readWritable(keys, (address) => this.#engine.account(address));
    for (const [name, account] of accounts) this.#keep(name, account);
    return accounts;
  }

  /** Reads all accounts as they are, given the state of those that a transaction may write. */
  readerOf(writable: WritableAccounts): AccountReader {
    return (address) => {
      const key = keyOf(address);
      return writable.has(key) ? writable.get(key) : this.now(address);
    };
  }

  /** The balances of a transaction's accounts. */
  balances(keys: AccountKeys, before: WritableAccounts, after: WritableAccounts): { pre: bigint[]; post: bigint[] } {
    const pre: bigint[] = [];
    const post: bigint[] = [];
    keys.all.forEach((address, index) => {
      if (keys.isWritable(index)) {
        const name = keys.names[index] ?? '';
        pre.push(before.get(name)?.lamports ?? 0n);
        post.push(after.get(name)?.lamports ?? 0n);
      } else {
        const unchanged = this.#outlines.of(address, keys.names[index] ?? '')?.lamports ?? 0n;
        pre.push(unchanged);
        post.push(unchanged);
      }
    });
    return { pre, post };
  }

  /** Bytes that a transaction loads. @param before the accounts that it may write, as far as they are known */
  loadedSize(message: WireMessage, keys: AccountKeys, before?: WritableAccounts): number {
    return loadedSizeOf(message, keys, (address, name) =>
      before?.has(name) ? outlineOf(before.get(name)) : this.#outlines.of(address, name),
    );
  }

  /** Records and returns what a transaction in this slot changed. */
  change(before: WritableAccounts, after: WritableAccounts, slot: number): ChangedAccount[] {
    const changed: ChangedAccount[] = [];
    for (const [address, account] of after) {
      const old = before.get(address);
      if (isSame(old, account)) continue;
      this.#past.remember(address, slot, old);
      this.#index.update(address, old, account, slot);
      this.#supply.add(slot, (account?.lamports ?? 0n) - (old?.lamports ?? 0n));
      this.#richest.update(address, account?.lamports ?? 0n);
      changed.push({ address, account, before: old });
    }
    this.#unloadClosed(changed, after);
    return changed;
  }

  /** Sets programs again whose code a transaction removed: the engine may have looked at them before it removed it, and runs them on. */
  #unloadClosed(changed: readonly ChangedAccount[], after: WritableAccounts): void {
    const closed = new Set(changed.filter(({ before, account }) => isCode(before) && !isCode(account)).map(addressOf));
    if (closed.size === 0) return;
    for (const [address, account] of after) {
      const code = codeAddressOf(account);
      if (code !== undefined && closed.has(keyOf(code))) this.#set(address, account);
    }
  }

  /**
   * Gives nonces that a transaction made or advanced their next hash. The engine's own follows from the blockhash that the transaction
   * names, so that it would come again, and with it transactions that were done before.
   *
   * @param failed the nonce that a failed transaction named, which it advances all the same
   */
  advanceNonces(
    { before, after }: { readonly before: WritableAccounts; readonly after: WritableAccounts },
    failed: Uint8Array | undefined,
    freshBlockhash: () => Uint8Array,
  ): WritableAccounts {
    const failedKey = failed && keyOf(failed);
    const advanced = new Map(after);
    for (const [address, account] of after) {
      if (account === undefined || !(address === failedKey || isRenewed(before.get(address), account))) continue;
      const next = renewNonce(account, nonceHashOf(freshBlockhash()));
      this.#set(address, next);
      advanced.set(address, next);
    }
    return advanced;
  }

  /** Refunds a failed transaction's fee: its payer's balance is all that it changed. */
  undo(before: WritableAccounts, after: WritableAccounts): void {
    for (const [address, account] of before) {
      if (!isSame(account, after.get(address))) this.#set(address, account);
    }
  }

  /** Begins a slot. @param root the latest final slot: states from before it are dropped */
  beginSlot(root: number): void {
    this.#past.forgetUpTo(root);
    this.#index.forgetUpTo(root);
    this.#supply.forgetUpTo(root);
    // With the slot, sysvars move.
    this.#kept.clear();
    this.#outlines.clear();
  }

  #now(address: Uint8Array, name: Key): Account | undefined {
    return this.#kept.get(name) ?? (this.#kept.has(name) ? undefined : this.#engine.account(address));
  }

  #set(address: Key, account: Account | undefined): void {
    this.#engine.setAccount(bytesOfKey(address), account);
    this.#keep(address, account);
  }

  #keep(address: Key, account: Account | undefined): void {
    this.#outlines.forget(address);
    if (this.#kept.size >= KEPT) this.#kept.clear();
    if ((account?.data.length ?? 0) <= KEPT_BYTES) this.#kept.set(address, account);
    else this.#kept.delete(address);
  }
}

function addressOf({ address }: ChangedAccount): Key {
  return address;
}
