import fc from 'fast-check';
import { expect, test } from 'vitest';
import { play } from '../harness/conservation.js';
import { Relay } from '../harness/relay.js';
import { steps } from '../harness/steps.js';
import { tokenTwins } from '../harness/tokenTwins.js';
import { twins } from '../harness/twinLedger.js';

const STEPS = Number(process.env['RELAY_SOAK_STEPS'] ?? '100000');
const SEED = Number(process.env['RELAY_SOAK_SEED'] ?? Date.now() % 2 ** 31);
const PLAYS_OF_ONE_LEDGER = 200;
/** Every ledger has a twin that pays in tokens. */
const IN_TOKENS = process.env['RELAY_SOAK_IN_TOKENS'] === '1';
const HOURS = 3_600_000;
/** Accept, vacate, claim, dispute, rule. */
const MOVES = [24, 25, 26, 27, 28];

test(
  `[P-10] ${STEPS} random transactions by random people conserve lamports and tokens, whatever strangers send, and leave every funder an exit`,
  async () => {
    const total = { seed: SEED, plays: 0, steps: 0, accepted: 0, exits: 0, gifts: 0, seconds: 0 };
    const instructions = new Map<number, number>();
    const began = performance.now();
    for (let ledger = 0; total.steps < STEPS; ledger += 1) {
      // Of three ledgers one has a twin on which handoffs are said by signed texts, and one a twin that pays in tokens.
      const kind = IN_TOKENS ? 2 : ledger % 3;
      const tokens = kind === 2 ? await tokenTwins() : undefined;
      const { relay } = tokens ?? (kind === 1 ? await twins() : { relay: await Relay.initialised() });
      let run = 0;
      const property = fc.asyncProperty(steps, async (chosen) => {
        if (total.steps >= STEPS) return;
        const played = await play(relay, run, chosen);
        await tokens?.tokens.requireConserved();
        run += 1;
        total.plays += 1;
        total.steps += played.steps;
        total.accepted += played.accepted;
        total.exits += played.exits;
        for (const [number, times] of played.instructions)
          instructions.set(number, (instructions.get(number) ?? 0) + times);
      });
      // A failure prints the seed and the shortest steps that fast-check finds.
      await fc.assert(property, { numRuns: PLAYS_OF_ONE_LEDGER, seed: SEED + ledger });
      total.gifts += tokens?.tokens.gifts ?? 0;
      total.seconds = Math.round((performance.now() - began) / 1_000);
      process.stdout.write(`${JSON.stringify(total)}\n`);
    }
    process.stdout.write(`${JSON.stringify(Object.fromEntries(instructions))}\n`);
    expect([...instructions.keys()]).toEqual(expect.arrayContaining(MOVES));
    expect(total.accepted).toBeGreaterThan(total.steps / 10);
    expect(total.exits).toBeGreaterThan(0);
  },
  12 * HOURS,
);
