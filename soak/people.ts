import { createRelayClient } from '@legwork/sdk';
import type { Address, KeyPairSigner } from '@solana/kit';
import { fundedWallet, type LedgerRpc } from '../packages/cli/tests/support/wallets.js';
import { type Random, shuffled } from './draws.js';
import type { Shippers } from './lanes.js';

const SOL = 1_000_000_000n;
/** Packages and digital tasks under way at a time. */
const LANES = 6;
/** Digital tasks under way beside them that wait for an agent's time to run out. */
const SLOW_LANES = 3;
/** Enough for four legs of a task with several rivals each. */
const AGENTS = 12;
/** Of each kind of people. */
const SIGNING_SHARE = 0.6;

/** Everybody who posts or works in good faith. */
export interface People {
  readonly shippers: Shippers;
  readonly agents: readonly KeyPairSigner[];
  /** Those who sign whatever can be signed. */
  readonly signing: ReadonlySet<Address>;
}

/** Gives everybody a wallet, and draws who signs. */
export async function gather(rpc: LedgerRpc, random: Random): Promise<People> {
  const shippers = { mixed: await wallets(rpc, LANES, 200n), slow: await wallets(rpc, SLOW_LANES, 200n) };
  const agents = await wallets(rpc, AGENTS, 1n);
  const signing = [agents, shippers.mixed, shippers.slow].flatMap((all) =>
    shuffled(all, random).slice(0, Math.round(all.length * SIGNING_SHARE)),
  );
  return { shippers, agents, signing: new Set(signing.map(({ address }) => address)) };
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
