import { pagePath, serviceConfig } from '@legwork/sdk';
import type { DigitalTaskDetail, PackageDetail, LegworkClient } from '@legwork/sdk';
import { address } from '@solana/kit';
import type { Signature } from '@solana/kit';
import { DemoError } from './stage.js';
import type { BalanceChange, Ledger } from './ledger.js';
import type { RunRecord } from './runFolder.js';

/** One wallet's line. */
export interface WalletLine {
  readonly pubkey: string;
  readonly before: bigint;
  readonly airdrops: bigint;
  readonly after: bigint;
}

/** The accounts that hold money for somebody's package or task. */
export interface Escrow {
  /** Path of the page that shows it. */
  readonly page: string;
  /** Its account; every transaction about it names this. Once closed it still holds the rent of an empty account. */
  readonly account: string;
  readonly vault: string;
  /** The other accounts that are made for it. */
  readonly parts: readonly string[];
}

/** Where the money of a package is. */
export function escrowOfPackage({ id, onChainPackage, onChainVault, swarm }: PackageDetail): Escrow {
  const formed = swarm ? [swarm.onChainSwarm, ...swarm.legs.map(({ onChainLeg }) => onChainLeg)] : [];
  return { page: pagePath('package', id), account: onChainPackage, vault: onChainVault, parts: formed };
}

/** Where the money of a task is. */
export function escrowOfTask({ id, onChainTask, onChainVault, legs }: DigitalTaskDetail): Escrow {
  const parts = legs.map(({ onChainLeg }) => onChainLeg);
  return { page: pagePath('task', id), account: onChainTask, vault: onChainVault, parts };
}

/** The income, the balances and the costs, in lamports. */
export interface Audit {
  readonly wallets: readonly WalletLine[];
  /** In accounts of the program that belong to this run: of its escrows, and reputations. */
  readonly inProgramAccounts: bigint;
  readonly inVaults: bigint;
  /** The rent of the wallets' token accounts: the service opens one for the test tokens that come with registration. */
  readonly inTokenAccounts: bigint;
  /** Of every transaction that one of the wallets paid for. */
  readonly fees: bigint;
  /** The flow in (or, negative, out) between this run and others on the same ledger. */
  readonly exchangedWithOthers: bigint;
  readonly transactions: number;
}

const QUIET_ATTEMPTS = 20;
const PORTION = 100;

/**
 * Reads from the ledger alone what the run did with every lamport.
 *
 * Balances come from the accounts, fees and airdrops from the records of the transactions: two sources that have to agree.
 */
export async function audit(
  ledger: Ledger,
  client: LegworkClient,
  record: RunRecord,
  escrows: readonly Escrow[],
): Promise<Audit> {
  const wallets = Object.keys(record.opening);
  const vaults = escrows.map(({ vault }) => vault);
  const accounts = [
    ...escrows.flatMap(({ account, parts }) => [account, ...parts]),
    ...(await reputationsOf(client, wallets)),
  ];
  const tokenAccounts = await tokenAccountsOf(ledger, client, wallets);
  const ours = new Set([...wallets, ...vaults, ...accounts, ...tokenAccounts]);
  const { changes, balances } = await quietMoment(ledger, record, escrows, ours);
  const held = (addresses: readonly string[]) => sum(addresses.map((address) => balances.get(address) ?? 0n));
  const airdrops = changes.filter((change) => isAirdrop(change, record, ours));
  const others = changes.filter((change) => !airdrops.includes(change));
  return {
    wallets: wallets.map((pubkey) => ({
      pubkey,
      before: BigInt(record.opening[pubkey]?.lamports ?? 0),
      airdrops: sum(airdrops.map(({ deltas }) => deltas.get(pubkey) ?? 0n)),
      after: balances.get(pubkey) ?? 0n,
    })),
    inProgramAccounts: held(accounts),
    inVaults: held(vaults),
    inTokenAccounts: held(tokenAccounts),
    fees: sum(changes.map((change) => feeOf(change, ours))),
    exchangedWithOthers: sum(others.map((change) => inflowOf(change, ours))),
    transactions: changes.length,
  };
}

