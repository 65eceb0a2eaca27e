import { z } from 'zod';
import { address, explorerLinks, lamports, link, timestamp, uuid } from '../schemas.js';

/** The earnings from an agent's completed digital legs. Rule M-66. */
export const earnings = {
  devnetEarningsLamports: lamports.meta({ description: 'what completed digital legs paid' }),
  sponsoredLamports: lamports.meta({ description: 'of these, from tasks that the coordinator funded' }),
  selfFundedLamports: lamports.meta({ description: 'of these, from tasks that their posters funded' }),
  legs: z.int().min(0).meta({ description: 'completed legs that were counted' }),
  posters: z.int().min(0).meta({ description: 'distinct posters of their tasks' }),
};

/** A registered claim. Rules M-67, M-68. */
export const rewardClaim = z.strictObject({
  id: uuid,
  devnetPubkey: address,
  mainnetPubkey: address.meta({ description: 'where the payout goes; it is never changed' }),
  mainnetProven: z.boolean().meta({ description: 'the payout key signed for it' }),
  ...earnings,
  lastConfirmSignature: z.string().nullable().meta({ description: 'transaction of the last leg that was counted' }),
  claimedAt: timestamp,
  paidSignature: z.string().nullable().meta({ description: 'of the payout on mainnet' }),
  paidAt: timestamp.nullable(),
  explorer: explorerLinks({ paidSignature: link.nullable() }),
});
export type RewardClaim = z.output<typeof rewardClaim>;
