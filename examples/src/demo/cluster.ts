import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createSolanaRpc, lamports } from '@solana/kit';
import type { Address, Rpc, SolanaRpcApi } from '@solana/kit';
import { loadOrCreateKeypair } from '../keypairs.js';
import { legwork } from './command.js';
import { DemoError } from './stage.js';

/** A Solana cluster on which the program is ready for this demo. */
export interface PreparedCluster {
  /** Where the demo keeps what belongs to this cluster: keys, runs, the service's data. */
  readonly folder: string;
  /** The environment of a service that works there. */
  readonly settings: Readonly<Record<string, string>>;
}

interface Wallet {
  readonly title: string;
  readonly address: Address;
  /** Below this it asks the faucet for `airdrop`; both in lamports. */
  readonly needed: bigint;
  readonly airdrop: bigint;
}

const commitment = 'confirmed';
const SOL = 1_000_000_000n;
const AIRDROP_MS = 60_000;
const LOOK_EVERY_MS = 300;
/** Well-known clusters, by how the hash of their genesis begins. */
const NAMED = { '5eykt4Us': 'mainnet-beta', EtWTRABZ: 'devnet', '4uhcVJyU': 'testnet' } as const;

/**
 * Makes a cluster ready: keys in a folder of its own, readable by their owner only, SOL for payer
 * and coordinator from the faucet, the program deployed. Steps done already are found and kept.
 *
 * @param home where the folders of all clusters are
 * @throws {DemoError} when it is mainnet, does not answer, its faucet gives nothing, or refuses the program
 */
export async function prepareCluster(
  rpcUrl: string,
  home: string,
  say: (line: string) => void,
): Promise<PreparedCluster> {
  if (!URL.canParse(rpcUrl)) throw new DemoError('--rpc-url is an address such as http://127.0.0.1:8899');
  const rpc = createSolanaRpc(rpcUrl);
  const genesisHash = await genesisOf(rpc, rpcUrl);
  const cluster = Object.entries(NAMED).find(([start]) => genesisHash.startsWith(start))?.[1] ?? 'localnet';
  if (cluster === 'mainnet-beta') {
    throw new DemoError('This is mainnet, where SOL is money; play the demo on devnet or on a validator of your own.');
  }
  const folder = join(home, `cluster-${genesisHash.slice(0, 8)}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = (name: string) => join(folder, `${name}.json`);
  const [payer, program, coordinator] = await Promise.all(
    ['payer', 'program', 'coordinator'].map((name) => loadOrCreateKeypair(file(name))),
  );
  if (!payer || !program || !coordinator) throw new Error('three keys were asked for');
  say(`Cluster at ${rpcUrl} (${cluster}); its keys are in ${folder}`);
  await Promise.all([
    fund(rpc, { title: 'payer', address: payer.address, needed: SOL, airdrop: 2n * SOL }),
    fund(rpc, { title: 'coordinator', address: coordinator.address, needed: SOL / 4n, airdrop: SOL }),
  ]);
  await deploy(rpcUrl, file, say);
  return {
    folder,
    settings: {
      SOLANA_RPC_URL: rpcUrl,
      SOLANA_CLUSTER: cluster,
      RELAY_PROGRAM_ID: program.address,
      COORDINATOR_KEYPAIR: file('coordinator'),
    },
  };
}

async function genesisOf(rpc: Rpc<SolanaRpcApi>, rpcUrl: string): Promise<string> {
  try {
    return await rpc.getGenesisHash().send();
  } catch (error) {
    throw new DemoError(
      `${rpcUrl} does not answer as the JSON-RPC of a Solana cluster (${error instanceof Error ? error.message : String(error)}).`,
    );
  }
}

/** Fills a wallet up from the faucet, and waits until the cluster has confirmed it. */
async function fund(rpc: Rpc<SolanaRpcApi>, { title, address, needed, airdrop }: Wallet): Promise<void> {
  const balance = async () => (await rpc.getBalance(address, { commitment }).send()).value;
  if ((await balance()) >= needed) return;
  const send = `Send the ${title} ${address} ${Number(needed) / 1e9} SOL and run the demo again.`;
  try {
    await rpc.requestAirdrop(address, lamports(airdrop), { commitment }).send();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new DemoError(`The cluster's faucet gave nothing (${why}). ${send}`);
  }
  for (const until = Date.now() + AIRDROP_MS; (await balance()) < needed; ) {
    if (Date.now() > until) throw new DemoError(`The faucet's SOL did not arrive. ${send}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

async function deploy(rpcUrl: string, file: (name: string) => string, say: (line: string) => void): Promise<void> {
  const keys = ['--keypair', file('payer'), '--program-keypair', file('program'), '--coordinator', file('coordinator')];
  const { ended, printed } = legwork(['program', 'deploy', '--url', rpcUrl, ...keys]);
  const code = await ended;
  if (code !== 0) throw new DemoError(`The program could not be deployed:\n${printed().trim()}`);
  const outcome = /^ +Program +(.+)$/m.exec(printed())?.[1] ?? '';
  say(`Program ${outcome}`);
}
