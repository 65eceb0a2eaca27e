import { utf8ToBytes } from '@noble/hashes/utils.js';
import { decodeBase58, isSignedBy } from './pubkey.js';

/** First line of the text that a payout key signs; it names the scheme, so that no signature can serve elsewhere. */
const PAYOUT_PROOF_DOMAIN = 'svc-reward-v1';
const MAX_SIGNATURE_TEXT = 88;

/**
 * The text that a payout key signs to prove that someone holds it: three lines joined by line feeds, none at the end. Rule M-67.
 *
 * @param mainnetPubkey base58, or a placeholder when the text is shown before the key is known
 */
export function payoutProofText(devnetPubkey: string, mainnetPubkey: string): string {
  return [PAYOUT_PROOF_DOMAIN, devnetPubkey, mainnetPubkey].join('\n');
}

/**
 * Reports whether the payout key signed the proof for this claimant.
 *
 * @param signature base58
 */
export function verifyPayoutProof(proof: {
  readonly devnetPubkey: string;
  readonly mainnetPubkey: string;
  readonly signature: string;
}): boolean {
  const signature = decodeBase58(proof.signature, MAX_SIGNATURE_TEXT);
  const text = utf8ToBytes(payoutProofText(proof.devnetPubkey, proof.mainnetPubkey));
  return signature !== undefined && isSignedBy(proof.mainnetPubkey, signature, text);
}
