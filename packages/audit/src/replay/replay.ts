import { listingAccounts, type RelayInstruction } from '@legwork/program-client';
import type { HistoryEntry } from './history.js';
import { Landing } from './landing.js';
import { replayPackage } from './package.js';
import type { PackagesOnLedger } from './packageFacts.js';
import { openReputation } from './reputations.js';
import { replayTask, type TasksOnLedger } from './task.js';

/** Where a successful transaction stands, and what it is about. */
export interface TransactionFacts {
  /** Its number in the ledger's order, from 0. */
  place: number;
  /** The accounts of the packages and digital tasks that its instructions name. */
  listings: readonly string[];
  /** Unix seconds; null: the node does not say. */
  at: bigint | null;
}

/** Everything that the program's transactions say. */
export interface LedgerFacts extends PackagesOnLedger, TasksOnLedger {
  /** All of them by signature. */
  transactions: Map<string, TransactionFacts>;
  /** Whether the program's first instruction was seen: if not, the history has no beginning. */
  initialized: boolean;
  /** Every key that is the coordinator, or was. */
  coordinators: Set<string>;
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
  };
}

/**
 * Adds to the facts what the next transaction in the ledger's order did.
 *
 * @throws AuditImpossibleError when it cannot follow the ones before it: some are missing
 */
export function replay(facts: LedgerFacts, entry: HistoryEntry): void {
  const { signature, instructions } = entry;
  const listings = listingAccounts(instructions);
  facts.transactions.set(signature, { place: facts.transactions.size, listings, at: entry.at });
  const landing = new Landing(entry);
  for (const instruction of instructions) applyInstruction(facts, instruction, landing);
  landing.settle();
}

function applyInstruction(facts: LedgerFacts, instruction: RelayInstruction, landing: Landing): void {
  const { signature } = landing;
  switch (instruction.name) {
    case 'initialize':
      facts.initialized = true;
      facts.coordinators.add(instruction.data.coordinator);
      return;
    case 'setCoordinator':
      facts.coordinators.add(instruction.data.coordinator);
      return;
    case 'listPackage':
    case 'cancelPackage':
    case 'formSwarm':
    case 'assignLeg':
    case 'confirmLeg':
    case 'settle':
    case 'reclaimPackage':
    case 'closePackage':
      return replayPackage(facts, instruction, landing);
    case 'accept':
    case 'vacate':
    case 'claim':
    case 'dispute':
    case 'rule':
      if (facts.tasks.has(instruction.accounts.listing.address)) return replayTask(facts, instruction, landing);
      return replayPackage(facts, instruction, landing);
    case 'listTask':
    case 'assignTaskLeg':
    case 'releaseTaskLeg':
    case 'confirmTaskLeg':
    case 'settleTask':
    case 'cancelTask':
    case 'reclaimTask':
    case 'closeTask':
      return replayTask(facts, instruction, landing);
    case 'openReputation': {
      const { agent, reputation } = instruction.accounts;
      return openReputation(facts.reputations, agent.address, reputation.address, signature);
    }
    case 'setPaused':
    case 'proposeAuthority':
    case 'acceptAuthority':
  }
}
