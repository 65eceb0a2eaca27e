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
