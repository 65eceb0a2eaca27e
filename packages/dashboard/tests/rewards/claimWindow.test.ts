import { expect, test } from 'vitest';
import { windowWords } from '../../src/pages/rewards/claimWindow.js';

const window = { opensAt: new Date('2026-05-11T00:00:00.000Z'), closesAt: new Date('2026-05-17T23:59:59.999Z') };

test('(M-67, S-69) both ends of the window belong to it', () => {
  const stateAt = (now: string) => windowWords(window, new Date(now)).state;
  expect(stateAt('2026-05-10T23:59:59.999Z')).toBe('Claims are not open yet');
  expect(stateAt('2026-05-11T00:00:00.000Z')).toBe('Claims are open');
  expect(stateAt('2026-05-17T23:59:59.999Z')).toBe('Claims are open');
  expect(stateAt('2026-05-18T00:00:00.000Z')).toBe('Claims are closed');
});

test('(S-69) after the window it says when that was, and what a claim showed', () => {
  const { rest } = windowWords(window, new Date('2026-11-22T00:00:00Z'));
  expect(rest).toContain('they were open from 2026-05-11 00:00:00 UTC until 2026-05-17 23:59:59 UTC');
  expect(rest).toContain('You can still see what a key earned and what its claim would have recorded');
});
