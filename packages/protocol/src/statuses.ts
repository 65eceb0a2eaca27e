/** Statuses of a package. `draft` exists before the ledger shows the listing. Rule M-9. */
export const PACKAGE_STATUSES = ['draft', 'listed', 'swarm_forming', 'in_transit', 'delivered', 'failed'] as const;
export type PackageStatus = (typeof PACKAGE_STATUSES)[number];

/** Why a package is `failed`. Rule M-9. */
export const PACKAGE_FAILURE_REASONS = ['cancelled', 'reclaimed'] as const;
export type PackageFailureReason = (typeof PACKAGE_FAILURE_REASONS)[number];

/** Statuses of a swarm. Rule M-9. */
export const SWARM_STATUSES = ['forming', 'active', 'settled', 'failed'] as const;
export type SwarmStatus = (typeof SWARM_STATUSES)[number];

/** Statuses of a leg. A leg of a failed swarm stays `pending`; its swarm's status says that it ended. Rule M-9. */
export const LEG_STATUSES = ['pending', 'completed'] as const;
export type LegStatus = (typeof LEG_STATUSES)[number];

/** The statuses of each machine. */
export interface MachineStatus {
  readonly package: PackageStatus;
  readonly swarm: SwarmStatus;
  readonly leg: LegStatus;
}

/**
 * The events of each machine: facts that the ledger has shown, except `swarm_chosen`, the commit of an evaluation.
 * Rule M-9.
 */
export interface MachineEvent {
  readonly package:
    | 'listing_confirmed'
    | 'swarm_chosen'
    | 'formation_confirmed'
    | 'formation_failed'
    | 'settled'
    | PackageFailureReason;
  readonly swarm: 'formation_confirmed' | 'formation_failed' | 'settled' | PackageFailureReason;
  readonly leg: 'confirmed';
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
    { from: 'swarm_forming', event: 'formation_confirmed', to: 'in_transit' },
    { from: 'swarm_forming', event: 'formation_failed', to: 'listed' },
    // On-chain the package is still listed until the formation lands, so its shipper may win that race.
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
};

/** The status that the event leads to, or undefined when the machine has no such transition. Rule M-9. */
export function nextStatus<M extends MachineName>(
  machine: M,
  from: MachineStatus[M],
  event: MachineEvent[M],
): MachineStatus[M] | undefined {
  return TRANSITIONS[machine].find((row) => row.from === from && row.event === event)?.to;
}

/** Whether the event may happen in this status. Rule M-9. */
export function canTransition<M extends MachineName>(
  machine: M,
  from: MachineStatus[M],
  event: MachineEvent[M],
): boolean {
  return nextStatus(machine, from, event) !== undefined;
}

/** The statuses in which the event may happen: what a guarded UPDATE names in its WHERE. Rule M-9. */
export function statusesBefore<M extends MachineName>(machine: M, event: MachineEvent[M]): MachineStatus[M][] {
  return TRANSITIONS[machine].filter((row) => row.event === event).map((row) => row.from);
}

/** Whether nothing leads out of this status. Rule M-10. */
export function isTerminal<M extends MachineName>(machine: M, status: MachineStatus[M]): boolean {
  return !TRANSITIONS[machine].some((row) => row.from === status);
}
