import type { Account } from './account.js';
import type { Accounts, AddressedAccount } from './accounts.js';
import { resolveAccountKeys, type AccountKeys } from './accountKeys.js';
import type { Engine } from './engine.js';
import { bytesOfKey, keyOf, type Key } from './keys.js';
import { codeAddressOf } from './programs.js';
import { tryTransaction, type Simulation } from './run.js';
import type { Sysvars } from './sysvars.js';
import type { WireMessage, WireTransaction } from './wire.js';

/** A run of a transaction on accounts of the past. */
export type Replay = Simulation & { readonly keys: AccountKeys };

/** What was other than now. */
type Past = {
  readonly slot: number;
  readonly account: (address: Uint8Array) => Account | undefined;
  readonly hasChanged: (address: Uint8Array) => boolean;
};

/** The parts that the bank lends. */
type Parts = { readonly engine: Engine; readonly accounts: Accounts; readonly sysvars: Sysvars };

/** Runs transactions on states of the past, in the one engine that there is. Nothing awaits meanwhile, so nobody sees it. */
export class PastStates {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Does `work` with what a message names as it was at the end of a slot, which must not be older than the last final one. */
  at<T>(slot: number, message: WireMessage, work: () => T): T {
    const { accounts } = this.#parts;
    const past: Past = {
      slot,
      account: (address) => accounts.at(address, slot),
      hasChanged: (address) => accounts.hasChangedAfter(address, slot),
    };
    return this.#on(past, message, work);
  }

  /** Runs a transaction again, as in its slot. Rule L-91. @param former the accounts that were others before it */
  replay(transaction: WireTransaction, slot: number, former: ReadonlyMap<Key, Account | undefined>): Replay {
    const { message } = transaction;
    const hasChanged = (address: Uint8Array): boolean => former.has(keyOf(address));
    const now = (address: Uint8Array): Account | undefined => this.#parts.accounts.now(address);
    const account: Past['account'] = (address) => (hasChanged(address) ? former.get(keyOf(address)) : now(address));
    return this.#on({ slot, account, hasChanged }, message, () => ({
      ...tryTransaction(transaction, this.#parts),
      keys: resolveAccountKeys(message, now),
    }));
  }

  /** The sysvars, and the accounts that a message names, are those of the past meanwhile; afterwards nothing has changed. */
  #on<T>(past: Past, message: WireMessage, work: () => T): T {
    const { accounts, sysvars } = this.#parts;
    const { all, names } = resolveAccountKeys(message, past.account);
    const former = this.#former(past, [...all, ...message.lookups.map(({ table }) => table)]);
    const named = new Set(names);
    sysvars.set(past.slot, named);
    try {
      if (former.length === 0) return work();
      const { before } = accounts.set(former);
      try {
        return work();
      } finally {
        accounts.set([...before].map(([key, account]) => ({ address: bytesOfKey(key), account })));
      }
    } finally {
      sysvars.set(undefined, named);
    }
  }

  /** The accounts that were others, the code of programs among them too. */
  #former({ account, hasChanged }: Past, named: readonly Uint8Array[]): AddressedAccount[] {
    const codes = named.flatMap((address) => {
      const former = hasChanged(address) ? codeAddressOf(account(address)) : undefined;
      return [this.#parts.accounts.codeOf(address), former].filter((code) => code !== undefined);
    });
    return [...new Set([...named, ...codes].map(keyOf))]
      .map(bytesOfKey)
      .filter(hasChanged)
      .map((address) => ({ address, account: account(address) }));
  }
}
