import fc from 'fast-check';
import { describe, expect, inject } from 'vitest';
import { CANNOT_SET_TIME } from './harness/backend.js';
import { play } from './harness/conservation.js';
import { test } from './harness/relayTest.js';
import { steps } from './harness/steps.js';

const PLAYS = inject('lane') === 'slow' ? 12 : 4;

describe.skipIf(CANNOT_SET_TIME)('random transactions by random people', () => {
  test('[P-10] conserve lamports, leave vaults that cover what is owed, and leave every funder an exit', async ({
    relay,
  }) => {
    const total = { plays: 0, steps: 0, accepted: 0, exits: 0 };
    const property = fc.asyncProperty(steps, async (chosen) => {
      const played = await play(relay, total.plays, chosen);
      total.plays += 1;
      total.steps += played.steps;
      total.accepted += played.accepted;
      total.exits += played.exits;
    });
    await fc.assert(property, { numRuns: PLAYS });
    process.stdout.write(`${JSON.stringify(total)}\n`);
    expect(total.accepted).toBeGreaterThan(total.steps / 10);
    expect(total.exits).toBeGreaterThan(0);
  });
});
