/** What a package is on the ledger. */
export type LedgerStatus = 'listed' | 'forming' | 'in_transit' | 'delivered' | 'cancelled' | 'reclaimed';

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

export interface PackageFacts {
  address: string;
  vault: string;
  /** The service's id. */
  id: string;
  shipper: string;
  funder: string;
  budgetLamports: bigint;
  /** Unix seconds. */
  deadline: bigint;
  /** Lower-case hexadecimal. */
  termsHash: string;
  listSignature: string;
  status: LedgerStatus;
  /** Of the transaction that made the status what it is. */
  statusSignature: string;
  /** The latest one. */
  formation: FormationFacts | undefined;
  paidLamports: bigint;
  closeSignature: string | null;
  /** Of the transaction that changed it last. */
  latestSignature: string;
}

export interface ReputationFacts {
  address: string;
  accepted: bigint;
  completed: bigint;
  /** Of the transaction that changed it last. */
  signature: string;
}

/** Everything that the program's transactions say. */
export interface LedgerFacts {
  /** Whether the program's first instruction was seen: if not, the history has no beginning. */
  initialized: boolean;
  /** By address. */
  packages: Map<string, PackageFacts>;
  /** By agent. */
  reputations: Map<string, ReputationFacts>;
}

export function noFacts(): LedgerFacts {
  return { initialized: false, packages: new Map(), reputations: new Map() };
}

export function completedLegs(formation: FormationFacts | undefined): LegFacts[] {
  return formation?.legs.filter((leg) => leg.confirmSignature !== null) ?? [];
}

/** Whether nothing can change any more but the closing of the account. */
export function isOver({ status }: PackageFacts): boolean {
  return status === 'delivered' || status === 'cancelled' || status === 'reclaimed';
}

/** Of the transaction that settled it; null: none has. */
export function settleSignatureOf({ status, statusSignature }: PackageFacts): string | null {
  return status === 'delivered' ? statusSignature : null;
}

/** Of the transaction that cancelled or reclaimed it; null: none has. */
export function endSignatureOf({ status, statusSignature }: PackageFacts): string | null {
  return status === 'cancelled' || status === 'reclaimed' ? statusSignature : null;
}
