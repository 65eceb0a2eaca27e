/** The dashboard's pages: the service serves them at these paths, and the dashboard routes by them. */
export const PAGES = {
  overview: '/',
  packages: '/p',
  package: '/p/:packageId',
  tasks: '/t',
  task: '/t/:taskId',
  agents: '/a',
  agent: '/a/:pubkey',
  transaction: '/tx/:signature',
  account: '/account/:address',
  post: '/post',
  turns: '/me',
  courier: '/courier',
  track: '/track/:packageId',
  rewards: '/rewards',
  developers: '/developers',
  ops: '/ops',
  desk: '/desk',
} as const;

export type PageName = keyof typeof PAGES;

/** The pages that show one thing, by the text that names it. */
export type DetailPage = {
  [Name in PageName]: (typeof PAGES)[Name] extends `${string}:${string}` ? Name : never;
}[PageName];

/**
 * The path of a page, without the prefix of the service's address.
 *
 * @param of the subject of the page: an id, a key, a signature
 */
export function pagePath(name: DetailPage, of: string): string {
  return PAGES[name].replace(/:\w+/, encodeURIComponent(of));
}

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
