import {
  type LegworkClientOptions,
  formatSol,
  toLamports,
  sendTransaction,
  createLegworkClient,
  openReputation,
} from '@legwork/sdk';
import {
  appendTransactionMessageInstruction,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  type Instruction,
  type KeyPairSigner,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
  type Address,
} from '@solana/kit';
import { type LedgerRpc, fundedWallet } from '../packages/cli/tests/support/wallets.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Random, shuffled } from './plan.js';
import type { Shippers } from './lanes.js';

/** Where a request comes from, as the proxy says that the services trust. */
export const FORWARDED_FOR = 'x-forwarded-for';

/** Sends requests that come from that address. */
export function fetchFrom(address: string): NonNullable<LegworkClientOptions['fetch']> {
  return (url, init) => {
    const headers = new Headers(init.headers);
    headers.set(FORWARDED_FOR, address);
    return fetch(url, { ...init, headers });
  };
}

/** Where the people of one story are: to them too, budgets and caps by address are real. */
export function addressOf(story: number): string {
  return `10.1.${Math.floor(story / 250)}.${(story % 250) + 1}`;
}

/** Lamports that the services advance for one poster at most: more than any shipper needs by itself. */
const POSTER_LAMPORTS = toLamports(30_000_000_000n);
/** Lamports that they advance for one address at most: enough to use up what many others may have. */
export const SPONSORED_LAMPORTS = toLamports(300_000_000_000n);
/** Lamports that they spend on reputation accounts of agents from one address at most: sixteen, more than one story needs. */
export const NEWCOMERS_LAMPORTS = toLamports(20_000_000n);
/** Lamports of the largest budget that they fund: three of these use up the cap of a poster. */
export const TASK_LAMPORTS = toLamports(9_900_000_000n);

/** What the services take of one address, the same for all. */
export const CAPS = {
  LIMIT_BIDS_PER_ADDRESS: '600',
  SPONSOR_TASK_SOL: formatSol(TASK_LAMPORTS),
  SPONSOR_POSTER_SOL: formatSol(POSTER_LAMPORTS),
  SPONSOR_IP_SOL: formatSol(SPONSORED_LAMPORTS),
  NEWCOMER_IP_SOL: formatSol(NEWCOMERS_LAMPORTS),
};

/**
 * Makes a transaction of the instruction, which the wallet signs and pays for, and lands it: no service is asked.
 *
 * @throws LedgerRefusedError when the ledger refuses it or it expires
 */
export async function sendAlone(rpc: LedgerRpc, wallet: KeyPairSigner, instruction: Instruction): Promise<void> {
  const { value: lifetime } = await rpc.getLatestBlockhash({ commitment: 'confirmed' }).send();
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayerSigner(wallet, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
    (timed) => appendTransactionMessageInstruction(instruction, timed),
  );
  const signed = getBase64EncodedWireTransaction(await signTransactionMessageWithSigners(message));
  await sendTransaction(rpc, signed, Number(lifetime.lastValidBlockHeight));
}

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
interface People {
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
    const client = createLegworkClient({ url, signer });
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
    const client = createLegworkClient({ url, signer });
    await client.updateAgent({ agentPubkey: signer.address, displayName: `Agent ${index + 1}` });
  }
}

async function wallets(rpc: LedgerRpc, count: number, sol: bigint): Promise<KeyPairSigner[]> {
  return Promise.all(Array.from({ length: count }, () => fundedWallet(rpc, sol * SOL)));
}
