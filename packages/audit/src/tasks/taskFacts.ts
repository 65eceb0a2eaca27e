import type { ListingFacts } from '../facts.js';

/** What a digital task is on the ledger. */
export type TaskLedgerStatus = 'listed' | 'in_progress' | 'completed' | 'cancelled' | 'reclaimed';

/** A leg that was given to an agent, also after it was released or its account closed. */
export interface AssignmentFacts {
  index: number;
  address: string;
  agent: string;
  rentPayer: string;
  paymentLamports: bigint;
  assignSignature: string;
  /** Null: not released. */
  releaseSignature: string | null;
  confirmed: ConfirmationFacts | null;
}

export interface ConfirmationFacts {
  signature: string;
  /** Lower-case hexadecimal. */
  resultHash: string;
}

/** What happened to an assignment, in the order of the ledger. */
export interface TaskStep {
  kind: 'assigned' | 'released' | 'confirmed';
  assignment: AssignmentFacts;
  signature: string;
}

export interface TaskFacts extends ListingFacts {
  kind: 'digital task';
  status: TaskLedgerStatus;
  numLegs: number;
  steps: TaskStep[];
}

/** Every assignment there was, the released ones too, in the order of the ledger. */
export function assignmentsOf({ steps }: TaskFacts): AssignmentFacts[] {
  return steps.filter((step) => step.kind === 'assigned').map((step) => step.assignment);
}

/** The legs that have an agent, by index. */
export function heldLegs(task: TaskFacts): AssignmentFacts[] {
  return assignmentsOf(task)
    .filter((assignment) => assignment.releaseSignature === null)
    .toSorted((one, other) => one.index - other.index);
}

export function confirmedLegs(task: TaskFacts): (AssignmentFacts & { confirmed: ConfirmationFacts })[] {
  return heldLegs(task).filter((leg) => isConfirmed(leg));
}

function isConfirmed(leg: AssignmentFacts): leg is AssignmentFacts & { confirmed: ConfirmationFacts } {
  return leg.confirmed !== null;
}
