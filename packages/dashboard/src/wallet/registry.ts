import {
  SolanaSignMessage,
  type SolanaSignMessageFeature,
  type SolanaSignTransaction,
  type SolanaSignTransactionFeature,
} from '@solana/wallet-standard-features';
import { getWallets } from '@wallet-standard/app';
import type { Wallet, WalletAccount, WalletWithFeatures } from '@wallet-standard/base';
import {
  StandardConnect,
  type StandardConnectFeature,
  StandardEvents,
  type StandardEventsFeature,
} from '@wallet-standard/features';
import { useSyncExternalStore } from 'react';

/** A wallet of this browser that signs messages; most sign transactions as well. */
export type SigningWallet = WalletWithFeatures<
  StandardConnectFeature & SolanaSignMessageFeature & Partial<StandardEventsFeature & SolanaSignTransactionFeature>
>;

/** What accounts of a wallet can sign. */
export type Signs = typeof SolanaSignMessage | typeof SolanaSignTransaction;

const registry = getWallets();

function canSign(wallet: Wallet): wallet is SigningWallet {
  return StandardConnect in wallet.features && SolanaSignMessage in wallet.features;
}

const list = () => registry.get().filter(canSign);
let present = list();

function subscribe(changed: () => void): () => void {
  const update = () => {
    present = list();
    changed();
  };
  const ends = [registry.on('register', update), registry.on('unregister', update)];
  update();
  return () => ends.forEach((end) => end());
}

/** The wallets of this browser that sign messages, again whenever one comes or goes. */
export function useWallets(): readonly SigningWallet[] {
  return useSyncExternalStore(subscribe, () => present);
}

/** Asks the wallet for the accounts that may sign what is wanted. @throws Error when it shows none */
export async function connect({ name, features }: SigningWallet, signs: Signs): Promise<readonly WalletAccount[]> {
  const { accounts } = await features[StandardConnect].connect();
  const able = accounts.filter((account) => account.features.includes(signs));
  const what = signs === SolanaSignMessage ? 'messages' : 'transactions';
  if (able.length === 0) throw new Error(`${name} showed no account that can sign ${what}.`);
  return able;
}

/** Tells when the wallet shows one of these accounts no longer. @returns ends it */
export function watchAccounts(wallet: SigningWallet, accounts: readonly WalletAccount[], lost: () => void): () => void {
  const events = wallet.features[StandardEvents];
  if (events === undefined) return () => undefined;
  return events.on('change', () => {
    const shown = new Set(wallet.accounts.map(({ address }) => address));
    if (!accounts.every(({ address }) => shown.has(address))) lost();
  });
}
