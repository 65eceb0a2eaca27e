import type { operations } from '@legwork/protocol/contract';
import { paidDigitalLegs } from '../../db/digitalLegs.js';
import { movesOf } from '../../db/legMoves.js';
import { taskSubject } from '../../db/subjects.js';
import { inTransaction } from '../../db/transaction.js';
import { readEscrow } from '../escrow.js';
import type { Run } from '../run.js';
import { requireTask } from './guards.js';

export const getTaskMoney: Run<typeof operations.getTaskMoney> = async (context, { taskId }) => {
  // Row, payments and finality of one moment: else the sum would not be exact.
  const escrow = await inTransaction(
    context.db,
    async (trx) => {
      const row = await requireTask(trx, taskId);
      const paid = await paidDigitalLegs(trx, taskId);
      const moves = row.terms === null ? [] : await movesOf(trx, { taskId });
      return readEscrow(context, trx, taskSubject(taskId), { row, paid, moves });
    },
    'repeatable read',
  );
  return { answer: { taskId, ...escrow } };
};
