import type { SolanaSignMessageFeature, SolanaSignTransactionFeature } from '@solana/wallet-standard-features';
import type {
  Wallet,
  WalletAccount,
  WindowAppReadyEvent,
  WindowRegisterWalletEventCallback,
} from '@wallet-standard/base';
import type {
  StandardConnectFeature,
  StandardDisconnectFeature,
  StandardEventsFeature,
  StandardEventsListeners,
} from '@wallet-standard/features';
import { shell } from '../data/shell.js';
import { t } from '../language.js';

declare global {
  interface WindowEventMap {
    'wallet-standard:app-ready': WindowAppReadyEvent;
  }
}

type Features = StandardConnectFeature &
  StandardDisconnectFeature &
  StandardEventsFeature &
  SolanaSignMessageFeature &
  SolanaSignTransactionFeature;

type Changed = StandardEventsListeners['change'];

/** What wallets call a cluster; that of one machine is local, whoever runs it. */
function chain() {
  const cluster = shell?.config.cluster;
  if (cluster === 'devnet' || cluster === 'testnet') return `solana:${cluster}` as const;
  return cluster === 'mainnet-beta' ? 'solana:mainnet' : 'solana:localnet';
}

const SIGNS = ['solana:signMessage', 'solana:signTransaction'] as const;

/** A device, in a colour that both themes show. */
const ICON =
  'data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHZpZXdCb3g9IjAgMCA4IDgiPjxwYXRoIGZpbGw9IiM1NmQiIGQ9Ik0yIDBoNHY4SDJ6Ii8+PC9zdmc+';

const listeners = new Set<Changed>();
let accounts: readonly WalletAccount[] = [];

/** @param address undefined: the wallet shows none any more */
function show(next: Pick<WalletAccount, 'address' | 'publicKey'> | undefined): void {
  if (accounts[0]?.address === next?.address) return;
  accounts = next ? [{ ...next, chains: deviceWallet.chains, features: SIGNS }] : [];
  for (const changed of listeners) changed({ accounts });
}

/** What the wallet does comes when it is asked: most visitors only look. */
const acts = () => import('./acts.js');

/** A wallet whose key this browser makes and keeps. */
export const deviceWallet: Wallet & { readonly features: Features } = {
  version: '1.0.0',
  get name() {
    return t('This device');
  },
  icon: ICON,
  chains: [chain()],
  get accounts() {
    return accounts;
  },
  features: {
    'standard:connect': {
      version: '1.0.0',
      connect: async (asked) => {
        show(await (await acts()).connect(asked?.silent === true));
        return { accounts };
      },
    },
    'standard:disconnect': { version: '1.0.0', disconnect: async () => show(undefined) },
    'standard:events': {
      version: '1.0.0',
      on: (_event, changed) => {
        listeners.add(changed);
        return () => listeners.delete(changed);
      },
    },
    'solana:signMessage': {
      version: '1.1.0',
      signMessage: async (...asked) => (await acts()).signMessages(asked, gone),
    },
    'solana:signTransaction': {
      version: '1.0.0',
      supportedTransactionVersions: ['legacy', 0],
      signTransaction: async (...asked) => (await acts()).signTransactions(asked, gone),
    },
  },
};

/** The key is not there any more: pages that work with it are told. */
export const gone = (): void => show(undefined);

/** Shows the wallet to whoever asks on this page, as the standard has it: to these pages' own list too, once that listens. */
export function announce(): void {
  const callback: WindowRegisterWalletEventCallback = (registry) => registry.register(deviceWallet);
  window.addEventListener('wallet-standard:app-ready', ({ detail }) => callback(detail));
  window.dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: callback }));
}
