import type { Accounts, AddressedAccount } from './accounts.js';
import { resolveAccountKeys } from './accountKeys.js';
import { bytesOfKey, keyOf } from './keys.js';
import { codeAddressOf } from './programs.js';
import type { Sysvars } from './sysvars.js';
import type { WireMessage } from './wire.js';

/**
 * Runs `work` with the sysvars, and the accounts that a message names, as they were at the end of a slot that is final. Meanwhile that is
 * their current state; afterwards nothing has changed.
 */
export function onStateAt<T>(
  slot: number,
  message: WireMessage,
  { accounts, sysvars }: { readonly accounts: Accounts; readonly sysvars: Sysvars },
  work: () => T,
): T {
  const { all, names } = resolveAccountKeys(message, (address) => accounts.at(address, slot));
  const former = changedSince(slot, [...all, ...message.lookups.map(({ table }) => table)], accounts);
  const named = new Set(names);
  sysvars.set(slot, named);
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

/** Accounts that changed after a slot, the code of programs among them too, as they were at its end. */
function changedSince(slot: number, named: readonly Uint8Array[], accounts: Accounts): AddressedAccount[] {
  const codes = named.flatMap((address) => {
    const former = accounts.hasChangedAfter(address, slot) ? codeAddressOf(accounts.at(address, slot)) : undefined;
    return [accounts.codeOf(address), former].filter((code) => code !== undefined);
  });
  return [...new Set([...named, ...codes].map(keyOf))]
    .map(bytesOfKey)
    .filter((address) => accounts.hasChangedAfter(address, slot))
    .map((address) => ({ address, account: accounts.at(address, slot) }));
}
