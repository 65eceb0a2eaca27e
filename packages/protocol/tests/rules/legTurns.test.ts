import { describe, expect, it } from 'vitest';
import type { LegStage } from '../../src/contract/statuses.js';
import { keyMoves } from '../../src/rules/legMoves.js';
import { type ClockedListing, currentLeg, legClockEnd, legTurn } from '../../src/rules/legTurns.js';

const [SHIPPER, RECEIVER, ARBITER, STRANGER] = ['shipper', 'receiver', 'arbiter', 'stranger'];
const courier = (index: number) => `courier ${index}`;
const HOUR_MS = 3_600_000;
const NOON = Date.UTC(2030, 0, 1, 12);
const at = (hours: number) => new Date(NOON + hours * HOUR_MS);
const legActions = (...of: Parameters<typeof keyMoves>) => keyMoves(...of).actions;

function listed(stages: readonly LegStage[], since: readonly number[] = stages.map(() => 0)): ClockedListing {
  return {
    kind: 'package',
    terms: {
      receiverPubkey: null,
      arbiterPubkey: ARBITER,
      carrySec: 4 * 3600,
      handoffSec: 3600,
      reviewSec: 24 * 3600,
      arbitrationSec: 72 * 3600,
      cosignedPickup: false,
    },
    deadline: at(10),
    shipperPubkey: SHIPPER,
    legs: stages.map((stage, index) => ({ agentPubkey: courier(index), stage, since: at(since[index] ?? 0) })),
  };
}

describe('the clock of a leg', () => {
  it.each<[string, ClockedListing, number, number | null]>([
    ['handoff to accept', listed(['pending']), 0, 1],
    ['handoff to accept a leg further on', listed(['carried', 'pending'], [0, 2]), 1, 3],
    ['carry to pick up', listed(['accepted']), 0, 4],
    ['none while nobody waits for it', listed(['carried', 'accepted']), 1, null],
    ['handoff to take over, from the claim on', listed(['claimed', 'accepted'], [3, 1]), 1, 4],
    ['handoff to take over, from accepting on', listed(['claimed', 'accepted'], [3, 5]), 1, 6],
    ['none two legs after a claim', listed(['claimed', 'accepted', 'accepted']), 2, null],
    ['carry to hand over', listed(['completed', 'carried'], [0, 2]), 1, 6],
    ['review of a claim', listed(['claimed'], [1]), 0, 25],
    ['arbitration of a dispute', listed(['disputed'], [1]), 0, 73],
    ['none of a ruled leg', listed(['ruled']), 0, null],
    ['the deadline for a vacant one', listed(['vacant']), 0, 10],
    ['none of a completed one', listed(['completed', 'carried']), 0, null],
    ['none after the last leg', listed(['completed']), 0, null],
    ['none of a leg that there is not', listed(['pending']), 1, null],
  ])('[T-52] is %s', (_what, listing, index, hours) => {
    expect(legClockEnd(listing, index)).toEqual(hours === null ? null : at(hours));
  });

  it('[T-52] gives a custodian no time beyond the deadline', () => {
    const listing = listed(['carried'], [8]);
    expect(legClockEnd(listing, 0)).toEqual(at(10));
    expect(legTurn(listing, 0, at(9).getTime())).toMatchObject({ actor: 'courier', until: at(10) });
    expect(legTurn(listing, 0, at(10).getTime())).toMatchObject({ actor: 'shipper', until: at(10) });
    expect(legActions(listing, 0, SHIPPER, at(11).getTime())).toEqual(['agree', 'confirm']);
    expect(legActions(listing, 0, SHIPPER, at(12).getTime())).toEqual(['agree', 'confirm', 'crank']);
  });

  it('[T-10] lets nobody forfeit its own stake, by a signature that lands late', () => {
    const end = at(4).getTime();
    const can = (party: string, stage: LegStage, now: number) => legActions(listed([stage]), 0, party, now);
    expect(can(courier(0), 'accepted', end - 1)).toEqual(['take', 'vacate']);
    expect(can(courier(0), 'accepted', end)).toEqual(['take']);
    expect(can(STRANGER, 'accepted', end)).toEqual(['crank']);
    expect(can(courier(0), 'pending', end)).toContain('vacate');
  });

  it('[T-32] lets the next courier take over, and not end a review as if it had the parcel', () => {
    const listing = { ...listed(['claimed', 'accepted']), deadline: at(48) };
    expect(legActions(listing, 0, courier(1), at(30).getTime())).toEqual(['confirm']);
    expect(legActions(listing, 0, STRANGER, at(30).getTime())).toEqual(['crank']);
    expect(legActions(listing, 0, courier(1), at(48).getTime())).toEqual(['crank']);
  });

  it('[T-52] that the next courier is shown while a claim waits is its own, which ends long before the review', () => {
    const listing = listed(['claimed', 'accepted'], [3, 1]);
    expect(keyMoves(listing, 0, courier(1), at(3).getTime()).until).toEqual(at(4));
    expect(keyMoves(listing, 0, courier(0), at(3).getTime()).until).toEqual(at(27));
  });

  it('[T-61] is read to the second', () => {
    const listing = listed(['claimed']);
    const end = at(24).getTime();
    expect(legTurn(listing, 0, end - 1)?.actor).toBe('shipper');
    expect(legTurn(listing, 0, end)?.actor).toBe('anyone');
    expect(legActions(listing, 0, SHIPPER, end - 1)).toEqual(['confirm', 'agree', 'dispute']);
    expect(legActions(listing, 0, SHIPPER, end)).toEqual(['agree', 'confirm', 'crank']);
    expect(legActions(listing, 0, STRANGER, end)).toEqual(['crank']);
  });
});

