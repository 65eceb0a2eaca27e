import { describe, expect, test } from 'vitest';
import type { LegTurnView } from '../../src/contract/operations/turns.js';
import type { LegStage } from '../../src/contract/statuses.js';
import { keyMoves } from '../../src/rules/legMoves.js';
import type { ClockedListing } from '../../src/rules/legTurns.js';
import {
  type ClockedTaskTurn,
  msToJudge,
  msToNotice,
  nextStep,
  nextTaskStep,
  NOTICE_MS,
  type Step,
  turnAtHand,
} from '../../src/rules/nextStep.js';

const NOW = Date.UTC(2030, 0, 1, 12);
const HOUR = 3_600_000;
/** Every leg is estimated to take so many minutes. */
const MINUTES = 30;
const [WORKER, NEXT, LISTER, RECEIVER, ARBITER, STRANGER] = [
  'worker',
  'next',
  'lister',
  'receiver',
  'arbiter',
  'other',
] as const;
const ahead = (ms: number) => new Date(NOW + ms);

/** Each moment says how far the end of the leg's clock and the deadline are. */
const MOMENTS = {
  early: { clockMs: HOUR, deadlineMs: 90 * HOUR },
  notice: { clockMs: NOTICE_MS, deadlineMs: 90 * HOUR },
  over: { clockMs: -1, deadlineMs: 90 * HOUR },
  tooLate: { clockMs: HOUR, deadlineMs: MINUTES * 60_000 - 1 },
  lastMinutes: { clockMs: HOUR, deadlineMs: NOTICE_MS },
  past: { clockMs: HOUR, deadlineMs: -1 },
} as const;
type Moment = keyof typeof MOMENTS;

/** The clock that runs in each stage, seconds. */
const CLOCK_SEC = { pending: 3_600, accepted: 14_400, carried: 14_400, claimed: 86_400, disputed: 259_200 } as const;
const clockOf = (stage: LegStage) => (stage in CLOCK_SEC ? CLOCK_SEC[stage as keyof typeof CLOCK_SEC] : 0) * 1000;

/** A listing whose first leg is in this stage at this moment; the one after it, of a package, is accepted. */
function listingAt(kind: 'package' | 'task', stage: LegStage, moment: Moment): ClockedListing {
  const { clockMs, deadlineMs } = MOMENTS[moment];
  const first = { agentPubkey: WORKER, stage, since: ahead(clockMs - clockOf(stage)) };
  const second = { agentPubkey: NEXT, stage: 'accepted' as const, since: ahead(clockMs - 3_600_000) };
  return {
    kind,
    terms: {
      receiverPubkey: RECEIVER,
      arbiterPubkey: ARBITER,
      carrySec: CLOCK_SEC.carried,
      handoffSec: CLOCK_SEC.pending,
      reviewSec: CLOCK_SEC.claimed,
      arbitrationSec: CLOCK_SEC.disputed,
      cosignedPickup: false,
    },
    deadline: ahead(deadlineMs),
    shipperPubkey: LISTER,
    legs: kind === 'package' ? [first, second] : [first],
  };
}

/** The turn of a key about a leg as the service tells it, made by the rules of clocks and moves. */
function turnOf(listing: ClockedListing, index: number, pubkey: string): LegTurnView {
  const { actions, until } = keyMoves(listing, index, pubkey, NOW);
  const leg = listing.legs[index];
  // Only what the rule reads.
  return {
    kind: listing.kind,
    legId: `leg ${index}`,
    legIndex: index,
    ...leg,
    actions,
    until,
  } as unknown as LegTurnView;
}

function stepOf(listing: ClockedListing, index: number, pubkey: string, neededMin?: number): Step | undefined {
  const turn = turnOf(listing, index, pubkey);
  const { deadline, terms } = listing;
  if (turn.kind === 'task') return nextTaskStep({ turn, task: { deadline }, now: ahead(0) }, pubkey);
  const legs = listing.legs.map((leg, at) => ({
    ...leg,
    id: `leg ${at}`,
    legIndex: at,
    estimatedDurationMin: MINUTES,
  }));
  const parcel = { deadline, terms, swarm: { legs } } as unknown as Parameters<typeof turnAtHand>[1];
  return nextStep(turnAtHand(turn, parcel, pubkey, ahead(0)), pubkey, neededMin);
}

