import type { operations } from '@legwork/protocol/contract';
import { legShare } from '@legwork/protocol/rules';
import { address } from '@solana/kit';
import { clientKey } from '../../api/limits.js';
import { insertTaskDraft } from '../../db/digitalTasks.js';
import { inTransaction } from '../../db/transaction.js';
import { buildListTask } from '../../ledger/taskInstructions.js';
import type { Run } from '../run.js';
import { draftTask } from './draft.js';

export const buildListDigitalTaskTx: Run<typeof operations.buildListDigitalTaskTx> = async (context, input, { ip }) => {
  const { task, legs } = await draftTask(context, input, address(input.shipperPubkey));
  await context.limits.take('drafts', clientKey(ip));
  const unsigned = await buildListTask(context.ledger, task);
  await inTransaction(context.db, (trx) => insertTaskDraft(trx, task, legs));
  return {
    answer: {
      taskId: task.id,
      ...unsigned,
      onChainTask: task.on_chain_task,
      onChainVault: task.on_chain_vault,
      termsHash: task.terms_hash,
      paymentPerLegLamports: legShare(task.max_budget_lamports, task.num_legs),
      legs: legs.map((leg) => ({ id: leg.id, legIndex: leg.leg_index, instruction: leg.instruction })),
    },
  };
};
