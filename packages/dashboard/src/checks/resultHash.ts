import {
  getTaskLegDecoder,
  LegStatus,
  type RelayInstruction,
  TASK_LEG_KIND,
  type TaskLeg,
  taskAddress,
  taskLegAddress,
} from '@legwork/program-client';
import { uuidToBytes } from '@legwork/protocol/contract';
import { type Artifact, resultHash } from '@legwork/sdk';
import { type Address, address } from '@solana/kit';
import type { LedgerAccount } from '../data/node.js';
import type { LedgerTransaction } from './ledgerTransaction.js';
import type { Outcome } from './outcome.js';
import { t } from '../language.js';

/** A result as the page shows it, and whose it is said to be. */
export interface ShownResult {
  readonly taskId: string;
  /** Who posted the task: the task's account is derived from it. */
  readonly posterPubkey: string;
  /** 0 is the first. */
  readonly legIndex: number;
  readonly text: string;
  readonly artifacts: readonly Artifact[];
  readonly agentPubkey: string;
  /** Of the transaction that is said to have confirmed the leg: read once settlement has closed the account. */
  readonly confirmSignature: string | null;
}

/** The ledger as this browser reads it; both throw an Error when its node cannot say. */
export interface ReadableLedger {
  readonly programId: string;
  readonly readAccount: (at: string) => Promise<Pick<LedgerAccount, 'owner' | 'data' | 'slot'> | undefined>;
  readonly readTransaction: (signature: string) => Promise<LedgerTransaction | undefined>;
}

type ConfirmTaskLeg = Extract<RelayInstruction, { name: 'confirmTaskLeg' }>;

/** What the ledger says of a leg: its account or, once that is closed, the instruction that confirmed it. */
export type LedgerLeg = { readonly slot: bigint } & (
  | { readonly account: TaskLeg }
  | { readonly instruction: Pick<ConfirmTaskLeg, 'accounts' | 'data'> }
);

/**
 * Compares a text with what the ledger paid for: by its sha256, of this leg, by this agent. Rule D-14.
 *
 * @param task the task's account, derived here
 */
export function compareResult(shown: ShownResult, task: Address, ledger: LedgerLeg): Outcome {
  const held = 'account' in ledger ? ofAccount(ledger.account) : ofInstruction(ledger.instruction);
  if (held.task !== task || held.index !== shown.legIndex)
    return differs(t('What the ledger shows is about another leg.'));
  if (!held.isCompleted) return differs(t('The ledger does not show this leg as completed.'));
  if (held.agent !== shown.agentPubkey)
    return differs(t('The ledger names {agent} as the agent of this leg.', { agent: held.agent }));
  const { hex } = resultHash(shown.text, shown.artifacts);
  if (hex !== held.hash)
    return differs(t('The sha256 of this result is {hex}, the ledger holds {held}.', { hex, held: held.hash }));
  return { holds: true, seen: t('sha256 on the ledger, slot {slot}', { slot: String(ledger.slot) }) };
}

function ofAccount({ task, index, agent, status, resultHash: hash }: TaskLeg) {
  return { task, index, agent, hash: hexOf(hash), isCompleted: status === LegStatus.Completed };
}

function ofInstruction({ accounts: { task, agent }, data }: Pick<ConfirmTaskLeg, 'accounts' | 'data'>) {
  return {
    task: task.address,
    index: data.index,
    agent: agent.address,
    hash: hexOf(data.resultHash),
    isCompleted: true,
  };
}

/** Reads the leg from the ledger, at the address that its task and number give, and compares. */
export async function checkResult(ledger: ReadableLedger, shown: ShownResult): Promise<Outcome> {
  const program = address(ledger.programId);
  const task = await taskAddress(program, address(shown.posterPubkey), uuidToBytes(shown.taskId));
  const leg = await taskLegAddress(program, task, shown.legIndex);
  const account = await ledger.readAccount(leg);
  if (account?.owner === program && account.data[0] === TASK_LEG_KIND) {
    return compareResult(shown, task, { account: getTaskLegDecoder().decode(account.data), slot: account.slot });
  }
  if (shown.confirmSignature === null) return differs(t('The ledger has no account of this leg.'));
  return compareConfirmation(shown, { task, leg }, await ledger.readTransaction(shown.confirmSignature));
}

/** Once the task is settled its legs' accounts are closed: what confirmed the leg is left. */
function compareConfirmation(
  shown: ShownResult,
  { task, leg }: { task: Address; leg: Address },
  transaction: LedgerTransaction | undefined,
): Outcome {
  // A node need not keep what is old: that it shows nothing is no difference.
  if (transaction === undefined)
    throw new Error(t("the leg's account is closed, and the node does not have its transaction"));
  if (transaction.error !== undefined) return differs(t('The transaction said to confirm this leg failed.'));
  const instruction = transaction.instructions.find(
    ({ relay }) => relay?.name === 'confirmTaskLeg' && relay.accounts.taskLeg.address === leg,
  )?.relay;
  if (instruction?.name !== 'confirmTaskLeg') return differs(t('The named transaction does not confirm this leg.'));
  return compareResult(shown, task, { instruction, slot: transaction.slot });
}

const differs = (difference: string): Outcome => ({ holds: false, difference });

const hexOf = (bytes: ArrayLike<number>): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
