import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { play } from './harness/conservation.js';
import { games } from './harness/replica/attempts.js';
import { Replica } from './harness/replica/replica.js';
import { steps } from './harness/steps.js';
import { tokenTwins } from './harness/tokenTwins.js';

const PLAYS = 4;
const GAMES = 4;

describe('what is listed in a token', () => {
  test('[P-110] goes as what is listed in lamports: random people are accepted and refused alike, and each wallet has the same, whatever strangers send', async () => {
    const { relay, ledger, tokens } = await tokenTwins();
    let run = 0;
    const property = fc.asyncProperty(steps, async (chosen) => {
      await play(relay, run, chosen);
      await tokens.requireConserved();
      run += 1;
    });
    await fc.assert(property, { numRuns: PLAYS, endOnFailure: true });
    expect(ledger.otherwise.accepted).toBeGreaterThan(0);
  });

  test.each([false, true])(
    '[P-110] goes through the games of the model as lamports do (task: %s)',
    async (isOfTask) => {
      const { relay, ledger } = await tokenTwins();
      let number = 0;
      const property = fc.asyncProperty(games(isOfTask), async ([setting, chances]) => {
        const replica = await Replica.create(relay, number, setting);
        number += 1;
        await replica.play(chances);
      });
      await fc.assert(property, { numRuns: GAMES, endOnFailure: true });
      expect(ledger.otherwise.accepted).toBeGreaterThan(0);
    },
  );
});
