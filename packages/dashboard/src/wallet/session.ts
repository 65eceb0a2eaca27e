import type { WalletAccount } from '@wallet-standard/base';
import { useSyncExternalStore } from 'react';
import { type SigningWallet, watchAccounts } from './registry.js';

/** An account that signs what its person does on these pages, until the browser's tab is loaded again. */
export interface Session {
  readonly wallet: SigningWallet;
  readonly accounts: readonly WalletAccount[];
  readonly account: WalletAccount;
}

let current: Session | undefined;
let endWatch = (): void => undefined;
const listeners = new Set<() => void>();

/** @param next undefined: nobody is connected any more */
export function setSession(next: Session | undefined): void {
  endWatch();
  endWatch = next ? watchAccounts(next.wallet, [next.account], () => setSession(undefined)) : () => undefined;
  current = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The account that is connected; undefined: none. */
export function useSession(): Session | undefined {
  return useSyncExternalStore(subscribe, () => current);
}
