import {
  explorerLink,
  type RewardClaim,
  toLamports,
  createUuid,
  type InputOf,
  operations,
  LegworkError,
  verifyPayoutProof,
  type AnswerOf,
  payoutProofText,
} from '@legwork/protocol/contract';
import type { RewardClaimRow } from '../db/schema.js';
import { isWindowOpen, CLAIMS_CSV_HEAD, claimsCsvLines } from '@legwork/protocol/rules';
import type { AppContext } from '../context.js';
import type { Trx } from '../db/connect.js';
import {
  type Earnings,
  findClaimOf,
  insertClaim,
  readEarnings,
  pageOfClaims,
  type Rank,
  lockClaim,
  markPaid,
} from './rewardRows.js';
import { keepCall, type KeptCall, callToKeep } from '../identity/signedCalls.js';
import { inTransaction } from '../db/transaction.js';
import { requireWallet } from '../operations/guards.js';
import type { Caller, In, Out } from '../operations/run.js';
import { amountPosition, cutPage, readCursor } from '../operations/cursor.js';
import { createHash } from 'node:crypto';

/** Payouts are made there, whatever the service's own ledger is. */
const PAYOUT_LEDGER = { cluster: 'mainnet-beta', rpcUrl: '', publicUrl: '' } as const;

function viewClaim(row: RewardClaimRow): RewardClaim {
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

type Input = InputOf<typeof operations.registerRewardClaim>;

/** A payment confirmed at the same time is either in the transaction's snapshot or comes after the claim. */
export async function registerRewardClaim(
  context: AppContext,
  input: In<'registerRewardClaim'>,
  caller: Caller,
): Out<'registerRewardClaim'> {
  requireWallet(context, 'mainnetPubkey', input.mainnetPubkey);
  const mainnetProven = isProven(input);
  const call = callToKeep(caller, operations.registerRewardClaim, input);
  const claim = await inTransaction(
    context.db,
    (trx) => register(context, trx, { ...input, mainnetProven, call }),
    'repeatable read',
  );
  return { answer: viewClaim(claim) };
}

/** Checks that the payout key signed for this claim. @throws LegworkError `invalid_input` when another key did */
function isProven({ devnetPubkey, mainnetPubkey, mainnetSignature: signature }: Input): boolean {
  if (signature === undefined) return false;
  if (verifyPayoutProof({ devnetPubkey, mainnetPubkey, signature })) return true;
  const message = 'is not the signature of mainnetPubkey over the payoutProof of the preview; mend it or leave it out';
  throw LegworkError.field('invalid_input', 'mainnetSignature', message);
}

/** @throws LegworkError `already_claimed` (409) with the claim */
function refuseSecond(claim: RewardClaimRow): never {
  throw new LegworkError(
    'already_claimed',
    `This key claimed at ${claim.claimed_at.toISOString()}; that claim stands.`,
    [],
    { claim: viewClaim(claim) },
  );
}

/** @throws LegworkError `claim_window_closed` (403) */
function requireWindow({ config }: Pick<AppContext, 'config'>, now: Date): void {
  if (isWindowOpen(config.claimWindow, now)) return;
  const { opensAt, closesAt } = config.claimWindow;
  throw new LegworkError(
    'claim_window_closed',
    `Claims are taken from ${opensAt.toISOString()} to ${closesAt.toISOString()}; now it is ${now.toISOString()}.`,
  );
}

/** @throws LegworkError `payment_under_way`, `earnings_changed` (409) */
function requireConfirmed({ isChanging, earnings }: Earnings, confirmed: bigint): void {
  if (isChanging) {
    throw new LegworkError(
      'payment_under_way',
      'A payment to this key is under way or not final yet, which will change the earnings; preview again in half a minute.',
    );
  }
  if (earnings === confirmed) return;
  throw new LegworkError(
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

export async function getMyRewardClaim(
  { db }: AppContext,
  { devnetPubkey }: In<'getMyRewardClaim'>,
): Out<'getMyRewardClaim'> {
  const claim = await findClaimOf(db, devnetPubkey);
  if (claim === undefined) throw LegworkError.field('not_found', 'devnetPubkey', 'no claim is registered for this key');
  return { answer: viewClaim(claim) };
}

export async function listRewardClaims(
  { db }: AppContext,
  { limit, cursor }: In<'listRewardClaims'>,
): Out<'listRewardClaims'> {
  const rows = await pageOfClaims(db, { after: readRank(cursor), limit: limit + 1 });
  const { page, nextCursor } = cutPage(rows, limit, rankOf);
  return { answer: page.map(viewClaim), nextCursor };
}

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

/** Claims written at once; the service answers other requests in between. */
const BATCH = 500;

/** Holds the whole text in memory, about 240 bytes a claim, because its digest goes before it. */
export async function exportRewardClaims({ db }: AppContext): Out<'exportRewardClaims'> {
  return { answer: await inTransaction(db, writeClaims, 'repeatable read') };
}

async function writeClaims(trx: Trx): Promise<AnswerOf<typeof operations.exportRewardClaims>> {
  const parts = [CLAIMS_CSV_HEAD];
  const digest = createHash('sha256').update(CLAIMS_CSV_HEAD);
  let claims = 0;
  let after: Rank | undefined;
  for (;;) {
    const rows = await pageOfClaims(trx, { after, limit: BATCH });
    const lines = claimsCsvLines(rows.map(viewClaim), claims + 1);
    parts.push(lines);
    digest.update(lines);
    claims += rows.length;
    after = rows.at(-1);
    if (rows.length < BATCH) return { csv: parts.join(''), sha256: digest.digest('hex'), claims };
  }
}

export async function markRewardClaimPaid(
  { db }: AppContext,
  input: In<'markRewardClaimPaid'>,
): Out<'markRewardClaimPaid'> {
  return { answer: viewClaim(await inTransaction(db, (trx) => mark(trx, input))) };
}

async function mark(
  trx: Trx,
  { claimId, signature }: InputOf<typeof operations.markRewardClaimPaid>,
): Promise<RewardClaimRow> {
  const claim = await lockClaim(trx, claimId);
  if (claim === undefined) throw LegworkError.field('not_found', 'claimId', 'there is no such claim');
  if (claim.paid_signature === signature) return claim;
  if (claim.paid_signature !== null) {
    throw LegworkError.field('already_paid', 'signature', `the claim was paid with ${claim.paid_signature}`);
  }
  if (claim.earnings_lamports === 0n) {
    throw LegworkError.field('invalid_status', 'claimId', 'the claim is of 0 lamports, for which nothing is paid');
  }
  return markPaid(trx, claimId, signature);
}

export async function previewRewardClaim(
  context: AppContext,
  { devnetPubkey }: In<'previewRewardClaim'>,
): Out<'previewRewardClaim'> {
  const { db, clock, config } = context;
  // Claim and earnings of the same instant.
  const [claim, earned] = await inTransaction(
    db,
    async (trx) => [await findClaimOf(trx, devnetPubkey), await readEarnings(trx, devnetPubkey)] as const,
    'repeatable read',
  );
  return {
    answer: {
      devnetPubkey,
      devnetEarningsLamports: earned.earnings,
      sponsoredLamports: earned.sponsored,
      selfFundedLamports: toLamports(earned.earnings - earned.sponsored),
      legs: earned.legs,
      posters: earned.posters,
      window: { ...config.claimWindow, isOpen: isWindowOpen(config.claimWindow, clock()) },
      claim: claim === undefined ? null : viewClaim(claim),
      payoutProof: payoutProofText(devnetPubkey, '{mainnetPubkey}'),
    },
  };
}