/** The missing (or, negative, excess) amount: 0 when every lamport is accounted for. */
export function imbalance(audit: Audit): bigint {
  const { wallets, inProgramAccounts, inVaults, inTokenAccounts, fees, exchangedWithOthers } = audit;
  const came = sum(wallets.map(({ before, airdrops }) => before + airdrops)) + exchangedWithOthers;
  return came - sum(wallets.map(({ after }) => after)) - inProgramAccounts - inVaults - inTokenAccounts - fees;
}

/** The accounts in which the wallets hold the tokens of the service. */
async function tokenAccountsOf({ rpc }: Ledger, client: LegworkClient, wallets: readonly string[]): Promise<string[]> {
  const { assets } = await serviceConfig(client);
  const asked = assets.flatMap(({ mint }) => (mint === null ? [] : wallets.map((wallet) => ({ mint, wallet }))));
  const found = await Promise.all(
    asked.map(({ mint, wallet }) =>
      rpc
        .getTokenAccountsByOwner(
          address(wallet),
          { mint: address(mint) },
          { encoding: 'base64', commitment: 'confirmed' },
        )
        .send(),
    ),
  );
  return found.flatMap(({ value }) => value.map(({ pubkey }) => pubkey));
}

async function reputationsOf(client: LegworkClient, wallets: readonly string[]): Promise<string[]> {
  return Promise.all(wallets.map(async (agentPubkey) => (await client.getReputation({ agentPubkey })).onChainPDA));
}

/** Transactions and balances of one moment: read again while others move something in between. */
async function quietMoment(ledger: Ledger, record: RunRecord, escrows: readonly Escrow[], ours: ReadonlySet<string>) {
  for (let attempt = 1; ; attempt += 1) {
    const signatures = await signaturesOf(ledger, record, escrows);
    const balances = new Map<string, bigint>();
    for (const pubkey of ours) {
      const isWallet = pubkey in record.opening;
      const at = address(pubkey);
      balances.set(pubkey, isWallet ? (await ledger.holding(at)).lamports : await ledger.balance(at));
    }
    if ((await signaturesOf(ledger, record, escrows)).length !== signatures.length) {
      if (attempt === QUIET_ATTEMPTS) throw new DemoError('this ledger is too busy to take stock of it');
      continue;
    }
    return { changes: await changesOf(ledger, signatures), balances };
  }
}

/** Read in portions: a node takes only so many requests at once. */
async function changesOf(ledger: Ledger, signatures: readonly Signature[]): Promise<BalanceChange[]> {
  const changes: BalanceChange[] = [];
  for (let at = 0; at < signatures.length; at += PORTION) {
    const portion = signatures.slice(at, at + PORTION);
    changes.push(...(await Promise.all(portion.map((signature) => ledger.changeOf(signature)))));
  }
  return changes;
}

/** Every transaction since the run began that touched one of its wallets or escrows, once. */
async function signaturesOf(ledger: Ledger, record: RunRecord, escrows: readonly Escrow[]) {
  const watched = [...Object.keys(record.opening), ...escrows.map(({ account }) => account)];
  const signatures = await Promise.all(
    watched.map((account) => ledger.signaturesSince(address(account), record.opening[account])),
  );
  return [...new Set(signatures.flat())];
}

/** A gift from outside: someone else paid, and the program had no part in it. */
function isAirdrop(change: BalanceChange, record: RunRecord, ours: ReadonlySet<string>): boolean {
  return !ours.has(change.feePayer) && !change.deltas.has(record.programId) && inflowOf(change, ours) > 0n;
}

function feeOf({ feePayer, feeLamports }: BalanceChange, ours: ReadonlySet<string>): bigint {
  return ours.has(feePayer) ? feeLamports : 0n;
}

/** The amount that a transaction brought in from outside; 0 for whatever happens among ourselves. */
function inflowOf(change: BalanceChange, ours: ReadonlySet<string>): bigint {
  const gained = sum([...change.deltas].map(([key, delta]) => (ours.has(key) ? delta : 0n)));
  return gained + feeOf(change, ours);
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}
