import { type operations, payoutProofText, toLamports } from '@legwork/protocol/contract';
import { isWindowOpen } from '@legwork/protocol/rules';
import { findClaimOf, readEarnings } from '../../db/rewards.js';
import { inTransaction } from '../../db/transaction.js';
import type { Run } from '../run.js';
import { viewClaim } from './view.js';

export const previewRewardClaim: Run<typeof operations.previewRewardClaim> = async (context, { devnetPubkey }) => {
  const { db, clock, config } = context;
  // Claim and earnings of the same instant.
  const [claim, earned] = await inTransaction(
    db,
    async (trx) => [await findClaimOf(trx, devnetPubkey), await readEarnings(trx, devnetPubkey)] as const,
    'repeatable read',
  );
  return {
    answer: {
      devnetPubkey,
      devnetEarningsLamports: earned.earnings,
      sponsoredLamports: earned.sponsored,
      selfFundedLamports: toLamports(earned.earnings - earned.sponsored),
      legs: earned.legs,
      posters: earned.posters,
      window: { ...config.claimWindow, isOpen: isWindowOpen(config.claimWindow, clock()) },
      claim: claim === undefined ? null : viewClaim(claim),
      payoutProof: payoutProofText(devnetPubkey, '{mainnetPubkey}'),
    },
  };
};
