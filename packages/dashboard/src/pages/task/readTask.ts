import { getTaskDecoder, TASK_KIND } from '@legwork/program-client';
import type { DigitalTaskDetail } from '@legwork/sdk';
import type { Listing } from '../../checks/terms.js';
import { ledgerRpc, readAccount, readTransaction } from '../../data/ledger.js';

/** What the ledger holds of a digital task: its account, or once that is closed, the transaction that listed it. */
export async function readTask({ onChainTask, listSignature }: DigitalTaskDetail): Promise<Listing> {
  const { programId } = await ledgerRpc();
  const account = await readAccount(onChainTask);
  if (account?.owner === programId && account.data[0] === TASK_KIND) {
    const { poster, ...held } = getTaskDecoder().decode(account.data);
    return { ...held, shipper: poster };
  }
  const transaction = await readTransaction(listSignature);
  for (const { relay } of transaction?.error === undefined ? (transaction?.instructions ?? []) : []) {
    if (relay?.name !== 'listTask' || relay.accounts.task.address !== onChainTask) continue;
    const { poster, funder } = relay.accounts;
    return { ...relay.data, shipper: poster.address, funder: funder.address };
  }
  throw new Error('the ledger shows neither its account nor the transaction that listed it');
}
