import { type QueuedLeg, SOL, toLamports } from '@legwork/sdk';
import { describe, expect, test } from 'vitest';
import { earnedADay } from '../../src/pages/agent/earnedADay.js';
import { trustWords } from '../../src/pages/agent/trustWords.js';

const NOW = Date.UTC(2026, 4, 11, 12);
const DAY_MS = 86_400_000;

/** What of a completed leg the days are made of. */
const leg = (daysAgo: number, lamports: bigint) =>
  ({
    kind: 'digital',
    status: 'completed',
    completedAt: new Date(NOW - daysAgo * DAY_MS),
    ...SOL,
    payment: toLamports(lamports),
  }) as QueuedLeg;

describe('what an agent earned a day', () => {
  test('(D-34) is the sum of what that day paid, days without earnings included', () => {
    const legs = [leg(0, 5n), leg(2, 3n), leg(2, 4n)];
    expect(earnedADay(legs, { nowMs: NOW, isWhole: true })).toEqual([
      { day: '2026-05-09', lamports: 7n },
      { day: '2026-05-10', lamports: 0n },
      { day: '2026-05-11', lamports: 5n },
    ]);
  });

  test('(D-34) leaves out a day of which legs may be missing, and goes back 30 days at most', () => {
    const legs = [leg(0, 5n), leg(2, 3n)];
    expect(earnedADay(legs, { nowMs: NOW, isWhole: false }).map(({ day }) => day)).toEqual([
      '2026-05-10',
      '2026-05-11',
    ]);
    expect(earnedADay([leg(90, 1n)], { nowMs: NOW, isWhole: true })).toHaveLength(30);
    expect(earnedADay([], { nowMs: NOW, isWhole: true })).toEqual([]);
  });
});

describe('what an agent counts as', () => {
  const reputation = { legsAccepted: 4, legsCompleted: 3 } as Parameters<typeof trustWords>[0]['reputation'];

  test('(D-34) is said in words: by its history, as a newcomer, and with what was taken off', () => {
    const known = { isNewcomer: false, weightPercent: 75, adjustmentPercent: 0 };
    expect(trustWords({ reputation, trust: known })).toEqual([
      'Completed 3 of 4 accepted legs, and counts as 75 of 100.',
    ]);
    const newcomer = { isNewcomer: true, weightPercent: 50, adjustmentPercent: 0 };
    expect(trustWords({ reputation, trust: newcomer })).toEqual(['Counts as 50 of 100 until its first leg ends.']);
    const lessened = { isNewcomer: false, weightPercent: 65, adjustmentPercent: -10 };
    expect(trustWords({ reputation, trust: lessened })[1]).toContain(
      '10 points less because it presented an expired credential',
    );
  });
});
