import fc from 'fast-check';
import { expect, test } from 'vitest';
import { editDistance, nearestNames } from '../../src/mcp/nearestNames.js';

test('the distance between two names is how many characters have to be added, taken away or replaced', () => {
  expect(editDistance('', 'abc')).toBe(3);
  expect(editDistance('kitten', 'sitting')).toBe(3);
  expect(editDistance('svc_post_task', 'svc_post_task')).toBe(0);
  const text = fc.string({ maxLength: 12 });
  fc.assert(
    fc.property(text, text, text, (a, b, c) => {
      expect(editDistance(a, b)).toBe(editDistance(b, a));
      expect(editDistance(a, b) === 0).toBe(a === b);
      expect(editDistance(a, c)).toBeLessThanOrEqual(editDistance(a, b) + editDistance(b, c));
    }),
  );
});

test('the nearest names come first, whatever their case, equals by the alphabet', () => {
  const known = ['svc_get_package', 'svc_list_packages', 'svc_leaderboard', 'b', 'a'];
  expect(nearestNames('SVC_GET_PACKAGES', known, 2)).toEqual(['svc_get_package', 'svc_list_packages']);
  expect(nearestNames('c', known, 2)).toEqual(['a', 'b']);
});
