import {
  type LegworkClientOptions,
  formatSol,
  toLamports,
  sendTransaction,
  createLegworkClient,
  openReputation,
} from '@legwork/sdk';
import {
  appendTransactionMessageInstructions,
  generateKeyPairSigner,
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
import { getOpenReputationInstruction, reputationAddress } from '@legwork/program-client';
import type { Fetch } from './history/record.js';
import type { Shippers } from './lanes.js';
import type { Issuer } from './money/issuer.js';
import type { Unit } from './money/units.js';

/** Where a request comes from, as the proxy says that the services trust. */
export const FORWARDED_FOR = 'x-forwarded-for';

/** Sends requests that come from that address. */
export function fetchFrom(address: string, send: Fetch = fetch): NonNullable<LegworkClientOptions['fetch']> {
  return (url, init) => {
    const headers = new Headers(init.headers);
    headers.set(FORWARDED_FOR, address);
    return send(url, { ...init, headers });
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

/** Lamports that they spend on transactions of others in a day: for one key, for one address, and in all. */
export const FEES_LAMPORTS = {
  key: toLamports(1_000_000_000n),
  address: toLamports(50_000_000n),
  all: toLamports(20_000_000_000n),
};

/** The services' caps for one address, the same for all. */
export const CAPS = {
  FEES_KEY_SOL: formatSol(FEES_LAMPORTS.key),
  FEES_IP_SOL: formatSol(FEES_LAMPORTS.address),
  FEES_DAY_SOL: formatSol(FEES_LAMPORTS.all),
  LIMIT_BIDS_PER_ADDRESS: '600',
  SPONSOR_TASK_SOL: formatSol(TASK_LAMPORTS),
  SPONSOR_POSTER_SOL: formatSol(POSTER_LAMPORTS),
  SPONSOR_IP_SOL: formatSol(SPONSORED_LAMPORTS),
  NEWCOMER_IP_SOL: formatSol(NEWCOMERS_LAMPORTS),
};

/**
 * Makes a transaction of the instructions, which the wallet signs and pays for, and lands it: no service is asked.
 *
 * @throws LedgerRefusedError when the ledger refuses it or it expires
 */
export async function sendAlone(
  rpc: LedgerRpc,
  wallet: KeyPairSigner,
  ...instructions: readonly Instruction[]
): Promise<void> {
  const { value: lifetime } = await rpc.getLatestBlockhash({ commitment: 'confirmed' }).send();
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayerSigner(wallet, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
    (timed) => appendTransactionMessageInstructions(instructions, timed),
  );
  const signed = getBase64EncodedWireTransaction(await signTransactionMessageWithSigners(message));
  await sendTransaction(rpc, signed, Number(lifetime.lastValidBlockHeight));
}

const SOL = 1_000_000_000n;
const KNOWN_WITHIN_MS = 30_000;
/** How many post at a time, one thing after the other: a third of it in a token. */
const LANES = {
  sol: { mixed: 4, slow: 2, bound: 2 },
  usdc: { mixed: 2, slow: 1, bound: 1 },
} as const;
/** Base units that payers and stakers in the token begin with. */
const TOKENS = 1_000_000_000_000n;
/** Enough for four legs of a task with several rivals each. */
const AGENTS = 12;
/** Enough for two on a package with terms, and two who bid to take the place of one. */
const CARRIERS = 6;
/** Of each kind of people. */
const SIGNING_SHARE = 0.6;

/** Everybody who posts or works in good faith, and is paid in the same. */
export interface People {
  readonly asset: Unit;
  readonly shippers: Shippers;
  readonly agents: readonly KeyPairSigner[];
  /** They work on packages and digital tasks with terms. */
  readonly carriers: readonly KeyPairSigner[];
  readonly arbiter: KeyPairSigner;
}

export const workersOf = ({ agents, carriers, arbiter }: People) => [...agents, ...carriers, arbiter];
export const postersOf = ({ shippers: { mixed, slow, bound } }: People) => [...mixed, ...slow, ...bound];

/** Gives everybody who is paid in SOL a wallet with some. */
export async function gather(rpc: LedgerRpc): Promise<People> {
  const { mixed, slow, bound } = LANES.sol;
  const shippers = {
    mixed: await wallets(rpc, mixed, 1_000n),
    slow: await wallets(rpc, slow, 1_000n),
    bound: await wallets(rpc, bound, 1_000n),
  };
  const agents = await wallets(rpc, AGENTS, 1n);
  const carriers = await wallets(rpc, CARRIERS, 10n);
  return { asset: 'sol', shippers, agents, carriers, arbiter: await fundedWallet(rpc, SOL) };
}

/** People who are paid in a token have no SOL: payers and stakers have tokens, everybody else nothing at all. */
export async function gatherPoor(rpc: LedgerRpc, issuer: Issuer): Promise<People> {
  const { mixed, slow, bound } = LANES.usdc;
  const withTokens = async (count: number) => {
    const all = await empty(count);
    for (const { address } of all) await issuer.give(rpc, address, TOKENS);
    return all;
  };
  const shippers = { mixed: await withTokens(mixed), slow: await withTokens(slow), bound: await withTokens(bound) };
  const [agents, carriers, [arbiter]] = [await empty(AGENTS), await withTokens(CARRIERS), await empty(1)];
  if (!arbiter) throw new RangeError('There is no arbiter.');
  return { asset: 'usdc', shippers, agents, carriers, arbiter };
}

/** Draws those who sign whatever can be signed. */
export function drawSigning({ agents, shippers }: People, random: Random): Address[] {
  return [agents, shippers.mixed, shippers.slow]
    .flatMap((all) => shuffled(all, random).slice(0, Math.round(all.length * SIGNING_SHARE)))
    .map(({ address }) => address);
}

/**
 * Opens the accounts without which nobody works under terms, and waits until the service knows them.
 *
 * @param payer - pays for those who have no SOL
 */
export async function openAccounts(
  url: string,
  rpc: LedgerRpc,
  { asset, carriers }: People,
  { payer, programAddress }: { payer: KeyPairSigner; programAddress: Address },
): Promise<void> {
  for (const signer of carriers) {
    const client = createLegworkClient({ url, signer });
    if (asset === 'sol') await openReputation(client, rpc, signer);
    else {
      const reputation = await reputationAddress(programAddress, signer.address);
      const accounts = { payer, agent: signer.address, reputation };
      await sendAlone(rpc, payer, getOpenReputationInstruction(accounts, { programAddress }));
    }
    for (const until = Date.now() + KNOWN_WITHIN_MS; ; await sleep(100)) {
      if ((await client.getReputation({ agentPubkey: signer.address })).mirroredAt !== null) break;
      if (Date.now() > until) throw new Error(`the service does not see the reputation of ${signer.address}`);
    }
  }
}

/** Lets the agents who sign begin with that, so that nobody binds them otherwise. */
export async function signOn(url: string, { agents }: People, signing: ReadonlySet<Address>): Promise<void> {
  for (const [index, signer] of agents.entries()) {
    if (!signing.has(signer.address)) continue;
    const client = createLegworkClient({ url, signer });
    await client.updateAgent({ agentPubkey: signer.address, displayName: `Agent ${index + 1}` });
  }
}

const empty = (count: number) => Promise.all(Array.from({ length: count }, () => generateKeyPairSigner()));

async function wallets(rpc: LedgerRpc, count: number, sol: bigint): Promise<KeyPairSigner[]> {
  return Promise.all(Array.from({ length: count }, () => fundedWallet(rpc, sol * SOL)));
}
