import { RelayError } from '@agent-relay/protocol';
import fc from 'fast-check';
import { address, generateKeyPairSigner } from '@solana/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AppContext } from '../../src/context.js';
import { draftPackage } from '../../src/operations/packages/draft.js';
import { packageToFund } from '../../src/operations/packages/postSponsored.js';
import { sponsor } from '../../src/operations/sponsored/sponsor.js';
import { draft } from '../support/market.js';
import { withService } from '../support/service.js';
import { overhead } from './scene.js';

const service = withService();
let context: AppContext;
let posters: string[];
let beside: bigint;
const IPS = ['192.0.2.1', '192.0.2.2', '192.0.2.3'];

beforeAll(async () => {
  context = await service.current.context();
  posters = await Promise.all(Array.from({ length: 3 }, async () => (await generateKeyPairSigner()).address));
  beside = await overhead(service.current);
  // Decisions alone: nothing is carried to the ledger.
  await service.current.stop();
});
afterAll(() => context.db.destroy());

const posting = fc.record({
  poster: fc.nat({ max: 2 }),
  ip: fc.nat({ max: 2 }),
  maxBudgetSol: fc.integer({ min: 1, max: 1100 }).map((thousandths) => thousandths / 1000),
});

async function decide({ poster, ip, maxBudgetSol }: { poster: number; ip: number; maxBudgetSol: number }) {
  const by = { poster: posters[poster] ?? '', ip: IPS[ip] ?? '' };
  const input = { ...draft({ maxBudgetSol }), deadline: undefined, shipperPubkey: by.poster };
  const drafted = await draftPackage(context, input, address(service.current.server.coordinatorPubkey));
  try {
    await sponsor(context, packageToFund(drafted), { pubkey: undefined, ip: by.ip });
    return { ...by, budget: drafted.max_budget_lamports, isTaken: true };
  } catch (error) {
    if (!(error instanceof RelayError) || error.code !== 'sponsorship_cap') throw error;
    return { ...by, budget: drafted.max_budget_lamports, isTaken: false };
  }
}

test('whatever is posted at once, no cap is passed, and nothing is refused that the caps have room for (M-46)', async () => {
  const { task, poster, ip, day } = context.config.sponsorCaps;
  await fc.assert(
    fc.asyncProperty(fc.array(posting, { minLength: 1, maxLength: 24 }), async (postings) => {
      await context.db.deleteFrom('sponsorships').execute();
      await context.db.deleteFrom('outbox').execute();
      const decided = await Promise.all(postings.map(decide));
      const rows = await context.db.selectFrom('sponsorships').selectAll().execute();
      expect(rows).toHaveLength(decided.filter(({ isTaken }) => isTaken).length);
      const sum = (of: (row: (typeof rows)[number]) => boolean) =>
        rows.filter(of).reduce((total, row) => total + row.lamports, 0n);
      for (const row of rows) {
        expect(row.lamports - beside).toBeLessThanOrEqual(task);
        expect(sum((other) => other.poster_pubkey === row.poster_pubkey)).toBeLessThanOrEqual(poster);
        expect(sum((other) => other.ip === row.ip)).toBeLessThanOrEqual(ip);
      }
      expect(sum(() => true)).toBeLessThanOrEqual(day);
      // Sums only grow, so what was refused would pass a cap at the end too.
      for (const refused of decided.filter(({ isTaken }) => !isTaken)) {
        const asked = refused.budget + beside;
        const passes =
          refused.budget > task ||
          sum((row) => row.poster_pubkey === refused.poster) + asked > poster ||
          sum((row) => row.ip === refused.ip) + asked > ip ||
          sum(() => true) + asked > day;
        expect(passes).toBe(true);
      }
    }),
    { numRuns: 25 },
  );
});
