import { type operations, RelayError } from '@legwork/protocol/contract';
import { findClaimOf } from '../../db/rewards.js';
import type { Run } from '../run.js';
import { viewClaim } from './view.js';

export const getMyRewardClaim: Run<typeof operations.getMyRewardClaim> = async ({ db }, { devnetPubkey }) => {
  const claim = await findClaimOf(db, devnetPubkey);
  if (claim === undefined) throw RelayError.field('not_found', 'devnetPubkey', 'no claim is registered for this key');
  return { answer: viewClaim(claim) };
};
