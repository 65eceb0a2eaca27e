import { toLamports } from '@legwork/protocol/contract';
import { generateKeyPairSigner } from '@solana/kit';
import { anySignature, claimRow, insertClaims, payoutProof } from '../operations/rewards/scene.js';
import type { Party, TestService } from '../support/service.js';

/** Reward claims that requests can be about. */
export interface WorldClaims {
  /** Has not claimed. */
  claimer: Party;
  /** Where its payout goes, with the proof. */
  payout: { mainnetPubkey: string; mainnetSignature: string };
  /** A claim that is to be paid. */
  unpaid: { claimId: string; devnetPubkey: string };
  /** A transaction that may have paid it. */
  signature: string;
}

export async function createClaims(service: TestService): Promise<WorldClaims> {
  const [claimer, wallet] = [await service.party(0), await generateKeyPairSigner()];
  const mainnetSignature = await payoutProof(wallet, claimer.pubkey, wallet.address);
  const row = claimRow({ earnings_lamports: toLamports(1_000_000n) });
  await insertClaims(service.db, [row]);
  return {
    claimer,
    payout: { mainnetPubkey: wallet.address, mainnetSignature },
    unpaid: { claimId: row.id, devnetPubkey: row.devnet_pubkey },
    signature: anySignature(),
  };
}
