import { type Lamports, formatSol, parseSol, toLamports } from '../contract/money.js';
import { MAX_CLOCK_SEC, type Terms, type TermsChoice, type TermsPreset } from '../contract/terms.js';
import type { RuleFault } from './fault.js';
import { type Coordinate, estimatedDurationMin, greatCircleKm } from './geo.js';

/** The least stake, in lamports: two empty accounts, as half of a stake has to open a wallet. */
export const MIN_STAKE_LAMPORTS: Lamports = toLamports(1_781_760n);

const HOUR_SEC = 3600;
const MINUTE_SEC = 60;

/** What presets differ in: `stakeFifths` of the budget are the stake, and the usual review is longer. */
const PRESETS: Readonly<Record<Exclude<TermsPreset, 'plain'>, { stakeFifths: bigint; reviews: number }>> = {
  standard: { stakeFifths: 1n, reviews: 1 },
  guarded: { stakeFifths: 2n, reviews: 3 },
};

/** The clocks that are usual for what is listed, but for carry. What is digital is looked at faster. */
const USUAL = {
  package: { handoffSec: 45 * MINUTE_SEC, reviewSec: 24 * HOUR_SEC, arbitrationSec: 72 * HOUR_SEC },
  task: { handoffSec: 30 * MINUTE_SEC, reviewSec: HOUR_SEC, arbitrationSec: 24 * HOUR_SEC },
} as const;

/** What terms are made for. */
export interface TermsContext {
  readonly kind: 'package' | 'task';
  readonly budgetLamports: Lamports;
  /** {@link packageCarrySec} or {@link taskCarrySec}. */
  readonly carrySec: number;
  /** Who rules where the choice names nobody; null: it has to name somebody. */
  readonly arbiterPubkey: string | null;
}

/**
 * The terms that a choice means for a listing; null for `plain`. They may still not suit its parties: {@link checkTerms}. Rule T-50.
 */
export function chosenTerms(
  choice: TermsChoice | undefined,
  { kind, budgetLamports, carrySec, arbiterPubkey }: TermsContext,
): Terms | RuleFault<'invalid_input'> | null {
  if (choice === undefined || choice === 'plain') return null;
  const given = typeof choice === 'string' ? { preset: choice } : choice;
  const { stakeFifths, reviews } = PRESETS[given.preset ?? 'standard'];
  const { handoffSec, reviewSec, arbitrationSec } = USUAL[kind];
  const arbiter = given.arbiterPubkey ?? arbiterPubkey;
  if (arbiter === null)
    return invalid('terms.arbiterPubkey', 'must be given: this service names no arbiter of its own');
  const share = (budgetLamports * stakeFifths) / 5n;
  const usual = share < MIN_STAKE_LAMPORTS ? MIN_STAKE_LAMPORTS : toLamports(share);
  return {
    receiverPubkey: given.receiverPubkey ?? null,
    arbiterPubkey: arbiter,
    stakeLamports: given.stakeSol === undefined ? usual : parseSol(given.stakeSol),
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

/** Whom terms must not name. */
export interface TermsParties {
  readonly kind: TermsContext['kind'];
  readonly shipperPubkey: string;
  readonly funderPubkey: string;
  readonly coordinatorPubkey: string;
  readonly budgetLamports: Lamports;
}

const ZERO_KEY = '11111111111111111111111111111111';

/** Why the program would refuse the terms; undefined: it takes them. Rule T-3. */
export function checkTerms(terms: Terms, parties: TermsParties): RuleFault<'invalid_input'> | undefined {
  const { receiverPubkey, arbiterPubkey, stakeLamports } = terms;
  const { kind, shipperPubkey, funderPubkey, coordinatorPubkey, budgetLamports } = parties;
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
  if (stakeLamports >= MIN_STAKE_LAMPORTS && stakeLamports <= budgetLamports) return undefined;
  return invalid(
    'terms.stakeSol',
    `is ${formatSol(stakeLamports)} SOL; a stake is at least ${formatSol(MIN_STAKE_LAMPORTS)} SOL and at most the budget, ` +
      `${formatSol(budgetLamports)} SOL`,
  );
}

function invalid(field: string, message: string): RuleFault<'invalid_input'> {
  return { code: 'invalid_input', field, message };
}
