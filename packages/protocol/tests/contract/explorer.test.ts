import { describe, expect, it } from 'vitest';
import { type Cluster, explorerLink } from '../../src/contract/pages.js';

const RPC_URL = 'http://127.0.0.1:8899/?a=b&c=d';
const PUBLIC_URL = 'https://relay.example/under';
const CUSTOM = 'cluster=custom&customUrl=http%3A%2F%2F127.0.0.1%3A8899%2F%3Fa%3Db%26c%3Dd';

describe('links to an explorer', () => {
  it.each<[Cluster, 'tx' | 'address', string]>([
    ['mainnet-beta', 'tx', 'https://explorer.solana.com/tx/abc'],
    ['mainnet-beta', 'address', 'https://explorer.solana.com/address/abc'],
    ['devnet', 'tx', 'https://explorer.solana.com/tx/abc?cluster=devnet'],
    ['devnet', 'address', 'https://explorer.solana.com/address/abc?cluster=devnet'],
    ['testnet', 'tx', 'https://explorer.solana.com/tx/abc?cluster=testnet'],
    ['testnet', 'address', 'https://explorer.solana.com/address/abc?cluster=testnet'],
    ['localnet', 'tx', `https://explorer.solana.com/tx/abc?${CUSTOM}`],
    ['localnet', 'address', `https://explorer.solana.com/address/abc?${CUSTOM}`],
    ['embedded', 'tx', 'https://relay.example/under/tx/abc'],
    ['embedded', 'address', 'https://relay.example/under/account/abc'],
  ])('[S-22] of the cluster %s show the %s', (cluster, kind, link) => {
    expect(explorerLink({ cluster, rpcUrl: RPC_URL, publicUrl: PUBLIC_URL }, kind, 'abc')).toBe(link);
  });
});
