import type { ListingFacts } from '../facts.js';

/** What a package is on the ledger. */
export type PackageLedgerStatus = 'listed' | 'forming' | 'in_transit' | 'delivered' | 'cancelled' | 'reclaimed';

export interface LegFacts {
  address: string;
  courier: string;
  paymentLamports: bigint;
  /** Null: not confirmed. */
  confirmSignature: string | null;
}

/** A swarm that was formed, also after its accounts are closed. */
export interface FormationFacts {
  number: number;
  swarm: string;
  formSignature: string;
  totalLegs: number;
  totalLamports: bigint;
  /** Those assigned, by index. */
  legs: LegFacts[];
}

export interface PackageFacts extends ListingFacts {
  kind: 'package';
  status: PackageLedgerStatus;
  /** The latest one. */
  formation: FormationFacts | undefined;
}

export function completedLegs(formation: FormationFacts | undefined): LegFacts[] {
  return formation?.legs.filter((leg) => leg.confirmSignature !== null) ?? [];
}

/**
 * A formation that was begun and ended with its package before all its legs were assigned. The service forms a swarm whole, so
 * it was begun elsewhere; it carried nothing, and the mirror has no row of it.
 */
export function abandonedFormation({ formation, status }: PackageFacts): FormationFacts | undefined {
  return formation && status === 'reclaimed' && formation.legs.length < formation.totalLegs ? formation : undefined;
}
