import { type InputOf, type operations, RelayError } from '@legwork/protocol/contract';
import type { Trx } from '../../db/connect.js';
import { lockClaim, markPaid } from '../../db/rewards.js';
import type { RewardClaimRow } from '../../db/schema.js';
import { inTransaction } from '../../db/transaction.js';
import type { Run } from '../run.js';
import { viewClaim } from './view.js';

export const markRewardClaimPaid: Run<typeof operations.markRewardClaimPaid> = async ({ db }, input) => {
  return { answer: viewClaim(await inTransaction(db, (trx) => mark(trx, input))) };
};

async function mark(
  trx: Trx,
  { claimId, signature }: InputOf<typeof operations.markRewardClaimPaid>,
): Promise<RewardClaimRow> {
  const claim = await lockClaim(trx, claimId);
  if (claim === undefined) throw RelayError.field('not_found', 'claimId', 'there is no such claim');
  if (claim.paid_signature === signature) return claim;
  if (claim.paid_signature !== null) {
    throw RelayError.field('already_paid', 'signature', `the claim was paid with ${claim.paid_signature}`);
  }
  if (claim.earnings_lamports === 0n) {
    throw RelayError.field('invalid_status', 'claimId', 'the claim is of 0 lamports, for which nothing is paid');
  }
  return markPaid(trx, claimId, signature);
}
