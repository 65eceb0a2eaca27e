// Both kinds of what has terms, for tests of what is the same for both.
import { PackageStatus, TaskStatus, type TermsArgs } from '@legwork/program-client';
import { SOL } from './delivery.js';
import { isTask, type Escrow } from './escrow.js';
import { stagedJob } from './jobStages.js';
import type { Relay } from './relay.js';
import { staged, type Stage } from './stages.js';

/** A leg is held by the courier who carries it, or by the agent who works on it. */
export type HopStage = Exclude<Stage, 'carried'> | 'held';

export interface Kind {
  readonly kind: 'package' | 'task';
  /** One whose first leg, paid half a SOL, is in this status, and whose later legs are pending or nobody's. */
  readonly staged: (relay: Relay, stage: HopStage, setting?: Setting) => Promise<Escrow>;
}

interface Setting {
  readonly number?: number;
  readonly changes?: Partial<TermsArgs>;
}

export const HALF: bigint = SOL / 2n;

export const KINDS: readonly Kind[] = [
  {
    kind: 'package',
    staged: (relay, stage, setting = {}) =>
      staged(relay, stage === 'held' ? 'carried' : stage, { next: false, payments: [HALF, HALF], ...setting }),
  },
  {
    kind: 'task',
    staged: (relay, stage, setting) => stagedJob(relay, stage === 'held' ? 'accepted' : stage, setting),
  },
];

/** Places of the program's accounts in a move: listing, swarm and leg. In the swarm's place of a task no account is right. */
export function placesIn({ kind }: Kind, listing: number): { readonly owned: number[]; readonly nobodys: number[] } {
  const swarm = [listing + 1];
  return kind === 'task'
    ? { owned: [listing, listing + 2], nobodys: swarm }
    : { owned: [listing, ...swarm, listing + 2], nobodys: [] };
}

/** Nothing of the escrow itself has moved: no leg is completed, and nothing is paid. */
export async function isUnpaid(relay: Relay, escrow: Escrow): Promise<boolean> {
  if (isTask(escrow)) {
    const { status, completedLegs, paid } = await relay.tasks.state(escrow);
    return status === TaskStatus.InProgress && completedLegs === 0 && paid === 0n;
  }
  const [{ status, paid }, { completedLegs }] = [await relay.package(escrow), await relay.swarm(escrow)];
  return status === PackageStatus.InTransit && completedLegs === 0 && paid === 0n;
}
