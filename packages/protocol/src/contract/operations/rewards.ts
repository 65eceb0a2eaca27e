import { hexToBytes } from '@noble/hashes/utils.js';
import { base64 } from '@scure/base';
import { z } from 'zod';
import { earnings, rewardClaim } from '../resources/rewardClaim.js';
import { address, lamports, pageQuery, timestamp, transactionSignature, uuid, walletPubkey } from '../schemas.js';
import { EXAMPLE_KEY, EXAMPLE_SIGNATURE } from './examples.js';
import { operation } from './operation.js';

const window = z.strictObject({ opensAt: timestamp, closesAt: timestamp, isOpen: z.boolean() });

export const previewRewardClaim = operation({
  name: 'previewRewardClaim',
  tag: 'rewards',
  summary: 'See what a reward claim would record',
  description:
    'What the completed digital legs of your key have paid so far: give devnetEarningsLamports as confirmedEarningsLamports to ' +
    'registerRewardClaim. A claim that is registered already is shown instead of a new one.',
  auth: 'signed',
  method: 'POST',
  path: '/reward-claims/preview',
  body: z.strictObject({ devnetPubkey: walletPubkey }),
  example: { devnetPubkey: EXAMPLE_KEY },
  answer: z.strictObject({
    devnetPubkey: address,
    ...earnings,
    window,
    claim: rewardClaim.nullable().meta({ description: 'the claim of this key, if there is one' }),
    payoutProof: z
      .string()
      .meta({ description: 'the payout key may sign this text, with its own address in place of {mainnetPubkey}' }),
  }),
});

export const registerRewardClaim = operation({
  name: 'registerRewardClaim',
  tag: 'rewards',
  summary: 'Register a reward claim',
  description:
    'Once a key, within the claim window: records what its completed digital legs paid and where the payout goes, which cannot ' +
    'be changed afterwards. confirmedEarningsLamports must be what they paid at this moment, else 409 earnings_changed names ' +
    'the new figure. 0 is recorded as 0. The payout is a voluntary gift of the organiser.',
  auth: 'signed',
  method: 'POST',
  path: '/reward-claims',
  refuses: ['claim_window_closed', 'already_claimed', 'earnings_changed', 'payment_under_way'],
  body: z.strictObject({
    devnetPubkey: walletPubkey,
    mainnetPubkey: walletPubkey.meta({ description: 'where the payout goes, on mainnet' }),
    confirmedEarningsLamports: lamports,
    mainnetSignature: transactionSignature.optional().meta({
      description: 'signature of the payout key over payoutProof of the preview, base58: proves that somebody holds it',
    }),
  }),
  example: { devnetPubkey: EXAMPLE_KEY, mainnetPubkey: EXAMPLE_KEY, confirmedEarningsLamports: 50_000_000 },
  answer: rewardClaim,
  status: 201,
});

export const getMyRewardClaim = operation({
  name: 'getMyRewardClaim',
  tag: 'rewards',
  summary: 'Read the reward claim of a key',
  description: '404 not_found: no claim is registered for it.',
  method: 'GET',
  path: '/reward-claims/my',
  query: z.strictObject({ devnetPubkey: address }),
  answer: rewardClaim,
});

export const listRewardClaims = operation({
  name: 'listRewardClaims',
  tag: 'rewards',
  summary: 'List reward claims, highest earnings first',
  description: 'Of equal earnings the earlier claim comes first.',
  method: 'GET',
  path: '/reward-claims',
  query: z.strictObject({ ...pageQuery }),
  answer: z.array(rewardClaim),
  paged: true,
});

export const exportRewardClaims = operation({
  name: 'exportRewardClaims',
  tag: 'rewards',
  summary: 'Export all reward claims as CSV',
  description:
    'For the organiser: every claim in the order of the list, the same bytes whenever nothing changed. ' +
    'With Accept: application/json the CSV comes with its sha256.',
  auth: 'admin',
  method: 'GET',
  path: '/reward-claims/export.csv',
  answer: z.strictObject({ csv: z.string(), sha256: z.string(), claims: z.int().min(0) }),
  formats: [
    {
      type: 'text/csv',
      write: ({ csv }: { csv: string }) => csv,
      headers: ({ sha256 }: { sha256: string }) => ({
        'repr-digest': `sha-256=:${base64.encode(hexToBytes(sha256))}:`,
      }),
    },
  ],
});

export const markRewardClaimPaid = operation({
  name: 'markRewardClaimPaid',
  tag: 'rewards',
  summary: 'Mark a reward claim as paid',
  description: 'Set once, with the signature of the payout on mainnet. Safe to repeat with the same signature.',
  auth: 'admin',
  method: 'POST',
  path: '/reward-claims/:claimId/paid',
  refuses: ['already_paid', 'invalid_status'],
  params: z.strictObject({ claimId: uuid }),
  body: z.strictObject({ signature: transactionSignature }),
  example: { signature: EXAMPLE_SIGNATURE },
  answer: rewardClaim,
});
