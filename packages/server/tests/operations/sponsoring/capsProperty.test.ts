import { createUuid, LegworkError, toLamports } from '@legwork/protocol/contract';
import { address, generateKeyPairSigner } from '@solana/kit';
import fc from 'fast-check';
import type { Selectable } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import type { SponsorshipsTable } from '../../../src/db/schema.js';
import { draftPackage } from '../../../src/packages/post.js';
import { packageToFund } from '../../../src/packages/post.js';
import { sponsor } from '../../../src/money/sponsoring.js';
import { draft } from '../../support/market.js';
import { withService } from '../../support/service.js';
import { overhead } from './scene.js';

const service = withService();
let context: AppContext;
let posters: string[];
let beside: bigint;
const sol = (amount: bigint) => toLamports(amount * 1_000_000_000n);
const DAY_MS = 86_401_000;
const IPS = ['192.0.2.1', '192.0.2.2', '192.0.2.3'];

beforeAll(async () => {
  const made = await service.current.context();
  // Near enough to each other for each to be reached first.
  const near = { ip: sol(5n), day: sol(8n), outstanding: sol(9n) };
  context = { ...made, config: { ...made.config, sponsorCaps: { ...made.config.sponsorCaps, ...near } } };
  posters = await Promise.all(Array.from({ length: 3 }, async () => (await generateKeyPairSigner()).address));
  beside = await overhead(service.current);
  // Decisions alone: nothing is carried to the ledger.
  await service.current.stop();
});
afterAll(() => context.db.destroy());

const posting = fc.record({
  poster: fc.nat({ max: 2 }),
  ip: fc.nat({ max: 2 }),
  signed: fc.boolean(),
  maxBudgetSol: fc.integer({ min: 1, max: 1100 }).map((thousandths) => thousandths / 1000),
});
/** Earlier advances: of the last 24 hours or longer ago, back or not. */
const earlier = fc.record({
  poster: fc.nat({ max: 2 }),
  ip: fc.nat({ max: 2 }),
  signed: fc.boolean(),
  isReturned: fc.boolean(),
  isOfDay: fc.boolean(),
  lamports: fc.integer({ min: 1, max: 700_000_000 }).map((lamports) => toLamports(BigInt(lamports))),
});
type Earlier = typeof earlier extends fc.Arbitrary<infer Row> ? Row : never;

async function advanceEarlier(rows: readonly Earlier[]): Promise<void> {
  await context.db.deleteFrom('sponsorships').execute();
  await context.db.deleteFrom('outbox').execute();
  for (const { poster, ip, signed, isReturned, isOfDay, lamports } of rows) {
    await context.db
      .insertInto('sponsorships')
      .values({
        subject_id: createUuid(),
        poster_pubkey: posters[poster] ?? '',
        signed,
        ip: IPS[ip] ?? '',
        lamports,
        is_returned: isReturned,
        created_at: new Date(Date.now() - (isOfDay ? 0 : DAY_MS)),
      })
      .execute();
  }
}

async function decide({ poster, ip, signed, maxBudgetSol }: typeof posting extends fc.Arbitrary<infer P> ? P : never) {
  const by = { poster: posters[poster] ?? '', ip: IPS[ip] ?? '', signed };
  const input = { ...draft({ maxBudgetSol }), deadline: undefined, terms: undefined, shipperPubkey: by.poster };
  const drafted = await draftPackage(context, input, address(service.current.server.coordinatorPubkey));
  try {
    await sponsor(context, packageToFund(drafted), { pubkey: signed ? by.poster : undefined, ip: by.ip });
    return { ...by, budget: drafted.max_budget_lamports, isTaken: true };
  } catch (error) {
    if (!(error instanceof LegworkError) || error.code !== 'sponsorship_cap') throw error;
    return { ...by, budget: drafted.max_budget_lamports, isTaken: false };
  }
}

type Row = Selectable<SponsorshipsTable>;

/** The caps that the posting would pass, or did, by what is counted in the end. */
function capsPassed(rows: readonly Row[], by: Awaited<ReturnType<typeof decide>>): string[] {
  const { task, poster, ip, day, outstanding } = context.config.sponsorCaps;
  const isOfDay = (row: Row) => row.created_at.getTime() > Date.now() - DAY_MS / 2;
  const counts = (row: Row) => isOfDay(row) || !row.is_returned;
  const sum = (of: (row: Row) => boolean) => rows.filter(of).reduce((total, row) => total + row.lamports, 0n);
  const isOwn = (row: Row) => row.poster_pubkey === by.poster && row.signed === by.signed;
  const caps: [name: string, cap: bigint, used: bigint][] = [
    ['poster', poster, sum((row) => counts(row) && isOwn(row))],
    ['ip', ip, sum((row) => counts(row) && row.ip === by.ip)],
    ['day', day, sum(isOfDay)],
    ['outstanding', outstanding, sum((row) => !row.is_returned)],
  ];
  const asked = by.isTaken ? 0n : by.budget + beside;
  const passed = caps.filter(([, cap, used]) => used + asked > cap).map(([name]) => name);
  return by.budget > task ? ['task', ...passed] : passed;
}

test('whatever is posted at once, no cap is passed, and nothing is refused that the caps have room for (M-46)', async () => {
  const before = fc.array(earlier, { maxLength: 8 });
  const postings = fc.array(posting, { minLength: 1, maxLength: 24 });
  await fc.assert(
    fc.asyncProperty(before, postings, async (advanced, posted) => {
      await advanceEarlier(advanced);
      const decided = await Promise.all(posted.map(decide));
      const rows = await context.db.selectFrom('sponsorships').selectAll().execute();
      const [taken, refused] = [decided.filter(({ isTaken }) => isTaken), decided.filter(({ isTaken }) => !isTaken)];
      expect(rows).toHaveLength(advanced.length + taken.length);
      for (const by of taken) expect(capsPassed(rows, by)).toEqual([]);
      // Sums only grow, so what was refused would pass a cap at the end too.
      for (const by of refused) expect(capsPassed(rows, by)).not.toEqual([]);
    }),
    { numRuns: 25 },
  );
});
