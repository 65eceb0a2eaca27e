import fc from 'fast-check';
import { distance } from 'fastest-levenshtein';
import { expect, test } from 'vitest';
import { type Tool, unknownTool } from '../../src/mcp/tools.js';

test('the distance between two names is how many characters have to be added, taken away or replaced', () => {
  expect(distance('', 'abc')).toBe(3);
  expect(distance('kitten', 'sitting')).toBe(3);
  expect(distance('svc_post_task', 'svc_post_task')).toBe(0);
  const text = fc.string({ maxLength: 12 });
  fc.assert(
    fc.property(text, text, text, (a, b, c) => {
      expect(distance(a, b)).toBe(distance(b, a));
      expect(distance(a, b) === 0).toBe(a === b);
      expect(distance(a, c)).toBeLessThanOrEqual(distance(a, b) + distance(b, c));
    }),
  );
});

test('the nearest names come first, whatever their case, equals by the alphabet', () => {
  const names = ['svc_get_package', 'svc_list_packages', 'svc_leaderboard', 'b', 'a'];
  const known = new Map(names.map((name) => [name, {} as Tool]));
  const nearest = (given: string) => unknownTool(known, given).message.split('the nearest are ')[1];
  expect(nearest('SVC_GET_PACKAGES')).toBe('svc_get_package, svc_list_packages, svc_leaderboard');
  expect(nearest('c')).toBe('a, b, svc_get_package');
});
