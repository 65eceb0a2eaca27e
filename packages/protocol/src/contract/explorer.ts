/** Where the service's ledger runs. */
export const CLUSTERS = ['embedded', 'localnet', 'devnet', 'testnet', 'mainnet-beta'] as const;
export type Cluster = (typeof CLUSTERS)[number];

const EXPLORER = 'https://explorer.solana.com';

/**
 * The page that shows a transaction or an account of the ledger. A local ledger is shown by the same explorer, in a
 * browser that can reach its RPC address.
 *
 * @param value signature or address, base58
 */
export function explorerLink(
  ledger: { cluster: Cluster; rpcUrl: string },
  kind: 'tx' | 'address',
  value: string,
): string {
  const url = new URL(`${EXPLORER}/${kind}/${value}`);
  const { cluster, rpcUrl } = ledger;
  if (cluster === 'embedded' || cluster === 'localnet') {
    url.searchParams.set('cluster', 'custom');
    url.searchParams.set('customUrl', rpcUrl);
  } else if (cluster !== 'mainnet-beta') {
    url.searchParams.set('cluster', cluster);
  }
  return url.href;
}
