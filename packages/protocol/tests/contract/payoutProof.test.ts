import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import { describe, expect, it } from 'vitest';
import { payoutProofText, verifyPayoutProof } from '../../src/contract/payoutProof.js';
import { formatPubkey } from '../../src/contract/pubkey.js';

const payoutSeed = new Uint8Array(32).fill(21);
const mainnetPubkey = formatPubkey(ed25519.getPublicKey(payoutSeed));
const devnetPubkey = formatPubkey(ed25519.getPublicKey(new Uint8Array(32).fill(22)));
const signatureOf = (text: string, seed = payoutSeed) =>
  base58.encode(ed25519.sign(new TextEncoder().encode(text), seed));

describe('the proof of a payout key', () => {
  const text = `svc-reward-v1\n${devnetPubkey}\n${mainnetPubkey}`;
  const proof = { devnetPubkey, mainnetPubkey, signature: signatureOf(text) };

  it('(M-67) is its signature over three lines', () => {
    expect(payoutProofText(devnetPubkey, mainnetPubkey)).toBe(text);
    expect(verifyPayoutProof(proof)).toBe(true);
  });

  it('(M-67) serves neither another claimant nor another payout key', () => {
    expect(verifyPayoutProof({ ...proof, devnetPubkey: mainnetPubkey })).toBe(false);
    expect(verifyPayoutProof({ ...proof, mainnetPubkey: devnetPubkey })).toBe(false);
    expect(verifyPayoutProof({ ...proof, signature: signatureOf(text, new Uint8Array(32).fill(22)) })).toBe(false);
    expect(verifyPayoutProof({ ...proof, signature: signatureOf(`${text}\n`) })).toBe(false);
  });

  it.each(['', '0', 'x'.repeat(100_000), base58.encode(new Uint8Array(63).fill(1))])(
    '(M-67) is refused in another form, without an exception: %.20s',
    (signature) => {
      expect(verifyPayoutProof({ ...proof, signature })).toBe(false);
      expect(verifyPayoutProof({ ...proof, mainnetPubkey: signature })).toBe(false);
    },
  );

  it('(M-67) of a key that is no point is refused', () => {
    const offCurve = new Uint8Array(32);
    offCurve[0] = 2;
    expect(verifyPayoutProof({ ...proof, mainnetPubkey: base58.encode(offCurve) })).toBe(false);
  });

  it('(M-67) cannot be forged for a key of small order', () => {
    const neutral = base58.encode(Uint8Array.from(Buffer.from(`01${'00'.repeat(31)}`, 'hex')));
    const forged = new Uint8Array(64);
    forged[0] = 1;
    const message = new TextEncoder().encode(payoutProofText(devnetPubkey, neutral));
    expect(ed25519.verify(forged, message, base58.decode(neutral))).toBe(true);
    expect(verifyPayoutProof({ devnetPubkey, mainnetPubkey: neutral, signature: base58.encode(forged) })).toBe(false);
  });
});