/** A step in a word; `!`: the clock is about to end, and what is answered now decides; `?`: unless it has the parcel. */
function wordOf(step: Step | undefined): string {
  if (step === undefined) return '-';
  if (step.kind === 'move') return `${step.action}${step.unlessHeld ? '?' : ''}`;
  if (step.kind === 'accept') return 'accept';
  const name = step.kind === 'pickUp' ? step.action : step.kind;
  return `${name}${step.isLast ? '!' : ''}`;
}

const STAGES = ['pending', 'accepted', 'carried', 'claimed', 'disputed', 'ruled', 'vacant', 'completed'] as const;

/** A line for each stage, a word for each moment, as far as the stage has something to do. */
function table(kind: 'package' | 'task', pubkey: string, index = 0): string[] {
  const moments = Object.keys(MOMENTS) as Moment[];
  const stages = STAGES.filter((stage) => kind === 'package' || stage !== 'carried');
  return stages.flatMap((stage) => {
    const words = moments.map((moment) => wordOf(stepOf(listingAt(kind, stage, moment), index, pubkey)));
    return words.every((word) => word === '-') ? [] : [[`${stage}:`, ...words].join(' ')];
  });
}

/** Anybody may carry these out, once silence has decided. */
const CRANKS = [
  'pending: - - crank - - -',
  'accepted: - - crank - - -',
  'claimed: - - crank - - -',
  'disputed: - - crank - - -',
  'ruled: crank crank crank crank crank crank',
];

// The moments: early, two minutes before the clock ends, after its end; and with an hour of the clock left: the deadline comes before
// the leg could end, the deadline is near, the deadline has passed.
describe('what a key that follows its turns does next about a leg of a package', () => {
  test('[T-46, T-10] its courier begins what it can end, gives notice in time, and late still does its work', () => {
    expect(table('package', WORKER)).toEqual([
      'pending: accept accept accept vacate vacate vacate',
      'accepted: take take! take vacate vacate vacate',
      'carried: carry carry! carry! carry carry! -',
      'claimed: - - crank - - -',
      'disputed: - - crank - - -',
      'ruled: crank crank crank crank crank crank',
    ]);
  });

  test('[T-32, T-33] the next courier takes over, and ends no review as if it had the parcel', () => {
    expect(table('package', NEXT)).toEqual([
      'pending: - - crank - - -',
      'accepted: - - crank - - -',
      'carried: confirm confirm confirm - - -',
      'claimed: confirm confirm confirm - - -',
      'disputed: - - crank - - -',
      'ruled: crank crank crank crank crank crank',
    ]);
  });

  test('[T-10] who waits for the leg before leaves in time what nobody brings, unless it has the parcel', () => {
    expect(table('package', NEXT, 1)).toEqual([
      'pending: - - - vacate vacate vacate',
      'accepted: - - - vacate vacate vacate',
      'carried: - - - vacate vacate vacate',
      'claimed: - vacate? - vacate vacate vacate',
      'disputed: - - - vacate vacate vacate',
      'ruled: - - - vacate vacate vacate',
      'vacant: - - - vacate vacate vacate',
      'completed: take take take vacate vacate vacate',
    ]);
  });

  test('[T-33] all others carry out what silence has decided, and nobody takes a parcel from its custodian', () => {
    for (const party of [LISTER, RECEIVER, ARBITER, STRANGER]) expect(table('package', party)).toEqual(CRANKS);
  });

  test('[T-33] the loop of a shipper or a receiver never says for it that the parcel has arrived', () => {
    const lastLeg = (stage: LegStage, moment: Moment) => {
      const listing = listingAt('package', stage, moment);
      return { ...listing, legs: listing.legs.slice(0, 1) };
    };
    for (const party of [LISTER, RECEIVER]) {
      const words = (['carried', 'claimed'] as const).map((stage) => wordOf(stepOf(lastLeg(stage, 'early'), 0, party)));
      expect(words).toEqual(['-', '-']);
      expect(wordOf(stepOf(lastLeg('claimed', 'over'), 0, party))).toBe('crank');
    }
  });

  test('[T-8] the first pickup needs the shipper where the terms say so, and no other one does', () => {
    const cosigned = (listing: ClockedListing) => ({ ...listing, terms: { ...listing.terms, cosignedPickup: true } });
    const pickup = { kind: 'pickUp', action: 'take', isLast: false };
    const first = cosigned(listingAt('package', 'accepted', 'early'));
    expect(stepOf(first, 0, WORKER)).toEqual({ ...pickup, isCosigned: true });
    const second = cosigned(listingAt('package', 'completed', 'early'));
    expect(stepOf(second, 1, NEXT)).toEqual({ ...pickup, isCosigned: false });
    const held = cosigned(listingAt('package', 'carried', 'early'));
    expect(stepOf(held, 0, NEXT)).toEqual({ ...pickup, action: 'confirm', isCosigned: false });
  });

  test('[T-46] who needs more than the estimate begins only what leaves it that', () => {
    const minutesLeft = Math.floor(MOMENTS.tooLate.deadlineMs / 60_000);
    for (const stage of ['pending', 'accepted'] as const) {
      const listing = listingAt('package', stage, 'tooLate');
      expect(wordOf(stepOf(listing, 0, WORKER, minutesLeft))).toBe(stage === 'pending' ? 'accept' : 'take');
      expect(wordOf(stepOf(listing, 0, WORKER, minutesLeft + 1))).toBe('vacate');
    }
  });
});

