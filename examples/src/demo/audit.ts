import { fetchRelayAccounts } from '@agent-relay/sdk';
import type { PackageDetail, RelayClient } from '@agent-relay/sdk';
import { address } from '@solana/kit';
import { DemoError } from './demoError.js';
import type { BalanceChange, Ledger } from './ledger.js';
import type { RunRecord } from './runFolder.js';

/** One wallet's line. */
export interface WalletLine {
  readonly pubkey: string;
  readonly before: bigint;
  readonly airdrops: bigint;
  readonly after: bigint;
}

/** What came in, what is there, and what it cost, in lamports. */
export interface Audit {
  readonly wallets: readonly WalletLine[];
  /** In accounts of the program that belong to this run: packages, swarms, legs, reputations. */
  readonly inProgramAccounts: bigint;
  readonly inVaults: bigint;
  /** Of every transaction that one of the wallets paid for. */
  readonly fees: bigint;
  /** What flowed in (or, negative, out) between this run and others on the same ledger. */
  readonly exchangedWithOthers: bigint;
  readonly transactions: number;
}

const QUIET_ATTEMPTS = 20;

/**
 * Reads from the ledger alone what the run did with every lamport.
 *
 * Balances come from the accounts, fees and airdrops from the records of the transactions: two sources that have to agree.
 */
export async function audit(
  ledger: Ledger,
  client: RelayClient,
  record: RunRecord,
  packages: readonly PackageDetail[],
): Promise<Audit> {
  const wallets = Object.keys(record.opening);
  const ours = new Set([...wallets, ...packages.flatMap(addressesOf), ...(await reputationsOf(client, wallets))]);
  const { changes, accounts, balances } = await quietMoment(ledger, record, ours, packages);
  const airdrops = changes.filter((change) => isAirdrop(change, record, ours));
  const others = changes.filter((change) => !airdrops.includes(change));
  return {
    wallets: wallets.map((pubkey) => ({
      pubkey,
      before: BigInt(record.opening[pubkey]?.lamports ?? 0),
      airdrops: sum(airdrops.map(({ deltas }) => deltas.get(pubkey) ?? 0n)),
      after: balances.get(pubkey) ?? 0n,
    })),
    inProgramAccounts: sum(accounts.map(({ lamports }) => lamports)),
    inVaults: sum(accounts.map((account) => (account.kind === 'package' ? account.vaultLamports : 0n))),
    fees: sum(changes.map((change) => feeOf(change, ours))),
    exchangedWithOthers: sum(others.map((change) => inflowOf(change, ours))),
    transactions: changes.length,
  };
}

/** What is missing (or, negative, too much): 0 when every lamport is accounted for. */
export function imbalance({ wallets, inProgramAccounts, inVaults, fees, exchangedWithOthers }: Audit): bigint {
  const came = sum(wallets.map(({ before, airdrops }) => before + airdrops)) + exchangedWithOthers;
  return came - sum(wallets.map(({ after }) => after)) - inProgramAccounts - inVaults - fees;
}

function addressesOf({ onChainPackage, onChainVault, swarm }: PackageDetail): string[] {
  return [
    onChainPackage,
    onChainVault,
    ...(swarm ? [swarm.onChainSwarm, ...swarm.legs.map(({ onChainLeg }) => onChainLeg)] : []),
  ];
}

async function reputationsOf(client: RelayClient, wallets: readonly string[]): Promise<string[]> {
  return Promise.all(wallets.map(async (agentPubkey) => (await client.getReputation({ agentPubkey })).onChainPDA));
}

/** Transactions and balances of one moment: read again while others move something in between. */
async function quietMoment(
  ledger: Ledger,
  record: RunRecord,
  ours: ReadonlySet<string>,
  packages: readonly PackageDetail[],
) {
  for (let attempt = 1; ; attempt += 1) {
    const signatures = await signaturesOf(ledger, record, packages);
    const balances = new Map<string, bigint>();
    for (const pubkey of Object.keys(record.opening)) {
      balances.set(pubkey, (await ledger.holding(address(pubkey))).lamports);
    }
    const accounts = await fetchRelayAccounts(ledger.rpc, record.programId);
    if ((await signaturesOf(ledger, record, packages)).length !== signatures.length) {
      if (attempt === QUIET_ATTEMPTS) throw new DemoError('this ledger is too busy to take stock of it');
      continue;
    }
    const changes = await Promise.all(signatures.map((signature) => ledger.changeOf(signature)));
    return { changes, balances, accounts: accounts.filter(({ address: at }) => ours.has(at)) };
  }
}

/** Every transaction since the run began that touched one of its wallets or packages, once. */
async function signaturesOf(ledger: Ledger, record: RunRecord, packages: readonly PackageDetail[]) {
  const watched = [...Object.keys(record.opening), ...packages.map(({ onChainPackage }) => onChainPackage)];
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

/** What a transaction brought in from outside; 0 for whatever happens among ourselves. */
function inflowOf(change: BalanceChange, ours: ReadonlySet<string>): bigint {
  const gained = sum([...change.deltas].map(([key, delta]) => (ours.has(key) ? delta : 0n)));
  return gained + feeOf(change, ours);
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}
