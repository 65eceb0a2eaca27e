import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Requirements } from '../../src/contract/terms.js';
import {
  isLapse,
  lapseWaitEnd,
  missedRequirement,
  type Qualified,
  requiredBy,
  waitingLegsAllowed,
  whyItWaits,
  whyNothingPrivate,
} from '../../src/rules/requirements.js';

const agent: Qualified = {
  agentPubkey: 'ada',
  reliabilityScore: 80,
  legsCompleted: 12,
  capabilities: ['cargo bike', 'cooled'],
  legsWaiting: 0,
  lapses: [],
  uncarried: [],
};

describe('what an agent misses of what is required', () => {
  it.each<[string, Requirements | null]>([
    ['where nothing is required', null],
    ['with just the score', { minScore: 80 }],
    ['with just as many legs', { minCompleted: 12 }],
    ['with all that it can do', { capabilities: ['cooled', 'cargo bike'] }],
    ['where others are refused', { blocked: ['ben', 'cem'] }],
    ['with everything', { minScore: 1, minCompleted: 1, capabilities: ['cooled'], blocked: ['ben'] }],
  ])('[T-53] is nothing %s', (_when, required) => {
    expect(missedRequirement(required, agent)).toBeUndefined();
  });

  it.each<[string, Requirements]>([
    ['its reliability score is 80; at least 81 is required', { minScore: 81 }],
    ['it has completed 12 legs; at least 13 are required', { minCompleted: 13 }],
    ['its registration does not name "Cooled", which is required', { capabilities: ['cargo bike', 'Cooled'] }],
    ['who listed it takes no bids of this agent', { minScore: 100, blocked: ['ben', 'ada'] }],
  ])('[T-53] is said in words: %s', (words, required) => {
    expect(missedRequirement(required, agent)).toBe(words);
  });
});

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe('how many legs wait for an agent', () => {
  it.each<[number, number, number]>([
    [0, 20, 3],
    [1, 20, 4],
    [16, 20, 19],
    [1_000, 20, 20],
    [0, 2, 2],
    [0, 0, Infinity],
  ])('[T-110] after %i completed legs and with a limit of %i: at most %d', (completed, most, allowed) => {
    expect(waitingLegsAllowed(completed, most)).toBe(allowed);
  });

  it('[T-110] is refused in words that say how many they are, and what helps', () => {
    const waiting = { legsWaiting: 3, legsCompleted: 0, lapses: [] };
    expect(whyItWaits(waiting, 20, 0)).toBe(
      '3 legs with terms wait for it, of at most 3; accept one or leave it in time (GET /turns names them), or give a reservation back',
    );
    expect(whyItWaits({ ...waiting, legsWaiting: 2 }, 20, 0)).toBeUndefined();
  });
});

describe('letting the time to accept pass', () => {
  const at = (hour: number) => new Date(hour * HOUR_MS);

  it('[T-111] twice within a day makes wait until a day after the first of them', () => {
    expect(lapseWaitEnd([at(5)], 6 * HOUR_MS)).toBeUndefined();
    expect(lapseWaitEnd([at(5), at(1)], 6 * HOUR_MS)).toEqual(at(25));
    expect(lapseWaitEnd([at(5), at(1)], at(25).getTime() - 1)).toEqual(at(25));
    expect(lapseWaitEnd([at(5), at(1)], at(25).getTime())).toBeUndefined();
    const waiting = { legsWaiting: 0, legsCompleted: 50, lapses: [at(5), at(1)] };
    expect(whyItWaits(waiting, 20, 6 * HOUR_MS)).toContain('1970-01-02T01:00:00.000Z');
    const more = { ...waiting, lapses: [at(1), at(30), at(31)] };
    expect(whyItWaits(more, 20, 32 * HOUR_MS)).toContain('pass 2 times within a day');
  });

  it('[T-111] is also to leave from half of it on', () => {
    const since = at(0);
    expect(isLapse(since, new Date(899_999), 1_800)).toBe(false);
    expect(isLapse(since, new Date(900_000), 1_800)).toBe(true);
  });

  it('[T-110] [T-111] a key that never accepts holds at most three legs at once, and has four lapses in any day', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 30 * HOUR_MS }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(gaps, fc.integer({ min: 1, max: 3 * HOUR_MS }), (pauses, heldMs) => {
        const ends: number[] = [];
        let nowMs = 0;
        for (const pause of pauses) {
          nowMs += pause;
          const lapses = ends.filter((end) => end <= nowMs && end > nowMs - DAY_MS).map((end) => new Date(end));
          const legsWaiting = ends.filter((end) => end > nowMs).length;
          expect(legsWaiting).toBeLessThanOrEqual(3);
          if (whyItWaits({ legsWaiting, legsCompleted: 0, lapses }, 20, nowMs) === undefined) ends.push(nowMs + heldMs);
        }
        for (const first of ends) {
          expect(ends.filter((end) => end >= first && end < first + DAY_MS).length).toBeLessThanOrEqual(4);
        }
      }),
    );
  });
});

describe('what a package with private parts requires', () => {
  it.each<[Requirements | null, boolean, Requirements | null]>([
    [null, false, null],
    [{ minScore: 80 }, false, { minScore: 80 }],
    [null, true, { minCompleted: 3 }],
    [{ minScore: 80 }, true, { minScore: 80, minCompleted: 3 }],
    [{ minCompleted: 0 }, true, { minCompleted: 0 }],
    [{ minCompleted: 9 }, true, { minCompleted: 9 }],
  ])('[S-150] is of %o, with private parts %s: %o', (given, hasPrivateParts, required) => {
    expect(requiredBy(given, hasPrivateParts)).toEqual(required);
  });
});

describe('reading private parts without carrying', () => {
  const day = (days: number) => new Date(days * DAY_MS);

  it('[S-151] of three packages within 30 days ends it, until the first of the last three is 30 days old', () => {
    expect(whyNothingPrivate([day(1), day(2)], 3 * DAY_MS)).toBeUndefined();
    const three = [day(2), day(1), day(9)];
    expect(whyNothingPrivate(three, 10 * DAY_MS)).toContain(day(31).toISOString());
    expect(whyNothingPrivate(three, 31 * DAY_MS)).toBeUndefined();
    expect(whyNothingPrivate([...three, day(8)], 10 * DAY_MS)).toContain(day(32).toISOString());
  });

  it('[S-151] who never carries reads three packages in any 30 days, whenever it tries', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 20 * DAY_MS }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(gaps, (pauses) => {
        const read: Date[] = [];
        let nowMs = 0;
        for (const pause of pauses) {
          nowMs += pause;
          if (whyNothingPrivate(read, nowMs) === undefined) read.push(new Date(nowMs));
        }
        for (const first of read) {
          const within = read.filter((at) => at >= first && at.getTime() < first.getTime() + 30 * DAY_MS);
          expect(within.length).toBeLessThanOrEqual(3);
        }
      }),
    );
  });
});