describe('the turn of a leg', () => {
  it('[T-61] is of the receiver where the terms name one, and then also of the shipper', () => {
    const listing = listed(['claimed']);
    const named = { ...listing, terms: { ...listing.terms, receiverPubkey: RECEIVER } };
    expect(legTurn(named, 0, NOON)?.actor).toBe('receiver');
    expect(legActions(named, 0, RECEIVER, NOON)).toEqual(['confirm', 'dispute']);
    expect(legActions(named, 0, SHIPPER, NOON)).toEqual(['agree', 'confirm', 'dispute']);
    expect(legActions(listing, 0, RECEIVER, NOON)).toEqual([]);
  });

  it('[T-61] says what it costs to do nothing, and there is none of a completed leg', () => {
    const stages: LegStage[] = ['pending', 'accepted', 'carried', 'claimed', 'disputed', 'ruled', 'vacant'];
    const words = stages.map((stage) => legTurn(listed([stage]), 0, NOON)?.silence);
    expect(new Set(words).size).toBe(stages.length);
    expect(legTurn(listed(['completed', 'pending']), 0, NOON)).toBeNull();
    expect(legTurn(listed(['pending']), 1, NOON)).toBeNull();
    expect(legActions(listed(['pending']), 1, SHIPPER, NOON)).toEqual([]);
  });

  it('[T-61] is of the first leg that is not completed', () => {
    expect(currentLeg(listed(['completed', 'pending', 'accepted']))).toBe(1);
    expect(currentLeg(listed(['completed', 'completed']))).toBeUndefined();
  });

  it('[T-61] is expected first of what its courier can do', () => {
    expect(legActions(listed(['pending']), 0, courier(0), NOON)).toEqual(['accept', 'take', 'vacate']);
    expect(legActions(listed(['accepted']), 0, courier(0), NOON)).toEqual(['take', 'vacate']);
    expect(legActions(listed(['carried', 'accepted']), 0, courier(0), NOON)).toEqual(['claim', 'agree']);
    expect(legActions(listed(['carried', 'accepted']), 0, courier(1), NOON)).toEqual(['confirm']);
  });
});

describe('a leg of a task', () => {
  const task = (...stages: LegStage[]): ClockedListing => ({ ...listed(stages), kind: 'task' });

  it('[T-52] has as long as carry from accepting to its claim, also past the deadline', () => {
    const late = { ...listed(['accepted'], [8]), kind: 'task' as const };
    expect(legClockEnd(late, 0)).toEqual(at(12));
    expect(legActions(late, 0, courier(0), at(9).getTime())).toEqual(['claim', 'vacate']);
    // From the deadline on nothing is claimed; the agent leaves, or trails a reclaim.
    expect(legActions(late, 0, courier(0), at(10).getTime())).toEqual(['vacate']);
    expect(legActions(late, 0, STRANGER, at(12).getTime())).toEqual(['crank']);
    expect(legActions(late, 0, courier(0), at(12).getTime())).toEqual([]);
  });

  it('[T-61] is the move of agent and poster, where a parcel is that of courier and shipper', () => {
    const actor = (stage: LegStage, hours = 0) => legTurn(task(stage), 0, at(hours).getTime())?.actor;
    expect(actor('pending')).toBe('agent');
    expect(actor('accepted')).toBe('agent');
    expect(actor('claimed')).toBe('poster');
    expect(actor('claimed', 24)).toBe('anyone');
    expect(actor('vacant')).toBe('coordinator');
    expect(actor('vacant', 10)).toBe('poster');
  });

  it('[T-61] is claimed as it was accepted, and confirmed only once it is claimed', () => {
    expect(legActions(task('pending'), 0, courier(0), NOON)).toEqual(['accept', 'vacate']);
    expect(legActions(task('accepted'), 0, courier(0), NOON)).toEqual(['claim', 'vacate']);
    expect(legActions(task('accepted'), 0, SHIPPER, NOON)).toEqual([]);
    expect(legActions(task('completed', 'claimed'), 1, SHIPPER, NOON)).toEqual(['confirm', 'agree', 'dispute']);
    expect(legActions(task('disputed'), 0, ARBITER, NOON)).toEqual(['rule']);
  });
});
