import type { DigitalLegDetail, DigitalTaskDetail } from '@legwork/sdk';
import { claimsOfMovements } from '../../checks/movements.js';
import type { Outcome } from '../../checks/outcome.js';
import type { Money } from '../../checks/vault.js';
import { asText, escrowChecks } from '../../data/escrowChecks.js';
import { ledgerRpc, readAccount, readTransaction } from '../../data/ledger.js';
import { service } from '../../data/service.js';
import type { PageCheck } from '../../ui/Checks.js';

/** The id of the check of a leg's result. */
export const resultCheck = (legIndex: number): string => `result ${legIndex}`;

/** Every check of a task's page. */
export function checksOf(task: DigitalTaskDetail, money: Money | undefined): PageCheck[] {
  const { title, description, termsHash, salt, deadline, requirements } = task;
  const instructions = task.legs.map(({ instruction }) => instruction);
  const terms = asText([title, description, termsHash, salt, deadline, instructions, requirements, task.terms]);
  return [
    ...task.legs.flatMap((leg) => resultChecks(task, leg)),
    ...(money === undefined ? [] : moneyChecks(task, money)),
    ...(task.erasedAt || !task.documentKnown
      ? []
      : [
          {
            id: 'terms',
            of: terms,
            make: async () => (await import('../../data/termsOnLedger.js')).taskOnLedger(task),
          },
        ]),
  ];
}

function resultChecks(task: DigitalTaskDetail, leg: DigitalLegDetail): PageCheck[] {
  const { legIndex, result: text, artifacts, agentPubkey, confirmSignature } = leg;
  if (text === null || agentPubkey === null) return [];
  const posterPubkey = task.shipperPubkey;
  const shown = { taskId: task.id, posterPubkey, legIndex, text, artifacts, agentPubkey, confirmSignature };
  const make = async (): Promise<Outcome> => {
    const [{ programId }, { checkResult }] = await Promise.all([ledgerRpc(), import('../../checks/resultHash.js')]);
    return checkResult({ programId, readAccount, readTransaction }, shown);
  };
  return [{ id: resultCheck(legIndex), of: `${agentPubkey} ${confirmSignature} ${text}`, make }];
}

function moneyChecks(task: DigitalTaskDetail, money: Money): PageCheck[] {
  const { id, onChainTask: account, shipperPubkey, deadline, legs } = task;
  const claims = claimsOfMovements(
    { kind: 'task', account, shipperPubkey, deadline, legs, paidIn: task },
    money.movements,
  );
  return escrowChecks(money, claims, () => service.getTaskMoney({ taskId: id }));
}
