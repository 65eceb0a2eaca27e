import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  canTransition,
  DIGITAL_LEG_STATUSES,
  isTerminal,
  LEG_STATUSES,
  type MachineEvent,
  type MachineName,
  type MachineStatus,
  nextStatus,
  PACKAGE_STATUSES,
  SWARM_STATUSES,
  TASK_STATUSES,
  TRANSITIONS,
} from '../../src/contract/statuses.js';

function eventsOf<M extends MachineName>(machine: M): MachineEvent[M][] {
  return [...new Set(TRANSITIONS[machine].map((row) => row.event))];
}

function describeMachine<M extends MachineName>(
  machine: M,
  statuses: readonly MachineStatus[M][],
  terminal: readonly MachineStatus[M][],
): void {
  describe(`a ${machine}`, () => {
    it('[M-10] never leaves a terminal status', () => {
      for (const status of statuses) {
        expect(isTerminal(machine, status)).toBe(terminal.includes(status));
      }
      for (const status of terminal) {
        for (const event of eventsOf(machine)) {
          expect(canTransition(machine, status, event)).toBe(false);
        }
      }
    });

    it('[M-9] has at most one outcome for a status and an event', () => {
      const keys = TRANSITIONS[machine].map((row) => `${row.from} ${row.event}`);
      expect(new Set(keys).size).toBe(keys.length);
    });

    it('[M-9] comes to one status by an event, whichever it comes from', () => {
      for (const event of eventsOf(machine)) {
        const ends = statuses.map((status) => nextStatus(machine, status, event)).filter((end) => end !== undefined);
        expect(new Set(ends).size).toBe(1);
      }
    });

    it('[M-10] ends in a terminal status or waits in one that has a way out, whatever happens', () => {
      const first = statuses[0];
      fc.assert(
        fc.property(fc.array(fc.constantFrom(...eventsOf(machine)), { maxLength: 30 }), (events) => {
          let status = first;
          let ended = false;
          for (const event of events) {
            const next: MachineStatus[M] | undefined =
              status === undefined ? undefined : nextStatus(machine, status, event);
            expect(ended && next !== undefined).toBe(false);
            status = next ?? status;
            ended = status !== undefined && isTerminal(machine, status);
          }
        }),
      );
    });
  });
}

describeMachine('package', PACKAGE_STATUSES, ['delivered', 'failed']);
describeMachine('swarm', SWARM_STATUSES, ['settled', 'failed']);
describeMachine('leg', LEG_STATUSES, ['completed']);
describeMachine('task', TASK_STATUSES, ['completed', 'failed']);
describeMachine('digitalLeg', DIGITAL_LEG_STATUSES, ['completed', 'failed']);

/** Where the events lead, one after the other; undefined: one of them cannot happen then. */
function walk<M extends MachineName>(
  machine: M,
  from: MachineStatus[M],
  events: readonly MachineEvent[M][],
): MachineStatus[M] | undefined {
  return events.reduce<MachineStatus[M] | undefined>(
    (status, event) => status && nextStatus(machine, status, event),
    from,
  );
}

describe('the life of a package', () => {
  it.each([
    [['listing_confirmed', 'swarm_chosen', 'formation_confirmed', 'settled'], 'delivered'],
    [['listing_confirmed', 'swarm_chosen', 'formation_failed'], 'listed'],
    [['listing_confirmed', 'cancelled'], 'failed'],
    [['listing_confirmed', 'swarm_chosen', 'formation_confirmed', 'reclaimed'], 'failed'],
    [['swarm_chosen'], undefined],
    [['listing_confirmed', 'settled'], undefined],
    [['listing_confirmed', 'reclaimed'], 'failed'],
    [['reclaimed'], undefined],
    [['listing_confirmed', 'swarm_chosen', 'formation_confirmed', 'cancelled'], undefined],
  ] as const)('[M-9] %s leads to %s', (events, status) => {
    expect(walk('package', 'draft', events)).toBe(status);
  });
});

describe('the life of a digital task', () => {
  it.each([
    [['listing_confirmed', 'leg_assigned', 'settled'], 'completed'],
    [['listing_confirmed', 'leg_assigned', 'all_released'], 'listed'],
    [['listing_confirmed', 'leg_assigned', 'all_released', 'cancelled'], 'failed'],
    [['listing_confirmed', 'leg_assigned', 'all_released', 'leg_assigned', 'reclaimed'], 'failed'],
    [['leg_assigned'], undefined],
    [['listing_confirmed', 'leg_assigned', 'cancelled'], undefined],
    [['listing_confirmed', 'reclaimed'], undefined],
    [['listing_confirmed', 'settled'], undefined],
    [['listing_confirmed', 'leg_assigned', 'leg_assigned'], undefined],
  ] as const)('[M-9] %s leads to %s', (events, status) => {
    expect(walk('task', 'draft', events)).toBe(status);
  });

  it.each([
    [['assigned', 'confirmed'], 'completed'],
    [['assigned', 'released', 'assigned', 'confirmed'], 'completed'],
    [['assigned', 'released', 'cancelled'], 'failed'],
    [['assigned', 'reclaimed'], 'failed'],
    [['reclaimed'], 'failed'],
    [['confirmed'], undefined],
    [['released'], undefined],
    [['assigned', 'cancelled'], undefined],
  ] as const)('[M-9] %s leads a leg of it to %s', (events, status) => {
    expect(walk('digitalLeg', 'pending', events)).toBe(status);
  });
});
