import type { LegMove, LegStage } from '@legwork/protocol/contract';
import { type Ruler, stageAfter } from '@legwork/protocol/rules';
import { isNone, type Option } from '@solana/kit';
import { gapBefore } from '../errors.js';
import type { Landing } from './landing.js';
import type { Reputations } from './reputations.js';
import { type ListingFacts, ruleKind } from './listing.js';

/** A leg of a package or a digital task as one courier, or agent, had it. */
export interface LegFacts {
  index: number;
  address: string;
  courier: string;
  paymentLamports: bigint;
  /** The number that its moves name. */
  formation: number;
  /** Of the transaction that gave the leg to this courier. */
  assignSignature: string;
  /** Whether it was another one's before. */
  isReplacement: boolean;
  /** Null: not confirmed. */
  confirmSignature: string | null;
  /** What its courier received. Null: not confirmed. */
  paidLamports: bigint | null;
  /** Null: it has no terms. */
  turn: TurnFacts | null;
}

/** Where a leg with terms stands. */
export interface TurnFacts {
  stage: LegStage;
  /** Unix seconds of its last move, or of the coming of its turn; null: the node does not say. */
  since: bigint | null;
  /** Whether its worker's reputation counts it as accepted. */
  isCounted: boolean;
  /** Who contradicted its claim; null: nobody. */
  disputer: string | null;
  /** What a ruling left of its payment; null: none. */
  percent: number | null;
  /** Lower-case hexadecimal. */
  evidenceHash: string | null;
  reasonHash: string | null;
  /** What its courier lost to the vault by silence. */
  forfeitedLamports: bigint;
  /** When another courier got the leg; undefined: none did, null: the node does not say when. */
  endedAt: bigint | null | undefined;
}

/** Lamports of a stake that went from one account to another. */
export interface Movement {
  what: 'stake' | 'stake_returned' | 'stake_forfeited' | 'arbiter_fee' | 'burnt';
  from: string;
  to: string;
  lamports: bigint;
}

/**
 * What was done to a leg. `assign` and `release`: an agent got a leg of a task, and lost it; `replace`: a leg of a package went to
 * another courier; `reclaim`: its package or task ended.
 */
export interface StepFacts {
  move: LegMove | 'assign' | 'release' | 'replace' | 'reclaim';
  leg: LegFacts;
  signer: string;
  /** Of a ruling. */
  by: Ruler | null;
  percent: number | null;
  /** Of evidence or reason, lower-case hexadecimal. */
  hash: string | null;
  movements: Movement[];
  signature: string;
  /** Unix seconds; null: the node does not say. */
  at: bigint | null;
  /** Of a replacement: the leg as the courier before had it. */
  former: LegFacts | null;
}

/** A leg with terms. */
export type TermsLeg = LegFacts & { turn: TurnFacts };

export function hasTerms(leg: LegFacts): leg is TermsLeg {
  return leg.turn !== null;
}

/** A package or a digital task, the legs of it that somebody has, and a transaction about it. */
export interface Held {
  listing: ListingFacts;
  /** By index. */
  legs: readonly LegFacts[];
  /** What was done to legs, in the order of the ledger. */
  steps: StepFacts[];
  landing: Landing;
  reputations: Reputations;
}

export function completedOf(legs: readonly LegFacts[]): LegFacts[] {
  return legs.filter((leg) => leg.confirmSignature !== null);
}

/** The turn of a courier that has just got the leg. */
export function newTurn({ at }: Landing, { countedLater }: { readonly countedLater: Option<boolean> }): TurnFacts {
  return {
    stage: 'pending',
    since: at,
    isCounted: isNone(countedLater),
    disputer: null,
    percent: null,
    evidenceHash: null,
    reasonHash: null,
    forfeitedLamports: 0n,
    endedAt: undefined,
  };
}

type StepDetails = Partial<Pick<StepFacts, 'by' | 'percent' | 'hash' | 'movements' | 'former'>>;

export function stepOf(
  leg: LegFacts,
  move: StepFacts['move'],
  signer: string,
  { signature, at }: Landing,
  details: StepDetails = {},
): StepFacts {
  const nothing = { by: null, percent: null, hash: null, movements: [], former: null };
  return { move, leg, signer, signature, at, ...nothing, ...details };
}

/** Moves the leg on, which happens as the rules of the program have it. */
export function advance({ listing, landing }: Held, { index, turn }: TermsLeg, move: LegMove): void {
  const stage = stageAfter(ruleKind(listing), turn.stage, move);
  if (stage === undefined) throw gapBefore(landing.signature, `${move} found leg ${index} ${turn.stage}`);
  turn.stage = stage;
  turn.since = landing.at;
}
