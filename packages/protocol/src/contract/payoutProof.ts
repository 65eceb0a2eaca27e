import { ed25519 } from '@noble/curves/ed25519.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { decodeBase58, PUBKEY_LENGTH } from './pubkey.js';

/** First line of the text that a payout key signs; it names the scheme, so that no signature can serve elsewhere. */
const PAYOUT_PROOF_DOMAIN = 'svc-reward-v1';
const SIGNATURE_LENGTH = 64;
const MAX_SIGNATURE_TEXT = 88;
const MAX_PUBKEY_TEXT = 44;

/**
 * What a payout key signs to prove that someone holds it: three lines joined by line feeds, none at the end. Rule M-67.
 *
 * @param mainnetPubkey base58, or a placeholder when the text is shown before the key is known
 */
export function payoutProofText(devnetPubkey: string, mainnetPubkey: string): string {
  return [PAYOUT_PROOF_DOMAIN, devnetPubkey, mainnetPubkey].join('\n');
}

/**
 * Whether the payout key signed the proof for this claimant. Strict (RFC 8032), and keys of small order, for which anyone can
 * sign, prove nothing.
 *
 * @param signature base58
 */
export function verifyPayoutProof(proof: {
  readonly devnetPubkey: string;
  readonly mainnetPubkey: string;
  readonly signature: string;
}): boolean {
  const key = decodeBase58(proof.mainnetPubkey, MAX_PUBKEY_TEXT);
  const signature = decodeBase58(proof.signature, MAX_SIGNATURE_TEXT);
  if (key?.length !== PUBKEY_LENGTH || signature?.length !== SIGNATURE_LENGTH) return false;
  const text = utf8ToBytes(payoutProofText(proof.devnetPubkey, proof.mainnetPubkey));
  return ed25519.verify(signature, text, key, { zip215: false });
}
