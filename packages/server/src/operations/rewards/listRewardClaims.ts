import { type operations, toLamports } from '@legwork/protocol/contract';
import { pageOfClaims, type Rank } from '../../db/rewards.js';
import type { RewardClaimRow } from '../../db/schema.js';
import { amountPosition, cutPage, readCursor } from '../cursor.js';
import type { Run } from '../run.js';
import { viewClaim } from './view.js';

export const listRewardClaims: Run<typeof operations.listRewardClaims> = async ({ db }, { limit, cursor }) => {
  const rows = await pageOfClaims(db, { after: readRank(cursor), limit: limit + 1 });
  const { page, nextCursor } = cutPage(rows, limit, rankOf);
  return { answer: page.map(viewClaim), nextCursor };
};

function readRank(cursor: string | undefined): Rank | undefined {
  const position = readCursor(amountPosition, cursor);
  if (position === undefined) return undefined;
  const [earnings, claimedAt, devnetPubkey] = position;
  return {
    earnings_lamports: toLamports(BigInt(earnings)),
    claimed_at: new Date(claimedAt),
    devnet_pubkey: devnetPubkey,
  };
}

function rankOf(row: RewardClaimRow): string[] {
  return [row.earnings_lamports.toString(), row.claimed_at.toISOString(), row.devnet_pubkey];
}
