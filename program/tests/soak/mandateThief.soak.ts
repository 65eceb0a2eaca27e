import fc from 'fast-check';
import { expect, test } from 'vitest';
import { thefts } from '../harness/thefts.js';
import { Thief } from '../harness/thief.js';

const STEPS = Number(process.env['RELAY_SOAK_STEPS'] ?? '100000');
const SEED = Number(process.env['RELAY_SOAK_SEED'] ?? Date.now() % 2 ** 31);
const PLAYS_OF_ONE_LEDGER = 100;
const HOURS = 3_600_000;

test(
  `[P-116] [P-121] in ${STEPS} calls a thief of a delegate's key takes no more than the cap of each period`,
  async () => {
    const total = { seed: SEED, calls: 0, accepted: 0, listed: 0, stolen: 0n, caps: 0n, seconds: 0 };
    const began = performance.now();
    for (let ledger = 0; total.calls < STEPS; ledger += 1) {
      const thief = await Thief.create();
      const property = fc.asyncProperty(thefts, (chosen) => thief.play(chosen));
      await fc.assert(property, { numRuns: PLAYS_OF_ONE_LEDGER, seed: SEED + ledger, endOnFailure: true });
      const { calls, accepted, listed, stolen, caps } = thief.tally;
      total.calls += calls;
      total.accepted += accepted;
      total.listed += listed;
      total.stolen += stolen;
      total.caps += caps;
      total.seconds = Math.round((performance.now() - began) / 1_000);
      process.stdout.write(
        `${JSON.stringify(total, (_, value) => (typeof value === 'bigint' ? `${value}` : value))}\n`,
      );
    }
    expect(total.listed).toBeGreaterThan(total.calls / 100);
    expect(total.stolen <= total.caps).toBe(true);
  },
  12 * HOURS,
);
