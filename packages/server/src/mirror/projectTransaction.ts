import type { RelayInstruction } from '@legwork/program-client';
import type { AppContext } from '../context.js';
import { mirrorReputations } from '../db/reputations.js';
import { inTransaction } from '../db/transaction.js';
import { claimInstructions, type HistoryPosition } from '../db/appliedInstructions.js';
import { readReputations } from '../ledger/reputationReadings.js';
import { projectInstruction } from './projectInstruction.js';
import type { Projection } from './projection.js';

/** The agents whose reputation the instructions may have changed. */
function agentsOf(instructions: readonly RelayInstruction[]): string[] {
  return instructions.flatMap(({ accounts }) => {
    if ('courier' in accounts) return [accounts.courier.address];
    return 'agent' in accounts ? [accounts.agent.address] : [];
  });
}

/**
 * Projects a transaction into the mirror, in one database transaction and once among all replicas.
 *
 * @param instructions all of the program's in it, in the order they ran
 */
export async function projectTransaction(
  { ledger, db, log, metrics, wakers }: AppContext,
  position: HistoryPosition,
  instructions: readonly RelayInstruction[],
): Promise<void> {
  const agents = agentsOf(instructions);
  const readings = agents.length === 0 ? [] : await readReputations(ledger, agents);
  const landed = { signature: position.signature, instructions };
  const outcomes = await inTransaction(db, async (trx) => {
    const projected: [name: RelayInstruction['name'], outcome: Projection][] = [];
    const claimed = await claimInstructions(
      trx,
      position,
      instructions.map(({ name }) => name),
    );
    for (const [index, instruction] of instructions.entries()) {
      if (!claimed.has(index)) continue;
      projected.push([instruction.name, await projectInstruction(trx, log, instruction, landed)]);
    }
    await mirrorReputations(trx, readings);
    return projected;
  });
  for (const [name, outcome] of outcomes) metrics.mirroredInstructions.inc({ name, outcome });
  if (!outcomes.some(([, outcome]) => outcome === 'projected')) return;
  wakers.sequencer.wake();
  // A confirmation makes a reservation due, the last one decides a settlement.
  wakers.taskClaims.wake();
  wakers.outbox.wake();
  // A reputation that was opened and a pause that ended make packages due.
  wakers.evaluator.wake();
}
