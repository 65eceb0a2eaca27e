import { createUuid, type InputOf, operations, RelayError, verifyPayoutProof } from '@legwork/protocol/contract';
import { isWindowOpen } from '@legwork/protocol/rules';
import type { AppContext } from '../../context.js';
import type { Trx } from '../../db/connect.js';
import { type Earnings, findClaimOf, insertClaim, readEarnings } from '../../db/rewards.js';
import type { RewardClaimRow } from '../../db/schema.js';
import { keepCall, type KeptCall } from '../../db/signedCalls.js';
import { inTransaction } from '../../db/transaction.js';
import { requireWallet } from '../guards.js';
import type { Run } from '../run.js';
import { callToKeep } from '../signedCalls.js';
import { viewClaim } from './view.js';

type Input = InputOf<typeof operations.registerRewardClaim>;

/** A payment confirmed at the same time is either in the transaction's snapshot or comes after the claim. */
export const registerRewardClaim: Run<typeof operations.registerRewardClaim> = async (context, input, caller) => {
  requireWallet(context, 'mainnetPubkey', input.mainnetPubkey);
  const mainnetProven = isProven(input);
  const call = callToKeep(caller, operations.registerRewardClaim, input);
  const claim = await inTransaction(
    context.db,
    (trx) => register(context, trx, { ...input, mainnetProven, call }),
    'repeatable read',
  );
  return { answer: viewClaim(claim) };
};

/** Whether the payout key signed for this claim. @throws RelayError `invalid_input` when another key did */
function isProven({ devnetPubkey, mainnetPubkey, mainnetSignature: signature }: Input): boolean {
  if (signature === undefined) return false;
  if (verifyPayoutProof({ devnetPubkey, mainnetPubkey, signature })) return true;
  const message = 'is not the signature of mainnetPubkey over the payoutProof of the preview; mend it or leave it out';
  throw RelayError.field('invalid_input', 'mainnetSignature', message);
}

/** @throws RelayError `already_claimed` (409) with the claim */
function refuseSecond(claim: RewardClaimRow): never {
  throw new RelayError(
    'already_claimed',
    `This key claimed at ${claim.claimed_at.toISOString()}; that claim stands.`,
    [],
    { claim: viewClaim(claim) },
  );
}

/** @throws RelayError `claim_window_closed` (403) */
function requireWindow({ config }: Pick<AppContext, 'config'>, now: Date): void {
  if (isWindowOpen(config.claimWindow, now)) return;
  const { opensAt, closesAt } = config.claimWindow;
  throw new RelayError(
    'claim_window_closed',
    `Claims are taken from ${opensAt.toISOString()} to ${closesAt.toISOString()}; now it is ${now.toISOString()}.`,
  );
}

/** @throws RelayError `payment_under_way`, `earnings_changed` (409) */
function requireConfirmed({ isChanging, earnings }: Earnings, confirmed: bigint): void {
  if (isChanging) {
    throw new RelayError(
      'payment_under_way',
      'A payment to this key is under way or not final yet, which will change the earnings; preview again in half a minute.',
    );
  }
  if (earnings === confirmed) return;
  throw new RelayError(
    'earnings_changed',
    `confirmedEarningsLamports: is ${confirmed}, but the earnings are ${earnings} lamports; confirm that figure`,
    [{ field: 'confirmedEarningsLamports', message: `must be ${earnings}, which is what the earnings are now` }],
    { devnetEarningsLamports: earnings },
  );
}

/** A claim with what proves it. */
type Claiming = Input & { mainnetProven: boolean; call: KeptCall | undefined };

async function register(context: AppContext, trx: Trx, claiming: Claiming): Promise<RewardClaimRow> {
  const { devnetPubkey, mainnetPubkey, confirmedEarningsLamports, call } = claiming;
  const existing = await findClaimOf(trx, devnetPubkey);
  if (existing !== undefined) refuseSecond(existing);
  const now = context.clock();
  requireWindow(context, now);
  const earned = await readEarnings(trx, devnetPubkey);
  requireConfirmed(earned, confirmedEarningsLamports);
  if (call) await keepCall(trx, call);
  return insertClaim(trx, {
    id: createUuid(),
    devnet_pubkey: devnetPubkey,
    mainnet_pubkey: mainnetPubkey,
    mainnet_proven: claiming.mainnetProven,
    mainnet_signature: claiming.mainnetSignature ?? null,
    call_signature: call?.signature ?? null,
    earnings_lamports: earned.earnings,
    sponsored_lamports: earned.sponsored,
    legs: earned.legs,
    posters: earned.posters,
    last_confirm_signature: earned.lastConfirmSignature,
    claimed_at: now,
    paid_signature: null,
    paid_at: null,
  });
}
