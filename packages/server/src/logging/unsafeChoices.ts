import { stat } from 'node:fs/promises';
import { BlockList, isIP } from 'node:net';
import type { Config } from '../config.js';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

/** True if this name or address leads to this very machine. */
export function isLoopback(host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, '$1');
  const family = isIP(address);
  if (family === 0) return address === 'localhost' || address.endsWith('.localhost');
  return loopback.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** Permission bits of everyone but the file's owner. */
const OTHERS = 0o077;

async function isOpenToOthers(file: string): Promise<boolean> {
  if (process.platform === 'win32') return false;
  return ((await stat(file)).mode & OTHERS) !== 0;
}

/**
 * Names the settings that are fine for trying things out and wrong for a service that others rely on, one sentence each.
 * No sentence contains a value that could be secret. Rule S-43.
 */
export async function unsafeChoices(config: Config): Promise<string[]> {
  const { host, publicUrl, cluster } = config;
  const open = !isLoopback(host);
  const isPublic = open || (publicUrl !== undefined && !isLoopback(new URL(publicUrl).hostname));
  const found: string[] = [];
  if (open && (cluster === 'embedded' || cluster === 'localnet'))
    found.push(`HOST ${host} opens the service to the network, but the ledger (${cluster}) is one for development.`);
  if (open && publicUrl === undefined && config.httpsFolder === undefined)
    found.push(
      `HOST ${host} opens the service to the network, but PUBLIC_URL is not set: signed requests by another name are refused.`,
    );
  if (publicUrl?.startsWith('http:') && !isLoopback(new URL(publicUrl).hostname))
    found.push('PUBLIC_URL is http: anyone on the way can read and drop requests; use https.');
  if (isPublic && config.apiKeys.length === 0 && config.sponsorCaps.task > 0n)
    found.push(
      'API_KEYS is not set: anybody may have the coordinator spend its SOL within the caps; SPONSOR_TASK_SOL=0 ends that.',
    );
  if (isPublic && config.webhooks.targets === 'any')
    found.push('WEBHOOK_TARGETS=any lets anybody have this machine send requests into its own network; use public.');
  if (config.airdrop && cluster === 'mainnet-beta')
    found.push('AIRDROP is on, but mainnet-beta has no faucet: set AIRDROP=off.');
  const rpc = new URL(config.rpcUrl);
  if (rpc.username !== '' || rpc.password !== '' || rpc.search !== '')
    found.push('SOLANA_RPC_URL seems to hold a key, and GET /config shows that address to everybody.');
  if (rpc.protocol === 'http:' && !isLoopback(rpc.hostname))
    found.push('SOLANA_RPC_URL is http to another machine: anyone on the way can make up what the ledger says.');
  if (await isOpenToOthers(config.coordinatorKeypair))
    found.push('COORDINATOR_KEYPAIR can be used by other accounts of this machine: chmod 600 it.');
  return found;
}
