/** Statuses of a package. `draft` exists before the ledger shows the listing. */
export const PACKAGE_STATUSES = ['draft', 'listed', 'swarm_forming', 'in_transit', 'delivered', 'failed'] as const;
export type PackageStatus = (typeof PACKAGE_STATUSES)[number];

/** Why a package or a digital task is `failed`. */
export const FAILURE_REASONS = ['cancelled', 'reclaimed'] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];

/** Statuses of a swarm. */
export const SWARM_STATUSES = ['forming', 'active', 'settled', 'failed'] as const;
export type SwarmStatus = (typeof SWARM_STATUSES)[number];

/** Statuses of a leg. A leg of a failed swarm stays `pending`; its swarm's status says that it ended. */
export const LEG_STATUSES = ['pending', 'completed'] as const;
export type LegStatus = (typeof LEG_STATUSES)[number];

/**
 * Where a leg of a listing with terms stands, as its account on the ledger says. Its status is `completed` when its stage is, else
 * `pending`.
 */
export const LEG_STAGES = [
  'pending',
  'accepted',
  'carried',
  'claimed',
  'disputed',
  'ruled',
  'vacant',
  'completed',
] as const;
export type LegStage = (typeof LEG_STAGES)[number];

/**
 * The moves on a leg with terms. `leave`: its courier gives notice in time; `evict`: others vacate
 * it late; `handover`: the leg before it is taken over from; `reject`: a ruling of 0 percent.
 */
export type LegMove =
  | 'accept'
  | 'take'
  | 'handover'
  | 'leave'
  | 'evict'
  | 'claim'
  | 'dispute'
  | 'rule'
  | 'reject'
  | 'confirm';

type Moves = Partial<Record<LegMove, { readonly from: readonly LegStage[]; readonly to: LegStage }>>;

/** Every move there is: from which stages, to which. A leg of a task is claimed as it was accepted: nothing is carried. Rule T-51. */
export const LEG_MOVES: Readonly<Record<'package' | 'task', Moves>> = {
  package: {
    accept: { from: ['pending'], to: 'accepted' },
    take: { from: ['pending', 'accepted'], to: 'carried' },
    handover: { from: ['accepted'], to: 'carried' },
    leave: { from: ['pending', 'accepted'], to: 'vacant' },
    evict: { from: ['pending', 'accepted', 'carried'], to: 'vacant' },
    claim: { from: ['carried'], to: 'claimed' },
    dispute: { from: ['claimed'], to: 'disputed' },
    rule: { from: ['carried', 'claimed', 'disputed'], to: 'ruled' },
    reject: { from: ['carried', 'claimed', 'disputed'], to: 'vacant' },
    confirm: { from: ['accepted', 'carried', 'claimed', 'ruled'], to: 'completed' },
  },
  task: {
    accept: { from: ['pending'], to: 'accepted' },
    leave: { from: ['pending', 'accepted'], to: 'vacant' },
    evict: { from: ['pending', 'accepted'], to: 'vacant' },
    claim: { from: ['accepted'], to: 'claimed' },
    dispute: { from: ['claimed'], to: 'disputed' },
    rule: { from: ['claimed', 'disputed'], to: 'ruled' },
    reject: { from: ['claimed', 'disputed'], to: 'vacant' },
    confirm: { from: ['claimed', 'ruled'], to: 'completed' },
  },
};

