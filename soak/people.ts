import { setTimeout as sleep } from 'node:timers/promises';
import { createRelayClient, openReputation } from '@legwork/sdk';
import type { Address, KeyPairSigner } from '@solana/kit';
import { fundedWallet, type LedgerRpc } from '../packages/cli/tests/support/wallets.js';
import { type Random, shuffled } from './draws.js';
import type { Shippers } from './lanes.js';

const SOL = 1_000_000_000n;
const KNOWN_WITHIN_MS = 30_000;
/** Packages and digital tasks under way at a time. */
const LANES = 6;
/** Digital tasks under way beside them that wait for an agent's time to run out. */
const SLOW_LANES = 3;
/** Packages and digital tasks with terms under way beside them. */
const BOUND_LANES = 3;
/** Enough for four legs of a task with several rivals each. */
const AGENTS = 12;
/** Enough for two on a package with terms, and two who bid to take the place of one. */
const CARRIERS = 6;
/** Of each kind of people. */
const SIGNING_SHARE = 0.6;

/** Everybody who posts or works in good faith. */
export interface People {
  readonly shippers: Shippers;
  readonly agents: readonly KeyPairSigner[];
  /** They work on packages and digital tasks with terms. */
  readonly carriers: readonly KeyPairSigner[];
  readonly arbiter: KeyPairSigner;
  /** Those who sign whatever can be signed. */
  readonly signing: ReadonlySet<Address>;
}

/** Gives everybody a wallet, and draws who signs. */
export async function gather(rpc: LedgerRpc, random: Random): Promise<People> {
  const shippers = {
    mixed: await wallets(rpc, LANES, 200n),
    slow: await wallets(rpc, SLOW_LANES, 200n),
    bound: await wallets(rpc, BOUND_LANES, 200n),
  };
  const agents = await wallets(rpc, AGENTS, 1n);
  const signing = [agents, shippers.mixed, shippers.slow].flatMap((all) =>
    shuffled(all, random).slice(0, Math.round(all.length * SIGNING_SHARE)),
  );
  const carriers = await wallets(rpc, CARRIERS, 10n);
  const arbiter = await fundedWallet(rpc, SOL);
  return { shippers, agents, carriers, arbiter, signing: new Set(signing.map(({ address }) => address)) };
}

/** Opens the accounts without which nobody works under terms, and waits until the service knows them. */
export async function openAccounts(url: string, rpc: LedgerRpc, { carriers }: People): Promise<void> {
  for (const signer of carriers) {
    const client = createRelayClient({ url, signer });
    await openReputation(client, rpc, signer);
    for (const until = Date.now() + KNOWN_WITHIN_MS; ; await sleep(100)) {
      if ((await client.getReputation({ agentPubkey: signer.address })).mirroredAt !== null) break;
      if (Date.now() > until) throw new Error(`the service does not see the reputation of ${signer.address}`);
    }
  }
}

/** Lets the agents who sign begin with that, so that nobody binds them otherwise. */
export async function signOn(url: string, { agents, signing }: People): Promise<void> {
  for (const [index, signer] of agents.entries()) {
    if (!signing.has(signer.address)) continue;
    const client = createRelayClient({ url, signer });
    await client.updateAgent({ agentPubkey: signer.address, displayName: `Agent ${index + 1}` });
  }
}

async function wallets(rpc: LedgerRpc, count: number, sol: bigint): Promise<KeyPairSigner[]> {
  return Promise.all(Array.from({ length: count }, () => fundedWallet(rpc, sol * SOL)));
}
