import type { RelayInstruction } from '@legwork/program-client';
import { replayTask } from './tasks/replayTask.js';
import type { LedgerFacts } from './facts.js';
import type { HistoryEntry } from './history.js';
import { replayPackage } from './packages/replayPackage.js';
import { openReputation } from './reputations.js';

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
      return openReputation(facts, agent.address, reputation.address, signature);
    }
    case 'setCoordinator':
    case 'setPaused':
    case 'proposeAuthority':
    case 'acceptAuthority':
  }
}

/**
 * Adds what one more transaction did, in the order of the ledger, to the facts.
 *
 * @throws AuditImpossibleError when it cannot follow the ones before: some are missing
 */
export function replay(facts: LedgerFacts, { signature, instructions }: HistoryEntry): void {
  for (const instruction of instructions) applyInstruction(facts, instruction, signature);
}
