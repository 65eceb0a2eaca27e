import type { Account } from './account.js';
import { resolveAccountKeys, type AccountKeys } from './accountKeys.js';
import type { Engine, Trial } from './engine.js';
import { bytesOfKey, keyOf, type Key } from './keys.js';
import { codeAddressOf } from './programs.js';
import { CLOCK } from './sysvars.js';
import type { WireTransaction } from './wire.js';

/** A run of a transaction on accounts of the past. */
export type Replay = Trial & { readonly keys: AccountKeys };

/** What is other than now when a transaction runs again. */
export type Past = {
  /** The accounts that were others then. */
  readonly accounts: ReadonlyMap<Key, Account | undefined>;
  /** The data of the Clock sysvar then. */
  readonly clock: Uint8Array;
};

/**
 * Runs a transaction on the accounts as they were, in the one engine that there is: those that it names are put back for that
 * moment. Nothing awaits meanwhile, so nobody sees it. Rule L-91.
 */
export function replayOn(past: Past, transaction: WireTransaction, engine: Engine): Replay {
  const read = (address: Uint8Array): Account | undefined => {
    const key = keyOf(address);
    return past.accounts.has(key) ? past.accounts.get(key) : engine.account(address);
  };
  const keys = resolveAccountKeys(transaction.message, read);
  const tables = transaction.message.lookups.map(({ table }) => table);
  const codes = keys.all.flatMap((address) => codeAddressOf(read(address)) ?? []);
  const wanted = [...codes, ...tables, ...keys.all].map(keyOf).filter((key) => past.accounts.has(key));
  const now = new Map(wanted.map((key) => [key, engine.account(bytesOfKey(key))]));
  const clock = engine.account(CLOCK);
  try {
    engine.setSysvar(CLOCK, past.clock);
    setAll(new Map(wanted.map((key) => [key, past.accounts.get(key)])), engine);
    return { ...engine.simulate(transaction, false), keys };
  } finally {
    if (clock !== undefined) engine.setSysvar(CLOCK, clock.data);
    setAll(now, engine);
  }
}

/** Programs last: the engine loads a program's code when its account is set. */
function setAll(accounts: ReadonlyMap<Key, Account | undefined>, engine: Engine): void {
  for (const programs of [false, true]) {
    for (const [key, account] of accounts) {
      if ((account?.executable ?? false) === programs) engine.setAccount(bytesOfKey(key), account);
    }
  }
}
