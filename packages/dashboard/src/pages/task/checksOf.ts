import type { DigitalLegDetail, DigitalTaskDetail } from '@legwork/sdk';
import { claimOf } from '../../checks/movement.js';
import type { Outcome } from '../../checks/outcome.js';
import type { Claim } from '../../checks/transaction.js';
import { checkTaskTerms } from '../../checks/terms.js';
import type { Money } from '../../checks/vault.js';
import { asText, escrowChecks } from '../../data/escrowChecks.js';
import { ledgerRpc, readAccount, readTransaction } from '../../data/ledger.js';
import { service } from '../../data/service.js';
import type { PageCheck } from '../../ui/Checks.js';

/** The id of the check of a leg's result. */
export const resultCheck = (legIndex: number): string => `result ${legIndex}`;

/** Every check of a task's page. */
export function checksOf(task: DigitalTaskDetail, money: Money | undefined): PageCheck[] {
  const { title, description, termsHash, salt, deadline } = task;
  const terms = asText([
    title,
    description,
    termsHash,
    salt,
    deadline,
    task.legs.map(({ instruction }) => instruction),
  ]);
  return [
    ...task.legs.flatMap((leg) => resultChecks(task, leg)),
    ...(money === undefined ? [] : moneyChecks(task, money)),
    ...(task.erasedAt ? [] : [{ id: 'terms', of: terms, make: () => termsOnLedger(task) }]),
  ];
}

function resultChecks(task: DigitalTaskDetail, leg: DigitalLegDetail): PageCheck[] {
  const { legIndex, result: text, agentPubkey, confirmSignature } = leg;
  if (text === null || agentPubkey === null) return [];
  const shown = { taskId: task.id, posterPubkey: task.shipperPubkey, legIndex, text, agentPubkey, confirmSignature };
  const make = async (): Promise<Outcome> => {
    const [{ programId }, { checkResult }] = await Promise.all([ledgerRpc(), import('../../checks/resultHash.js')]);
    return checkResult({ programId, readAccount, readTransaction }, shown);
  };
  return [{ id: resultCheck(legIndex), of: `${agentPubkey} ${confirmSignature} ${text}`, make }];
}

function moneyChecks(task: DigitalTaskDetail, money: Money): PageCheck[] {
  const claims = money.movements.flatMap((movement) => {
    const claim = claimOf('task', money, movement);
    return claim === undefined ? [] : [withTask(task, claim, movement.what)];
  });
  return escrowChecks(money, claims, () => service.getTaskMoney({ taskId: task.id }));
}

/** A refund is compared apart, since what strangers added to the vault goes with it. */
function withTask({ onChainTask }: DigitalTaskDetail, { moved, ...claim }: Claim, what: string): Claim {
  const accounts = { ...claim.accounts, task: onChainTask };
  return what === 'refund' || moved === undefined ? { ...claim, accounts } : { ...claim, accounts, moved };
}

async function termsOnLedger(task: DigitalTaskDetail): Promise<Outcome> {
  const { readTask } = await import('./readTask.js');
  return checkTaskTerms(task, await readTask(task));
}
