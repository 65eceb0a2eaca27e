import {
  getTaskDecoder,
  getTaskLegDecoder,
  type Task,
  TASK_KIND,
  TASK_LEG_KIND,
  TaskStatus,
} from '@legwork/program-client';
import {
  type AssignmentFacts,
  completedOf,
  formationOf,
  heldLegs,
  isOver,
  type TaskFacts,
  type TaskLedgerStatus,
} from '@legwork/program-client/facts';
import { address } from '@solana/kit';
import { type Findings, subjectOf, type Value } from '../findings.js';
import { compareListingAccount, type LedgerAccount, type LedgerAccounts, type SameOnLedger } from './ledgerAccounts.js';
import { compareTurn } from './turn.js';

const STATUS: Record<TaskLedgerStatus, string | undefined> = {
  listed: TaskStatus[TaskStatus.Listed],
  in_progress: TaskStatus[TaskStatus.InProgress],
  completed: TaskStatus[TaskStatus.Completed],
  cancelled: TaskStatus[TaskStatus.Cancelled],
  reclaimed: TaskStatus[TaskStatus.Reclaimed],
};

/** The agent of a leg that has none: all zero. */
const NOBODY = address('11111111111111111111111111111111');
/** The result hash of a leg without a result, which with terms has it from its claim on. */
const NO_RESULT = '00'.repeat(32);

/** The legs that have an agent, from the account's bits. */
function assigned({ numLegs, assignedLegs }: Task): Value {
  const indexes = Array.from({ length: numLegs }, (_, index) => index);
  return listed(indexes.filter((index) => (assignedLegs & (1 << index)) !== 0));
}

function listed(indexes: readonly number[]): Value {
  return indexes.length === 0 ? null : indexes.join(', ');
}

/** Compares the accounts of a digital task and of its legs with what its transactions made of them. */
export function compareTaskAccounts(accounts: LedgerAccounts, task: TaskFacts, findings: Findings): void {
  const subject = subjectOf(task);
  const account = accounts.takeListing(task, TASK_KIND, { subject, what: 'task account' });
  if (account === undefined) return;
  const same: SameOnLedger = (what, account, replayed) =>
    findings.sameOnLedger(subject, what, account, replayed, task.latestSignature);
  const data = getTaskDecoder().decode(account.bytes);
  const held = heldLegs(task);
  same('status', TaskStatus[data.status] ?? null, STATUS[task.status] ?? null);
  same('shipper', data.poster, task.poster);
  compareListingAccount(data, task, accounts.assetOf(task), same);
  same('number of legs', data.numLegs, task.numLegs);
  same('formation', data.formation, formationOf(task));
  same('legs with an agent', assigned(data), listed(held.map(({ index }) => index)));
  data.agents.forEach((agent, index) => {
    const holder = held.find((leg) => leg.index === index)?.courier ?? NOBODY;
    same(`leg ${index}'s agent`, agent, holder);
  });
  same('number of completed legs', data.completedLegs, completedOf(held).length);
  if (isOver(task)) return;
  for (const leg of held) {
    const found = accounts.take(leg.address, TASK_LEG_KIND, { subject, what: 'leg account' });
    if (found) compareLeg(found, leg, task, (what, ...values) => same(`leg ${leg.index}'s ${what}`, ...values));
  }
}

function compareLeg(found: LedgerAccount, leg: AssignmentFacts, task: TaskFacts, same: SameOnLedger): void {
  const data = getTaskLegDecoder().decode(found.bytes);
  same('agent in its account', data.agent, leg.courier);
  same('payment', data.paymentLamports, leg.paymentLamports);
  same('rent payer', data.rentPayer, leg.rentPayer);
  const resultHash = leg.resultHash ?? leg.turn?.evidenceHash ?? NO_RESULT;
  same('result hash', Buffer.from(data.resultHash).toString('hex'), resultHash);
  compareTurn({ ...found, ...data }, leg, task, same);
}
