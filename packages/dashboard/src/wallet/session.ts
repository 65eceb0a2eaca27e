import { createLegworkClient, type LegworkClient, type CallSigner, type LedgerSigner } from '@legwork/sdk';
import type { WalletAccount } from '@wallet-standard/base';
import { useEffect, useSyncExternalStore } from 'react';
import { serviceUrl } from '../data/shell.js';
import { deviceWallet } from '../device/register.js';
import { type SigningWallet, watchAccounts } from './registry.js';
import { walletSigner } from './signer.js';

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
  remember(next?.wallet === deviceWallet);
  for (const listener of listeners) listener();
}

const CONNECTED = 'legwork-device-connected';

/** Keeps that this device was connected; a browser that keeps nothing forgets it. */
function remember(isDevice: boolean): void {
  try {
    if (isDevice) localStorage.setItem(CONNECTED, '1');
    else localStorage.removeItem(CONNECTED);
  } catch {
    // It is connected with one press.
  }
}

/**
 * Connects this device again after a page was loaded anew, if it was connected before and nobody left it: a door is no place to look for a
 * button. Rule D-75.
 */
async function connectDevice(): Promise<void> {
  if (current !== undefined || !isSecureContext || !wasDevice()) return;
  const { accounts } = await deviceWallet.features['standard:connect'].connect({ silent: true });
  const [account] = accounts;
  if (account !== undefined && current === undefined) setSession({ wallet: deviceWallet, accounts, account });
}

/** The same for a page that can do something with it. */
export function useDeviceAgain(): void {
  // Whoever has no key yet is asked by the button.
  useEffect(() => void connectDevice().catch(() => undefined), []);
}

function wasDevice(): boolean {
  try {
    return localStorage.getItem(CONNECTED) !== null;
  } catch {
    return false;
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The account that is connected; undefined: none. */
export function useSession(): Session | undefined {
  return useSyncExternalStore(subscribe, () => current);
}

/** What signs for the account, and a client of the service that does; a person is not made to wait for a crowded service. */
export function actingFor({ wallet, account }: Session): {
  readonly client: LegworkClient;
  readonly signer: CallSigner & LedgerSigner;
} {
  const signer = walletSigner(wallet, account);
  return { signer, client: createLegworkClient({ url: serviceUrl, signer, patienceMs: 0 }) };
}
