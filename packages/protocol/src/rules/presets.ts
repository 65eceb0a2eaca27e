import { amountOf, type Asset, formatAmount, isInSol, type Lamports, SOL, toLamports } from '../contract/money.js';
import { MAX_CLOCK_SEC, type Terms, type TermsChoice, type TermsPreset } from '../contract/terms.js';
import type { RuleFault } from './fault.js';
import { type Coordinate, estimatedDurationMin, greatCircleKm } from './geo.js';

/** The least stake, in lamports: two empty accounts, as half of a stake has to open a wallet. */
export const MIN_STAKE_LAMPORTS: Lamports = toLamports(1_781_760n);

const HOUR_SEC = 3600;
const MINUTE_SEC = 60;

/** The differences between presets: `stakeFifths` of the budget are the stake, and the usual review is longer. */
const PRESETS: Readonly<Record<Exclude<TermsPreset, 'plain'>, { stakeFifths: bigint; reviews: number }>> = {
  standard: { stakeFifths: 1n, reviews: 1 },
  guarded: { stakeFifths: 2n, reviews: 3 },
};

/** The usual clocks by what is listed, except carry. Digital results are reviewed faster. */
const USUAL = {
  package: { handoffSec: 45 * MINUTE_SEC, reviewSec: 24 * HOUR_SEC, arbitrationSec: 72 * HOUR_SEC },
  task: { handoffSec: 30 * MINUTE_SEC, reviewSec: HOUR_SEC, arbitrationSec: 24 * HOUR_SEC },
} as const;

/** An asset that a listing can be paid in. */
export interface PayableAsset extends Asset {
  /** The least budget and stake, base units. */
  readonly minAmount: Lamports;
}

/** SOL, with the least stake. */
export const SOL_ASSET: PayableAsset = { ...SOL, minAmount: MIN_STAKE_LAMPORTS };

/** The listing that terms are made for. */
export interface TermsContext {
  readonly kind: 'package' | 'task';
  readonly budgetLamports: Lamports;
  /** The asset that the listing is paid in, and the least stake in it. */
  readonly asset: PayableAsset;
  /** {@link packageCarrySec} or {@link taskCarrySec}. */
  readonly carrySec: number;
  /** The arbiter where the choice names none; null: the choice has to name one. */
  readonly arbiterPubkey: string | null;
}

/**
 * The terms that a choice means for a listing; null for `plain`. They may still not suit its parties: {@link checkTerms}. Rule T-50.
 */
export function chosenTerms(
  choice: TermsChoice | undefined,
  { kind, budgetLamports, asset, carrySec, arbiterPubkey }: TermsContext,
): Terms | RuleFault<'invalid_input'> | null {
  if (choice === undefined || choice === 'plain') return null;
  const given = typeof choice === 'string' ? { preset: choice } : choice;
  const { stakeFifths, reviews } = PRESETS[given.preset ?? 'standard'];
  const { handoffSec, reviewSec, arbitrationSec } = USUAL[kind];
  if (given.stakeSol !== undefined && !isInSol(asset)) {
    return invalid('terms.stakeSol', `is in SOL, and the listing pays in ${asset.asset}; give stake in its base units`);
  }
  if (given.stakeSol !== undefined && given.stake !== undefined) {
    return invalid('terms.stake', 'cannot be given with stakeSol: an amount is said once');
  }
  const arbiter = given.arbiterPubkey ?? arbiterPubkey;
  if (arbiter === null)
    return invalid('terms.arbiterPubkey', 'must be given: this service names no arbiter of its own');
  const share = (budgetLamports * stakeFifths) / 5n;
  const usual = share < asset.minAmount ? asset.minAmount : toLamports(share);
  const isOwn = given.stakeSol !== undefined || given.stake !== undefined;
  return {
    receiverPubkey: given.receiverPubkey ?? null,
    arbiterPubkey: arbiter,
    ...stakeOf(isOwn ? amountOf(given.stakeSol, given.stake) : usual, asset),
    carrySec: given.carrySec ?? carrySec,
    handoffSec: given.handoffSec ?? handoffSec,
    reviewSec: given.reviewSec ?? reviews * reviewSec,
    arbitrationSec: given.arbitrationSec ?? arbitrationSec,
    cosignedPickup: given.cosignedPickup ?? false,
  };
}

/** The usual carry of a package: two hours, and twice the way from origin to destination. */
export function packageCarrySec(origin: Coordinate, destination: Coordinate): number {
  const minutes = estimatedDurationMin(greatCircleKm(origin, destination));
  return Math.min(MAX_CLOCK_SEC, 2 * HOUR_SEC + 2 * minutes * MINUTE_SEC);
}

/** The usual carry of a task: the time for a leg, and ten minutes. */
export const taskCarrySec = (claimTimeoutSec: number): number => claimTimeoutSec + 10 * MINUTE_SEC;

/** The parties that terms must not name. */
export interface TermsParties {
  readonly kind: TermsContext['kind'];
  readonly shipperPubkey: string;
  readonly funderPubkey: string;
  readonly coordinatorPubkey: string;
  readonly budgetLamports: Lamports;
  readonly asset: PayableAsset;
}

const ZERO_KEY = '11111111111111111111111111111111';

/** Why the program would refuse the terms; undefined: it takes them. Rule T-3. */
export function checkTerms(terms: Terms, parties: TermsParties): RuleFault<'invalid_input'> | undefined {
  const { receiverPubkey, arbiterPubkey, stake } = terms;
  const { kind, shipperPubkey, funderPubkey, coordinatorPubkey, budgetLamports, asset } = parties;
  const parts = {
    [kind === 'package' ? 'shipper' : 'poster']: shipperPubkey,
    funder: funderPubkey,
    coordinator: coordinatorPubkey,
    receiver: receiverPubkey,
  };
  const [role] = Object.entries(parts).find(([, pubkey]) => pubkey === arbiterPubkey) ?? [];
  if (role !== undefined) return invalid('terms.arbiterPubkey', `is the ${role}; name somebody without a part in it`);
  if (arbiterPubkey === ZERO_KEY) return invalid('terms.arbiterPubkey', 'is nobody; name a key that can rule');
  if (receiverPubkey === coordinatorPubkey) return invalid('terms.receiverPubkey', 'is the coordinator');
  if (receiverPubkey === ZERO_KEY) return invalid('terms.receiverPubkey', 'is nobody; leave it out');
  if (kind === 'task' && terms.cosignedPickup) {
    return invalid('terms.cosignedPickup', 'is for packages: nothing of a task is picked up; leave it out');
  }
  if (stake >= asset.minAmount && stake <= budgetLamports) return undefined;
  return invalid(
    isInSol(asset) ? 'terms.stakeSol' : 'terms.stake',
    `is ${formatAmount(stake, asset)}; a stake is at least ${formatAmount(asset.minAmount, asset)} and at most the budget, ` +
      formatAmount(budgetLamports, asset),
  );
}

/** The stake of terms, in base units and, of SOL, in lamports. */
export const stakeOf = (stake: Lamports, asset: Pick<Asset, 'asset'>): Pick<Terms, 'stake' | 'stakeLamports'> => ({
  stake,
  stakeLamports: isInSol(asset) ? stake : null,
});

function invalid(field: string, message: string): RuleFault<'invalid_input'> {
  return { code: 'invalid_input', field, message };
}