describe('what a key that follows its turns does next about a leg of a task', () => {
  test('[T-46, T-10] its agent accepts, works, leaves without a result two minutes before the end, and late still works', () => {
    expect(table('task', WORKER)).toEqual([
      'pending: accept accept accept accept vacate vacate',
      'accepted: work work! work work work! vacate',
      'claimed: - - crank - - -',
      'disputed: - - crank - - -',
      'ruled: crank crank crank crank crank crank',
    ]);
  });

  test('[T-33] nobody else judges it, or pays for it', () => {
    for (const party of [NEXT, LISTER, RECEIVER, ARBITER, STRANGER]) expect(table('task', party)).toEqual([]);
  });

  test('[T-10] work that was given up is left as long as that costs nothing', () => {
    const left = (moment: Moment) => {
      const listing = listingAt('task', 'accepted', moment);
      const turn = turnOf(listing, 0, WORKER) as ClockedTaskTurn['turn'];
      return wordOf(nextTaskStep({ turn, task: listing, now: ahead(0) }, WORKER, true));
    };
    expect([left('early'), left('over')]).toEqual(['work!', 'work']);
  });
});

describe('when a key that follows its turns looks again', () => {
  const about = (until: Date | null, deadlineMs: number) =>
    msToNotice({
      turn: { until } as ClockedTaskTurn['turn'],
      task: { deadline: ahead(deadlineMs) },
      now: ahead(0),
    });

  test('is when a clock is about to end, and when it does', () => {
    expect(about(ahead(HOUR), 24 * HOUR)).toBe(HOUR - NOTICE_MS);
    expect(about(ahead(NOTICE_MS), 24 * HOUR)).toBe(NOTICE_MS);
    expect(about(null, HOUR)).toBe(HOUR - NOTICE_MS);
    expect(about(ahead(-1), -1)).toBeUndefined();
  });

  test('[A-94] a result is judged by who may dispute it, until two minutes before the review ends', () => {
    const left = (pubkey: string, stage: LegStage, moment: Moment) =>
      msToJudge(turnOf(listingAt('task', stage, moment), 0, pubkey), ahead(0));
    expect(left(RECEIVER, 'claimed', 'early')).toBe(HOUR - NOTICE_MS);
    expect(left(LISTER, 'claimed', 'early')).toBe(HOUR - NOTICE_MS);
    expect(left(RECEIVER, 'claimed', 'notice')).toBeUndefined();
    expect(left(STRANGER, 'claimed', 'early')).toBeUndefined();
    expect(left(RECEIVER, 'accepted', 'early')).toBeUndefined();
    expect(msToJudge(turnOf(listingAt('package', 'claimed', 'early'), 0, RECEIVER), ahead(0))).toBeUndefined();
  });
});
