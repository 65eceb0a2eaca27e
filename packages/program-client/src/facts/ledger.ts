import type { RelayInstruction } from '../decodeRelayInstruction.js';
import { listingAccounts } from '../instructions.js';
import type { MandateLimits } from '../mandates.js';
import { applyTo, isMisfit } from './fold.js';
import type { Count, Listing, PackageFacts, TaskFacts } from './listing.js';
import type { Misfit, Transaction } from './transaction.js';

/** Where a successful transaction stands, and what it is about. */
export interface TransactionFacts {
  /** Its number in the ledger's order, from 0. */
  place: number;
  /** The accounts of the packages and digital tasks that its instructions name. */
  listings: readonly string[];
  /** Unix seconds; null: the node does not say. */
  at: bigint | null;
}

/** The sum of the ledger's transactions for one agent. */
export interface ReputationFacts {
  address: string;
  accepted: bigint;
  completed: bigint;
  /** Of the transaction that changed it last. */
  signature: string;
}

/** A token that listings can be paid in. */
export interface AssetFacts {
  number: number;
  mint: string;
  isOpen: boolean;
  /** The least budget and the least stake, in base units. */
  minAmount: bigint;
  /** Of the transaction that changed it last. */
  signature: string;
}

/** Money of an owner that a delegate may list with. */
export interface MandateFacts {
  owner: string;
  delegate: string;
  limits: MandateLimits & { asset: number };
  /** Of the transaction that changed it last. */
  signature: string;
}

/** Everything that the program's transactions say. */
export interface LedgerFacts {
  /** All of them by signature. */
  transactions: Map<string, TransactionFacts>;
  /** True if the program's first instruction was seen: if not, the history has no beginning. */
  initialized: boolean;
  /** Every key that is the coordinator, or was. */
  coordinators: Set<string>;
  /** By address. */
  packages: Map<string, PackageFacts>;
  tasks: Map<string, TaskFacts>;
  /** By agent, over the legs of packages and of digital tasks. */
  reputations: Map<string, ReputationFacts>;
  /** By the address of their accounts. */
  assets: Map<string, AssetFacts>;
  /** Those that are not ended, by the address of their accounts, which is the funder of what they pay for. */
  mandates: Map<string, MandateFacts>;
}

/** The facts before the first transaction. */
export function noFacts(): LedgerFacts {
  return {
    transactions: new Map(),
    initialized: false,
    coordinators: new Set(),
    packages: new Map(),
    tasks: new Map(),
    reputations: new Map(),
    assets: new Map(),
    mandates: new Map(),
  };
}

/** Adds to the facts what the next transaction in the ledger's order did. @returns that it cannot follow those before it: some are missing */
export function addTo(facts: LedgerFacts, transaction: Transaction): Misfit | undefined {
  const { signature, instructions, at } = transaction;
  const listings = listingAccounts(instructions);
  facts.transactions.set(signature, { place: facts.transactions.size, listings, at });
  for (const instruction of instructions) {
    const misfit = addOfProgram(facts, instruction, signature);
    if (misfit) return misfit;
  }
  for (const account of listings) {
    const before = facts.packages.get(account) ?? facts.tasks.get(account);
    const after = applyTo(before, account, transaction);
    if (isMisfit(after)) return after;
    if (after) keep(facts, after, before?.counts.length ?? 0);
  }
  return undefined;
}

/** Adds what an instruction says of the program, or of an agent. */
function addOfProgram(facts: LedgerFacts, instruction: RelayInstruction, signature: string): Misfit | undefined {
  if (instruction.name === 'initialize') facts.initialized = true;
  if (instruction.name === 'initialize' || instruction.name === 'setCoordinator') {
    facts.coordinators.add(instruction.data.coordinator);
  }
  if (instruction.name === 'setAsset') {
    const { accounts, data } = instruction;
    const { number, isOpen, minAmount } = data;
    facts.assets.set(accounts.asset.address, { number, mint: accounts.mint.address, isOpen, minAmount, signature });
  }
  if (instruction.name === 'setMandate') {
    const { accounts, data } = instruction;
    const { discriminator: _, ...limits } = data;
    const [owner, delegate] = [accounts.owner.address, accounts.delegate.address];
    facts.mandates.set(accounts.mandate.address, { owner, delegate, limits, signature });
  }
  if (instruction.name === 'closeMandate') facts.mandates.delete(instruction.accounts.mandate.address);
  if (instruction.name !== 'openReputation') return undefined;
  const { agent, reputation } = instruction.accounts;
  if (facts.reputations.has(agent.address)) return { signature, misfit: `${agent.address} had a reputation` };
  facts.reputations.set(agent.address, { address: reputation.address, accepted: 0n, completed: 0n, signature });
  return undefined;
}

/** @param counted how many of its counts are added already */
function keep({ packages, tasks, reputations }: LedgerFacts, listing: Listing, counted: number): void {
  if (listing.kind === 'package') packages.set(listing.address, listing);
  else tasks.set(listing.address, listing);
  for (const count of listing.counts.slice(counted))
    reputations.set(count.agent, sumOf(reputations.get(count.agent), count));
}

function sumOf(
  before: ReputationFacts | undefined,
  { reputation, accepted, completed, signature }: Count,
): ReputationFacts {
  return {
    address: reputation ?? before?.address ?? '',
    accepted: (before?.accepted ?? 0n) + accepted,
    completed: (before?.completed ?? 0n) + completed,
    signature,
  };
}
