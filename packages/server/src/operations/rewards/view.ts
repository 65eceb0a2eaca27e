import { explorerLink, type RewardClaim, toLamports } from '@legwork/protocol/contract';
import type { RewardClaimRow } from '../../db/schema.js';

/** Payouts are made there, whatever the service's own ledger is. */
const PAYOUT_LEDGER = { cluster: 'mainnet-beta', rpcUrl: '', publicUrl: '' } as const;

export function viewClaim(row: RewardClaimRow): RewardClaim {
  const { paid_signature: paidSignature } = row;
  return {
    id: row.id,
    devnetPubkey: row.devnet_pubkey,
    mainnetPubkey: row.mainnet_pubkey,
    mainnetProven: row.mainnet_proven,
    devnetEarningsLamports: row.earnings_lamports,
    sponsoredLamports: row.sponsored_lamports,
    selfFundedLamports: toLamports(row.earnings_lamports - row.sponsored_lamports),
    legs: row.legs,
    posters: row.posters,
    lastConfirmSignature: row.last_confirm_signature,
    claimedAt: row.claimed_at,
    paidSignature,
    paidAt: row.paid_at,
    explorer: { paidSignature: paidSignature === null ? null : explorerLink(PAYOUT_LEDGER, 'tx', paidSignature) },
  };
}
