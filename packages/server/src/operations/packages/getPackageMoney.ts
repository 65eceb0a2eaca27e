import type { operations } from '@legwork/protocol/contract';
import { movesOf } from '../../db/legMoves.js';
import { paidLegs } from '../../db/legs.js';
import { packageSubject } from '../../db/subjects.js';
import { inTransaction } from '../../db/transaction.js';
import { readEscrow } from '../escrow.js';
import type { Run } from '../run.js';
import { requirePackage } from './guards.js';

export const getPackageMoney: Run<typeof operations.getPackageMoney> = async (context, { packageId }) => {
  // Row, payments and finality of one moment: else the sum would not be exact.
  const escrow = await inTransaction(
    context.db,
    async (trx) => {
      const row = await requirePackage(trx, packageId);
      const paid = (await paidLegs(trx, packageId)).filter((leg) => leg.payment_lamports > 0n);
      const moves = row.terms === null ? [] : await movesOf(trx, { packageId });
      return readEscrow(context, trx, packageSubject(packageId), { row, paid, moves });
    },
    'repeatable read',
  );
  return { answer: { packageId, ...escrow } };
};