/** Statuses of a digital task. `draft` exists before the ledger shows the listing. */
export const TASK_STATUSES = ['draft', 'listed', 'in_progress', 'completed', 'failed'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

/**
 * Statuses of a digital leg. `pending` without an agent is open, with one reserved or about to be assigned; `in_progress` is
 * assigned on-chain.
 */
export const DIGITAL_LEG_STATUSES = ['pending', 'in_progress', 'completed', 'failed'] as const;
export type DigitalLegStatus = (typeof DIGITAL_LEG_STATUSES)[number];

/**
 * Why an agent no longer has a leg: it withdrew its reservation, gave an assigned leg back, let its time run out, its
 * reservation came due too near the deadline, the ledger refused the assignment, or its result was worth nothing by a ruling.
 * Rules M-55 to M-57, M-61, T-96.
 */
export const RELEASE_REASONS = ['withdrawn', 'released', 'timeout', 'lapsed', 'refused', 'rejected'] as const;
export type ReleaseReason = (typeof RELEASE_REASONS)[number];

/**
 * How sure it is what the ledger shows: `confirmed` may, rarely, be taken back; `final` cannot; `reverted` was taken back.
 * Rule S-110.
 */
export const FINALITIES = ['confirmed', 'final', 'reverted'] as const;
export type Finality = (typeof FINALITIES)[number];

/** The statuses of each machine. */
export interface MachineStatus {
  readonly package: PackageStatus;
  readonly swarm: SwarmStatus;
  readonly leg: LegStatus;
  readonly task: TaskStatus;
  readonly digitalLeg: DigitalLegStatus;
}

/**
 * The events of each machine: facts that the ledger has shown, except `swarm_chosen`, the commit of an evaluation.
 */
export interface MachineEvent {
  readonly package:
    | 'listing_confirmed'
    | 'swarm_chosen'
    | 'formation_confirmed'
    | 'formation_failed'
    | 'settled'
    | FailureReason;
  readonly swarm: 'formation_confirmed' | 'formation_failed' | 'settled' | FailureReason;
  readonly leg: 'confirmed';
  readonly task: 'listing_confirmed' | 'leg_assigned' | 'all_released' | 'settled' | FailureReason;
  readonly digitalLeg: 'assigned' | 'released' | 'confirmed' | FailureReason;
}

/** The name of a state machine. */
export type MachineName = keyof MachineStatus;

/** One row of a state machine. */
export interface Transition<M extends MachineName> {
  readonly from: MachineStatus[M];
  readonly event: MachineEvent[M];
  readonly to: MachineStatus[M];
}

/** Every transition there is. Rule M-9. */
export const TRANSITIONS: { readonly [M in MachineName]: readonly Transition<M>[] } = {
  package: [
    { from: 'draft', event: 'listing_confirmed', to: 'listed' },
    { from: 'listed', event: 'swarm_chosen', to: 'swarm_forming' },
    { from: 'listed', event: 'cancelled', to: 'failed' },
    // The key of the coordinator can form a swarm that was not chosen here.
    { from: 'listed', event: 'reclaimed', to: 'failed' },
    { from: 'swarm_forming', event: 'formation_confirmed', to: 'in_transit' },
    { from: 'swarm_forming', event: 'formation_failed', to: 'listed' },
    // On-chain the package is still listed until the formation lands, so its poster may win that race.
    { from: 'swarm_forming', event: 'cancelled', to: 'failed' },
    { from: 'swarm_forming', event: 'reclaimed', to: 'failed' },
    { from: 'in_transit', event: 'reclaimed', to: 'failed' },
    { from: 'in_transit', event: 'settled', to: 'delivered' },
  ],
  swarm: [
    { from: 'forming', event: 'formation_confirmed', to: 'active' },
    { from: 'forming', event: 'formation_failed', to: 'failed' },
    { from: 'forming', event: 'cancelled', to: 'failed' },
    { from: 'forming', event: 'reclaimed', to: 'failed' },
    { from: 'active', event: 'reclaimed', to: 'failed' },
    { from: 'active', event: 'settled', to: 'settled' },
  ],
  leg: [{ from: 'pending', event: 'confirmed', to: 'completed' }],
  task: [
    { from: 'draft', event: 'listing_confirmed', to: 'listed' },
    { from: 'listed', event: 'leg_assigned', to: 'in_progress' },
    { from: 'listed', event: 'cancelled', to: 'failed' },
    // Nothing completed, and no agent assigned any more.
    { from: 'in_progress', event: 'all_released', to: 'listed' },
    { from: 'in_progress', event: 'reclaimed', to: 'failed' },
    { from: 'in_progress', event: 'settled', to: 'completed' },
  ],
  digitalLeg: [
    { from: 'pending', event: 'assigned', to: 'in_progress' },
    { from: 'pending', event: 'cancelled', to: 'failed' },
    { from: 'pending', event: 'reclaimed', to: 'failed' },
    { from: 'in_progress', event: 'released', to: 'pending' },
    { from: 'in_progress', event: 'confirmed', to: 'completed' },
    { from: 'in_progress', event: 'reclaimed', to: 'failed' },
  ],
};

/** The status that the event leads to, or undefined when the machine has no such transition. */
export function nextStatus<M extends MachineName>(
  machine: M,
  from: MachineStatus[M],
  event: MachineEvent[M],
): MachineStatus[M] | undefined {
  return TRANSITIONS[machine].find((row) => row.from === from && row.event === event)?.to;
}

/** Reports whether the event can happen in this status. */
export function canTransition<M extends MachineName>(
  machine: M,
  from: MachineStatus[M],
  event: MachineEvent[M],
): boolean {
  return nextStatus(machine, from, event) !== undefined;
}

/** Reports whether nothing leads out of this status. Rule M-10. */
export function isTerminal<M extends MachineName>(machine: M, status: MachineStatus[M]): boolean {
  return !TRANSITIONS[machine].some((row) => row.from === status);
}
