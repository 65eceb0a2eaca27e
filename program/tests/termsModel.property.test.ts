import fc from 'fast-check';
import { describe, expect, inject } from 'vitest';
import { CANNOT_SET_TIME } from './harness/backend.js';
import { test } from './harness/relayTest.js';
import { games } from './harness/replica/attempts.js';
import { Replica } from './harness/replica/replica.js';

const GAMES = inject('lane') === 'slow' ? 25 : 8;

describe.skipIf(CANNOT_SET_TIME).each([
  { kind: 'package', isTask: false },
  { kind: 'task', isTask: true },
])('the program does with a $kind what the model says', ({ isTask }) => {
  test('accepts and refuses the same, to the same statuses and lamports, and lets the funder out in time (T-45, T-47)', async ({
    relay,
  }) => {
    let number = 0;
    const made = new Set<string>();
    const property = fc.asyncProperty(games(isTask), async ([setting, chances]) => {
      const replica = await Replica.create(relay, (number += 1), setting);
      const { moves } = await replica.play(chances);
      for (const name of moves.keys()) made.add(name);
    });
    // So few games may all be short ones; more of them are not.
    for (let round = 0; round < 10 && made.size <= 10; round += 1) await fc.assert(property, { numRuns: GAMES });
    expect(made.size).toBeGreaterThan(10);
  });
});
