import type { TaskFacts, TaskLedgerStatus } from './tasks/taskFacts.js';
import type { PackageFacts, PackageLedgerStatus } from './packages/packageFacts.js';

/** What packages and digital tasks have in common: terms that were signed, and a budget in a vault. */
export interface ListingFacts {
  kind: 'package' | 'digital task';
  address: string;
  vault: string;
  /** The service's id. */
  id: string;
  /** Of a digital task: its poster. */
  shipper: string;
  funder: string;
  budgetLamports: bigint;
  /** Unix seconds. */
  deadline: bigint;
  /** Lower-case hexadecimal. */
  termsHash: string;
  listSignature: string;
  status: PackageLedgerStatus | TaskLedgerStatus;
  /** Of the transaction that made the status what it is. */
  statusSignature: string;
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
  /** By address. */
  tasks: Map<string, TaskFacts>;
  /** By agent, over the legs of packages and of digital tasks. */
  reputations: Map<string, ReputationFacts>;
}

export function noFacts(): LedgerFacts {
  return { initialized: false, packages: new Map(), tasks: new Map(), reputations: new Map() };
}

/** As findings name it. */
export function subjectOf({ kind, id }: Pick<ListingFacts, 'kind' | 'id'>): string {
  return `${kind} ${id}`;
}

/** Whether nothing can change any more but the closing of the account. */
export function isOver(item: ListingFacts): boolean {
  return settleSignatureOf(item) !== null || endSignatureOf(item) !== null;
}

/** Of the transaction that settled it; null: none has. */
export function settleSignatureOf({ status, statusSignature }: ListingFacts): string | null {
  return status === 'delivered' || status === 'completed' ? statusSignature : null;
}

/** Of the transaction that cancelled or reclaimed it; null: none has. */
export function endSignatureOf({ status, statusSignature }: ListingFacts): string | null {
  return status === 'cancelled' || status === 'reclaimed' ? statusSignature : null;
}

/** What its settlement returned to the funder; null: it is not settled. */
export function refundOf(item: ListingFacts): bigint | null {
  return settleSignatureOf(item) === null ? null : item.budgetLamports - item.paidLamports;
}
