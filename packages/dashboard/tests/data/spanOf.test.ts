import { expect, test } from 'vitest';
import { spanOf } from '../../src/ui/spanOf.js';

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
