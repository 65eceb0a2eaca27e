import type { RelayInstruction } from '@legwork/program-client';
import type { HistoryEntry } from './history.js';
import { type PackagesOnLedger, replayPackage } from './package.js';
import { openReputation } from './reputations.js';
import { replayTask, type TasksOnLedger } from './task.js';

/** Everything that the program's transactions say. */
export interface LedgerFacts extends PackagesOnLedger, TasksOnLedger {
  /** Whether the program's first instruction was seen: if not, the history has no beginning. */
  initialized: boolean;
}

/** The facts before the first transaction. */
export function noFacts(): LedgerFacts {
  return { initialized: false, packages: new Map(), tasks: new Map(), reputations: new Map() };
}

/**
 * Adds to the facts what the next transaction in the ledger's order did.
 *
 * @throws AuditImpossibleError when it cannot follow the ones before it: some are missing
 */
export function replay(facts: LedgerFacts, { signature, instructions }: HistoryEntry): void {
  for (const instruction of instructions) applyInstruction(facts, instruction, signature);
}

function applyInstruction(facts: LedgerFacts, instruction: RelayInstruction, signature: string): void {
  switch (instruction.name) {
    case 'initialize':
      facts.initialized = true;
      return;
    case 'listPackage':
    case 'cancelPackage':
    case 'formSwarm':
    case 'assignLeg':
    case 'confirmLeg':
    case 'settle':
    case 'reclaimPackage':
    case 'closePackage':
      return replayPackage(facts, instruction, signature);
    case 'listTask':
    case 'assignTaskLeg':
    case 'releaseTaskLeg':
    case 'confirmTaskLeg':
    case 'settleTask':
    case 'cancelTask':
    case 'reclaimTask':
    case 'closeTask':
      return replayTask(facts, instruction, signature);
    case 'openReputation': {
      const { agent, reputation } = instruction.accounts;
      return openReputation(facts.reputations, agent.address, reputation.address, signature);
    }
    case 'setCoordinator':
    case 'setPaused':
    case 'proposeAuthority':
    case 'acceptAuthority':
  }
}
