import { completedOf, type Held, type LegFacts, type StepFacts } from './legs.js';
import type { ListingFacts } from './listing.js';
import type { Reputations } from './reputations.js';

/** The status of a package on the ledger. */
export type PackageLedgerStatus = 'listed' | 'forming' | 'in_transit' | 'delivered' | 'cancelled' | 'reclaimed';

/** A swarm that was formed, also after its accounts are closed. */
export interface FormationFacts {
  /** Of the first couriers. */
  number: number;
  /** Counts replacements too. */
  latestNumber: number;
  swarm: string;
  formSignature: string;
  totalLegs: number;
  /** What its formation reserved. */
  reservedLamports: bigint;
  /** The payments of the legs as they are now. */
  assignedLamports: bigint;
  /** Those assigned, by index, each as its courier of now has it. */
  legs: LegFacts[];
  /** As former couriers had them, in the order of the ledger. */
  formerLegs: LegFacts[];
  /** What was done to legs, in the order of the ledger. */
  steps: StepFacts[];
}

/** A package as its transactions made it. */
export interface PackageFacts extends ListingFacts {
  kind: 'package';
  status: PackageLedgerStatus;
  /** The latest one. */
  formation: FormationFacts | undefined;
}

/** The packages that were listed, and the couriers' reputations. */
export interface PackagesOnLedger {
  /** By address. */
  packages: Map<string, PackageFacts>;
  reputations: Reputations;
}

/** A package with a swarm, and a transaction about it. */
export interface Formed extends Held {
  listing: PackageFacts;
  formation: FormationFacts;
}

export function completedLegs(formation: FormationFacts | undefined): LegFacts[] {
  return completedOf(formation?.legs ?? []);
}

/** What pays the legs: what its formation reserved, with the stakes that couriers lost by silence. Rule T-12. */
export function poolOf({ reservedLamports, legs, formerLegs }: FormationFacts): bigint {
  return [...formerLegs, ...legs].reduce((sum, { turn }) => sum + (turn?.forfeitedLamports ?? 0n), reservedLamports);
}

/** A leg with every courier it had, in the order of the ledger. */
export function couriersOf({ legs, formerLegs }: FormationFacts, index: number): LegFacts[] {
  return [...formerLegs, ...legs].filter((leg) => leg.index === index);
}

/** What was done to the leg while this courier had it, in the order of the ledger. */
export function stepsOf({ steps }: FormationFacts, leg: LegFacts): StepFacts[] {
  return steps.filter((step) => step.leg === leg);
}

/** The legs as they were formed, by index. */
export function firstLegs(formation: FormationFacts): LegFacts[] {
  return formation.legs.flatMap(({ index }) => couriersOf(formation, index).slice(0, 1));
}

/**
 * A formation that ended with its package before all its legs were assigned. The service forms a swarm whole, so it was begun
 * elsewhere; it carried nothing, and the mirror has no row of it.
 */
export function abandonedFormation({ formation, status }: PackageFacts): FormationFacts | undefined {
  return formation && status === 'reclaimed' && formation.legs.length < formation.totalLegs ? formation : undefined;
}
