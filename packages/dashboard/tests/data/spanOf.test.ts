import { expect, test } from 'vitest';
import { lengthOf, spanOf } from '../../src/ui/spanOf.js';

test.each([
  [0, '0 s'],
  [90, '1 min 30 s'],
  [2_700, '45 min'],
  [9_480, '2 h 38 min'],
  [86_400, '1 day'],
  [259_200, '3 days'],
  [90_061, '1 day 1 h 1 min 1 s'],
])('%i seconds are said whole: %s', (seconds, words) => {
  expect(spanOf(seconds)).toBe(words);
});

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];

test.each([
  [0, '0 s'],
  [59.4 * SECOND, '59 s'],
  [59.6 * SECOND, '1 min'],
  [90 * SECOND, '2 min'],
  [HOUR - SECOND, '1 h'],
  [HOUR + 57 * MINUTE, '1 h 57 min'],
  [2 * HOUR - SECOND, '2 h'],
  [10 * HOUR - SECOND, '10 h'],
  [10 * HOUR + 29 * MINUTE, '10 h'],
  [71 * HOUR + 40 * MINUTE, '3 days'],
  [71 * HOUR + 10 * MINUTE, '2 days 23 h'],
  [10 * DAY - MINUTE, '10 days'],
  [45 * DAY + 13 * HOUR, '46 days'],
])('%i ms are told to what says enough, and rounded: %s (D-43)', (ms, words) => {
  expect(lengthOf(ms)).toBe(words);
});
