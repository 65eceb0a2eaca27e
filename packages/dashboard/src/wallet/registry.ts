import {
  SolanaSignMessage,
  type SolanaSignMessageFeature,
  SolanaSignTransaction,
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
import { t } from '../language.js';

/** A wallet of this browser that signs messages, transactions, or both. */
export type SigningWallet = WalletWithFeatures<
  StandardConnectFeature & Partial<StandardEventsFeature & SolanaSignMessageFeature & SolanaSignTransactionFeature>
>;

/** What accounts of a wallet have to sign: a call is signed by either feature. Rule D-49. */
export type Signs = 'calls' | 'transactions';

/** Whether a wallet or an account with these features can. */
export function signsWith(features: readonly string[], signs: Signs): boolean {
  return features.includes(SolanaSignTransaction) || (signs === 'calls' && features.includes(SolanaSignMessage));
}

const registry = getWallets();

function canSign(wallet: Wallet): wallet is SigningWallet {
  return StandardConnect in wallet.features && signsWith(Object.keys(wallet.features), 'calls');
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

/** The wallets of this browser that sign something, again whenever one comes or goes. */
export function useWallets(): readonly SigningWallet[] {
  return useSyncExternalStore(subscribe, () => present);
}

/** Asks the wallet for the accounts that may sign what is wanted. @throws Error when it shows none */
export async function connect({ name, features }: SigningWallet, signs: Signs): Promise<readonly WalletAccount[]> {
  const { accounts } = await features[StandardConnect].connect();
  const able = accounts.filter((account) => signsWith(account.features, signs));
  if (able.length === 0) {
    throw new Error(
      t('{wallet} showed no account that can sign {signs, select, calls {calls} other {transactions}}.', {
        wallet: name,
        signs,
      }),
    );
  }
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
