import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Relay } from '../harness/relay.js';
import { games } from '../harness/replica/attempts.js';
import { Replica } from '../harness/replica/replica.js';
import { tokenTwins } from '../harness/tokenTwins.js';
import { twins } from '../harness/twinLedger.js';

const STEPS = Number(process.env['RELAY_SOAK_STEPS'] ?? '100000');
const SEED = Number(process.env['RELAY_SOAK_SEED'] ?? Date.now() % 2 ** 31);
const GAMES_OF_ONE_LEDGER = 100;
const HOURS = 3_600_000;

test(
  `[T-45, T-47] the program accepts and refuses what the model does, for ${STEPS} transactions`,
  async () => {
    const total = { seed: SEED, games: 0, transactions: 0, accepted: 0, seconds: 0 };
    const made = new Map<string, number>();
    const began = performance.now();
    for (let ledger = 0; total.transactions < STEPS; ledger += 1) {
      // Of six ledgers two have a twin on which handoffs are said by signed texts, and two a twin that pays in tokens.
      const twin = [undefined, twins, tokenTwins][Math.floor(ledger / 2) % 3];
      const { relay } = (await twin?.()) ?? { relay: await Relay.initialised() };
      let number = 0;
      // Packages and tasks in turns.
      const property = fc.asyncProperty(games(ledger % 2 === 1), async ([setting, chances]) => {
        if (total.transactions >= STEPS) return;
        const replica = await Replica.create(relay, number, setting);
        number += 1;
        const { attempts, accepted, moves } = await replica.play(chances);
        total.games += 1;
        total.transactions += attempts;
        total.accepted += accepted;
        for (const [name, times] of moves) made.set(name, (made.get(name) ?? 0) + times);
      });
      // A failure prints the seed and the shortest game that fast-check finds.
      await fc.assert(property, { numRuns: GAMES_OF_ONE_LEDGER, seed: SEED + ledger });
      total.seconds = Math.round((performance.now() - began) / 1_000);
      process.stdout.write(`${JSON.stringify(total)}\n`);
    }
    process.stdout.write(`${JSON.stringify(Object.fromEntries(made))}\n`);
    expect(made.size).toBe(20);
    expect(total.accepted).toBeGreaterThan(total.transactions / 10);
  },
  12 * HOURS,
);
