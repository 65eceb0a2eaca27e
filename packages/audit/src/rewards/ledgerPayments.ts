import { type Lamports, toLamports } from '@legwork/protocol/contract';
import { legShare } from '@legwork/protocol/rules';
import { AuditImpossibleError } from '../errors.js';
import type { ReadLedger } from '@legwork/program-client/history';
import { type LedgerFacts, noFacts } from '../facts.js';
import { type HistoryEntry, listHistory, readHistory } from '../history.js';
import { replay } from '../replay.js';

/** What one completed digital leg paid. */
export interface Payment {
  signature: string;
  lamports: Lamports;
  poster: string;
  /** Somebody else than the poster paid for the task. */
  isSponsored: boolean;
}

/** What the keys were paid for digital legs, each in the ledger's order. */
export interface LedgerPayments {
  of: ReadonlyMap<string, readonly Payment[]>;
  /** That were read for it. */
  transactions: number;
}

/** Adds the payments of one transaction, which the facts know already. */
function collect(
  payments: Map<string, Payment[]>,
  facts: LedgerFacts,
  { signature, instructions }: HistoryEntry,
): void {
  for (const instruction of instructions) {
    if (instruction.name !== 'confirmTaskLeg') continue;
    const task = facts.tasks.get(instruction.accounts.task.address);
    if (task === undefined) throw new Error(`${signature} was replayed and its task is not known`);
    payments.get(instruction.accounts.agent.address)?.push({
      signature,
      lamports: legShare(toLamports(task.budgetLamports), task.numLegs),
      poster: task.shipper,
      isSponsored: task.funder !== task.shipper,
    });
  }
}

/**
 * Reads the program's transactions from the first one on, and gathers what they paid these keys for digital legs. Rule M-69.
 *
 * @throws AuditImpossibleError when the ledger does not answer, and when the node does not have the whole history
 */
export async function readPayments(ledger: ReadLedger, keys: readonly string[]): Promise<LedgerPayments> {
  const payments = new Map(keys.map((key): [string, Payment[]] => [key, []]));
  const facts = noFacts();
  const { succeeded } = await listHistory(ledger, undefined);
  for await (const entry of readHistory(ledger, succeeded)) {
    replay(facts, entry);
    collect(payments, facts, entry);
  }
  if (!facts.initialized) {
    throw new AuditImpossibleError(
      `The ledger does not show how the program ${ledger.programAddress} was initialised: this node has not kept its ` +
        'whole history, or the program is another one.',
    );
  }
  return { of: payments, transactions: succeeded.length };
}
