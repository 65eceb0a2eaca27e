import { type Lamports, toLamports } from '../contract/money.js';
import { LEG_MOVES, type LegMove, type LegStage } from '../contract/statuses.js';

/** How many stakes the account of a leg holds above its rent. Rule T-18. */
export const STAKES_HELD: Readonly<Record<LegStage, 0 | 1 | 2>> = {
  pending: 0,
  accepted: 1,
  carried: 1,
  claimed: 1,
  disputed: 2,
  ruled: 0,
  vacant: 0,
  completed: 0,
};

/** The source of a leg's ruling. `silence`: nobody ruled in time. */
export const RULERS = ['arbiter', 'silence', 'agreement'] as const;
export type Ruler = (typeof RULERS)[number];

/** The share of a leg's payment that remains when nobody rules in time, percent. Rule T-21. */
export const PERCENT_BY_SILENCE = 50;

/** Where a burnt fee goes. */
export const INCINERATOR_ADDRESS = '1nc1nerator11111111111111111111111111111111';

/** The stage that a move leads to; undefined when it cannot be made there. Rule T-51. */
export function stageAfter(kind: 'package' | 'task', stage: LegStage, move: LegMove): LegStage | undefined {
  const found = LEG_MOVES[kind][move];
  return found?.from.includes(stage) ? found.to : undefined;
}

/** The payment of a leg: all, or what a ruling left of it, rounded down. Rule T-36. */
export function ruledPayment(paymentLamports: Lamports, percent: number | null): Lamports {
  return percent === null ? paymentLamports : toLamports((paymentLamports * BigInt(percent)) / 100n);
}

/** How the stakes of a ruled leg are divided, in lamports. */
export interface StakeShares {
  readonly worker: Lamports;
  readonly disputer: Lamports;
  readonly fee: Lamports;
}

/** How a ruling divides the two stakes of a disputed leg. Rule T-22. */
export function stakeShares(stakeLamports: Lamports, by: Ruler, percent: number): StakeShares {
  if (by === 'agreement') return { worker: stakeLamports, disputer: stakeLamports, fee: toLamports(0n) };
  const fee = toLamports(stakeLamports / 2n);
  if (by === 'silence') return { worker: stakeLamports, disputer: toLamports(stakeLamports - fee), fee };
  const divided = 2n * stakeLamports - fee;
  const worker = toLamports((divided * BigInt(percent)) / 100n);
  return { worker, disputer: toLamports(divided - worker), fee };
}
