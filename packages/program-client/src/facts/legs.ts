import type { LegMove, LegStage } from '@legwork/protocol/contract';
import { type Ruler, stageAfter, STAKES_HELD } from '@legwork/protocol/rules';
import { isNone, type Option } from '@solana/kit';
import {
  type FormationFacts,
  type Listing,
  type ListingFacts,
  type PackageFacts,
  ruleKind,
  type TaskFacts,
} from './listing.js';
import { type Landing, misfit } from './transaction.js';

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
  /** True if another courier had it before. */
  isReplacement: boolean;
  /** Null: not confirmed. */
  confirmSignature: string | null;
  /** The payment that its courier received, or null if it is not confirmed. */
  paidLamports: bigint | null;
  /** Null: it has no terms. */
  turn: TurnFacts | null;
}

/** A leg of a digital task that an agent got, also after its release or the closing of its account. */
export interface AssignmentFacts extends LegFacts {
  rentPayer: string;
  /** Null: not released. */
  releaseSignature: string | null;
  /** Lower-case hexadecimal; null: not confirmed. */
  resultHash: string | null;
}

/** Where a leg with terms stands. */
export interface TurnFacts {
  stage: LegStage;
  /** Unix seconds of its last move, or of the coming of its turn; null: the node does not say. */
  since: bigint | null;
  /** Of that transaction. */
  sinceSignature: string;
  /** True if its worker's reputation counts it as accepted. */
  isCounted: boolean;
  /** The disputer of its claim, or null. */
  disputer: string | null;
  /** The share of its payment that a ruling left, or null without one. */
  percent: number | null;
  /** Lower-case hexadecimal. */
  evidenceHash: string | null;
  reasonHash: string | null;
  /** The stake that its courier lost to the vault by silence. */
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
 * A step in the history of a leg. `assign` and `release`: an agent got a leg of a task, and lost
 * it; `replace`: a leg of a package went to another courier; `reclaim`: its package or task ended.
 */
export interface StepFacts {
  move: LegMove | 'assign' | 'release' | 'replace' | 'reclaim';
  leg: LegFacts;
  signer: string;
  /** Of a ruling. */
  by: Ruler | null;
  percent: number | null;
  /** Of the evidence of a claim, the reason of a dispute or of an arbiter's ruling, lower-case hexadecimal. */
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
  listing: Listing;
  /** By index. */
  legs: readonly LegFacts[];
  landing: Landing;
}

/** A package with a swarm. */
export interface Formed extends Held {
  listing: PackageFacts;
  formation: FormationFacts;
}

export function completedOf(legs: readonly LegFacts[]): LegFacts[] {
  return legs.filter((leg) => leg.confirmSignature !== null);
}

/** The legs of a digital task that have an agent, by index. */
export function heldLegs({ assignments }: TaskFacts): AssignmentFacts[] {
  return assignments
    .filter((assignment) => assignment.releaseSignature === null)
    .toSorted((one, other) => one.index - other.index);
}

/** How often the legs of a digital task were given away, as the ledger counts it: with terms only. Rule T-73. */
export function formationOf({ terms, assignments }: TaskFacts): number {
  return terms === null ? 0 : assignments.length;
}

/** The pool that pays the legs: the amount that its formation reserved, plus the stakes that couriers lost by silence. Rule T-12. */
export function poolOf({ reservedLamports, legs, formerLegs }: FormationFacts): bigint {
  return [...formerLegs, ...legs].reduce((sum, { turn }) => sum + (turn?.forfeitedLamports ?? 0n), reservedLamports);
}

/** A leg with every courier it had, in the order of the ledger. */
export function couriersOf({ legs, formerLegs }: FormationFacts, index: number): LegFacts[] {
  return [...formerLegs, ...legs].filter((leg) => leg.index === index);
}

/** The stakes that the leg holds: in its account, or in tokens with those of the vault. Rule T-18. */
export function stakesHeld({ terms }: ListingFacts, { turn }: LegFacts): bigint {
  return BigInt(turn ? STAKES_HELD[turn.stage] : 0) * (terms?.stake ?? 0n);
}

/** The steps of the leg while this courier had it, in the order of the ledger. */
export function stepsOf({ steps }: ListingFacts, leg: LegFacts): StepFacts[] {
  return steps.filter((step) => step.leg === leg);
}

/** The turn of a courier that has just got the leg. */
export function newTurn(
  { at, signature }: Landing,
  { countedLater }: { readonly countedLater: Option<boolean> },
): TurnFacts {
  return {
    stage: 'pending',
    since: at,
    sinceSignature: signature,
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

/** Notes what was done to the leg. */
export function noteStep(
  { listing, landing: { signature, at } }: Held,
  leg: LegFacts,
  move: StepFacts['move'],
  signer: string,
  details: StepDetails = {},
): void {
  const nothing = { by: null, percent: null, hash: null, movements: [], former: null };
  listing.steps.push({ move, leg, signer, signature, at, ...nothing, ...details });
}

/** Moves the leg on, which happens as the rules of the program have it. */
export function advance({ listing, landing }: Held, { index, turn }: TermsLeg, move: LegMove): void {
  const stage = stageAfter(ruleKind(listing), turn.stage, move);
  if (stage === undefined) misfit(`${move} found leg ${index} ${turn.stage}`);
  turn.stage = stage;
  restart(turn, landing);
}

/** Begins the clock of the leg now. */
export function restart(turn: TurnFacts, { at, signature }: Landing): void {
  turn.since = at;
  turn.sinceSignature = signature;
}

/** Notes that a leg was given to its courier, which counts at once unless the assignment says later. */
export function countGiven({ listing, landing }: Held, { courier, turn }: LegFacts, reputation: string): void {
  const accepted = turn?.isCounted === false ? 0n : 1n;
  listing.counts.push({ agent: courier, reputation, accepted, completed: 0n, signature: landing.signature });
}

/** Notes that a leg with terms counts as accepted from now on, if it does not yet. Rule T-100. */
export function countAccepted({ listing, landing }: Held, { courier: agent, turn }: TermsLeg): void {
  if (turn.isCounted) return;
  turn.isCounted = true;
  listing.counts.push({ agent, reputation: null, accepted: 1n, completed: 0n, signature: landing.signature });
}

/** Notes that the courier completed a leg that it had accepted. */
export function countCompleted({ listing, landing }: Held, { courier: agent }: LegFacts): void {
  listing.counts.push({ agent, reputation: null, accepted: 0n, completed: 1n, signature: landing.signature });
}
