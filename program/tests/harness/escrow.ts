// The parts that packages and tasks with terms share: a lister, a vault, and legs that pass through the same moves.
import type { Leg, TaskLeg, Turn } from '@legwork/program-client';
import type { Address, KeyPairSigner } from '@solana/kit';
import type { Delivery } from './delivery.js';
import type { Job } from './job.js';

export type Escrow = Delivery | Job;
export type LegWithTurn = Omit<Leg, 'turn'> & { readonly turn: Turn };
export type TaskLegWithTurn = Omit<TaskLeg, 'turn'> & { readonly turn: Turn };

export function isTask(escrow: Escrow): escrow is Job {
  return 'task' in escrow;
}

/** The package or task. */
export function listingOf(escrow: Escrow): Address {
  return isTask(escrow) ? escrow.task : escrow.package;
}

/** Shipper or poster. */
export function listerOf(escrow: Escrow): KeyPairSigner {
  return isTask(escrow) ? escrow.poster : escrow.shipper;
}
