import { pagePath } from './pages.js';

/** Where the service's ledger runs. */
export const CLUSTERS = ['embedded', 'localnet', 'devnet', 'testnet', 'mainnet-beta'] as const;
export type Cluster = (typeof CLUSTERS)[number];

const EXPLORER = 'https://explorer.solana.com';

/** A ledger as links lead to it. */
export interface ShownLedger {
  cluster: Cluster;
  rpcUrl: string;
  /** Of the service, without a slash at the end. */
  publicUrl: string;
}

/**
 * The page that shows a transaction or an account of the ledger. An embedded ledger, which no explorer on the internet
 * reaches, is shown by the service's own pages; a local one by the explorer, in a browser that can reach its RPC address.
 * Rule S-22.
 *
 * @param value signature or address, base58
 */
export function explorerLink(ledger: ShownLedger, kind: 'tx' | 'address', value: string): string {
  const { cluster, rpcUrl, publicUrl } = ledger;
  if (cluster === 'embedded') return publicUrl + pagePath(kind === 'tx' ? 'transaction' : 'account', value);
  const url = new URL(`${EXPLORER}/${kind}/${value}`);
  if (cluster === 'localnet') {
    url.searchParams.set('cluster', 'custom');
    url.searchParams.set('customUrl', rpcUrl);
  } else if (cluster !== 'mainnet-beta') {
    url.searchParams.set('cluster', cluster);
  }
  return url.href;
}
