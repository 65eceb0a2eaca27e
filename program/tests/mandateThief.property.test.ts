import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CANNOT_FORGE } from './harness/backend.js';
import { thefts } from './harness/thefts.js';
import { Thief } from './harness/thief.js';

const PLAYS = 4;

test.skipIf(CANNOT_FORGE)(
  "[P-116] [P-121] a thief of the delegate's key takes no more than the cap of each period, and changes nothing",
  async () => {
    const thief = await Thief.create();
    const property = fc.asyncProperty(thefts, (chosen) => thief.play(chosen));
    await fc.assert(property, { numRuns: PLAYS, endOnFailure: true });
    expect(thief.tally.listed).toBeGreaterThan(0);
    expect(thief.tally.stolen <= thief.tally.caps).toBe(true);
  },
);
