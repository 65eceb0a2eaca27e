import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_DEADLINE_SEC } from '../../src/rules/deadline.js';
import {
  checkClaim,
  checkShare,
  checkTaskDeadline,
  type ClaimTarget,
  type ClaimTerms,
  hasTimeForLeg,
  legShare,
} from '../../src/rules/digitalTasks.js';
import { SOL, MAX_LAMPORTS, toLamports } from '../../src/contract/money.js';
import {
  MAX_CLAIM_TIMEOUT_SEC,
  MAX_TASK_LEGS,
  MIN_CLAIM_TIMEOUT_SEC,
} from '../../src/contract/resources/digitalTask.js';
import { MAX_CLOCK_SEC, MIN_CLOCK_SEC } from '../../src/contract/terms.js';
import { DIGITAL_LEG_STATUSES, TASK_STATUSES } from '../../src/contract/statuses.js';

const NOW = Date.UTC(2026, 0, 1);
const target: ClaimTarget = {
  taskStatus: 'listed',
  legStatus: 'pending',
  shipperPubkey: 'poster',
  holderPubkey: null,
  otherAgents: ['other'],
  barredAgents: ['barred'],
  shareLamports: toLamports(333_333_333n),
  asset: SOL,
  claimTimeoutSec: 60,
  terms: null,
  deadlineMs: NOW + 3_600_000,
};
const claim: ClaimTerms = { agentPubkey: 'agent', bidLamports: toLamports(100n) };
const fault = (change: Partial<ClaimTerms>, of: Partial<ClaimTarget> = {}) =>
  checkClaim({ ...claim, ...change }, { ...target, ...of }, NOW);

const CLOCKS = { handoffSec: 300, carrySec: 400, reviewSec: 500 };

const budgets = fc.oneof(fc.bigInt({ min: 1n, max: 50n }), fc.bigInt({ min: 1n, max: MAX_LAMPORTS })).map(toLamports);
const legs = fc.integer({ min: 1, max: MAX_TASK_LEGS });

describe('what a leg pays', () => {
  it('[M-52] is the budget by the number of legs, rounded down', () => {
    expect([1, 2, 3, 4].map((numLegs) => legShare(toLamports(1_000_000_003n), numLegs))).toEqual([
      1_000_000_003n,
      500_000_001n,
      333_333_334n,
      250_000_000n,
    ]);
    expect(legShare(toLamports(3n), 4)).toBe(0n);
    expect(legShare(MAX_LAMPORTS, 1)).toBe(MAX_LAMPORTS);
  });

  it('[M-52] is never more than the budget in all, and leaves less than a lamport a leg', () => {
    fc.assert(
      fc.property(budgets, legs, (budget, numLegs) => {
        const paid = legShare(budget, numLegs) * BigInt(numLegs);
        expect(paid).toBeLessThanOrEqual(budget);
        expect(budget - paid).toBeLessThan(BigInt(numLegs));
      }),
      { numRuns: 500 },
    );
  });

  it('[M-52] has to be what an empty wallet can receive, and the refusal names a budget that is', () => {
    const rent = toLamports(890_880n);
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 5_000_000n }).map(toLamports), legs, (budget, numLegs) => {
        const refused = checkShare(budget, numLegs, rent, SOL);
        expect(refused === undefined).toBe(legShare(budget, numLegs) >= rent);
        if (refused === undefined) return;
        expect(refused).toMatchObject({ code: 'unreceivable_payment', field: 'maxBudgetSol' });
        const [, sol] = /give at least ([\d.]+) SOL$/.exec(refused.message) ?? [];
        const least = toLamports(BigInt(Math.round(Number(sol) * 1e9)));
        expect(checkShare(least, numLegs, rent, SOL)).toBeUndefined();
        expect(checkShare(toLamports(least - 1n), numLegs, rent, SOL)).toBeDefined();
      }),
    );
    expect(checkShare(toLamports(3_563_519n), 4, rent, SOL)?.message).toBe(
      'pays each of 4 legs 890879 lamports, 1 too little for an empty wallet to receive; give at least 0.00356352 SOL',
    );
  });
});

describe('a claim', () => {
  it('[M-54] of an open leg of a task that is listed or under way is taken', () => {
    expect(fault({})).toBeUndefined();
    expect(fault({}, { taskStatus: 'in_progress', otherAgents: [], barredAgents: [] })).toBeUndefined();
  });

  it.each([
    ['one’s own task', 'poster', 'self_dealing'],
    ['a task of which the agent gave up a leg', 'barred', 'agent_barred'],
    ['a task of which the agent has a leg', 'other', 'already_on_task'],
  ] as const)('[M-54] of %s is refused', (_what, agentPubkey, code) => {
    expect(fault({ agentPubkey })).toMatchObject({ code, field: 'agentPubkey' });
  });

  it('[M-54] of a task that is neither listed nor under way is refused', () => {
    for (const taskStatus of TASK_STATUSES.filter((each) => each !== 'listed' && each !== 'in_progress')) {
      expect(fault({}, { taskStatus })).toMatchObject({
        code: 'invalid_status',
        field: 'taskId',
        message: expect.stringContaining(taskStatus),
      });
    }
  });

  it('[M-54] of a leg that somebody has, or had, is refused with who and how', () => {
    for (const legStatus of DIGITAL_LEG_STATUSES) {
      const refused = fault({}, { legStatus, holderPubkey: 'holder' });
      expect(refused).toMatchObject({ code: 'leg_taken', field: 'legId', message: expect.stringContaining('holder') });
    }
    for (const legStatus of DIGITAL_LEG_STATUSES.filter((each) => each !== 'pending')) {
      const refused = fault({}, { legStatus });
      expect(refused).toMatchObject({ code: 'leg_taken', message: expect.stringContaining(`is ${legStatus};`) });
    }
  });

  it('[M-52] may be for all that the leg pays, and not for a lamport more', () => {
    expect(fault({ bidLamports: target.shareLamports })).toBeUndefined();
    expect(fault({ bidLamports: toLamports(target.shareLamports + 1n) })).toEqual({
      code: 'bid_above_share',
      field: 'bidSol',
      message: 'is 0.333333334 SOL; the leg pays exactly 0.333333333 SOL (333333333 lamports), bid at most that',
    });
  });

  it('[M-54] needs the whole time for the leg and 10 minutes before the deadline', () => {
    const edge = NOW + (60 + 600) * 1000;
    expect(fault({}, { deadlineMs: edge })).toBeUndefined();
    expect(fault({}, { deadlineMs: edge - 1 })).toMatchObject({
      code: 'deadline_too_near',
      field: 'taskId',
      message: expect.stringContaining('the last 660 seconds'),
    });
  });

  it('[T-94] needs time to be accepted and claimed, with terms, and 10 minutes', () => {
    expect(fault({}, { terms: CLOCKS, deadlineMs: NOW + 1300 * 1000 })).toBeUndefined();
    expect(fault({}, { terms: CLOCKS, deadlineMs: NOW + 1300 * 1000 - 1 })).toMatchObject({
      message: expect.stringContaining('the last 1300 seconds'),
    });
  });

  it('[M-54] has the time that is left to the millisecond', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: MIN_CLAIM_TIMEOUT_SEC, max: MAX_CLAIM_TIMEOUT_SEC }),
        fc.integer({ min: -1000, max: 200_000_000 }),
        (claimTimeoutSec, leftMs) => {
          expect(hasTimeForLeg({ claimTimeoutSec, terms: null, deadlineMs: NOW + leftMs }, NOW)).toBe(
            leftMs - claimTimeoutSec * 1000 >= 600_000,
          );
        },
      ),
    );
  });
});

describe('the deadline of a task', () => {
  const usual = { numLegs: 2, claimTimeoutSec: 1800, terms: null };
  const check = (seconds: number, change: Partial<Parameters<typeof checkTaskDeadline>[0]> = {}) =>
    checkTaskDeadline({ ...usual, ...change, deadlineMs: NOW + seconds * 1000 }, NOW);

  it('[M-53] lies far enough for every leg to take its whole time, and 180 days away at most', () => {
    expect(check(4200)).toBeUndefined();
    expect(check(4199.999)).toMatchObject({ code: 'invalid_input', field: 'deadline' });
    expect(check(4200, { numLegs: 3 })).toMatchObject({
      message: expect.stringContaining('6000 seconds (3 legs of 1800 seconds'),
    });
    expect(check(MAX_DEADLINE_SEC)).toBeUndefined();
    expect(check(MAX_DEADLINE_SEC + 1)).toMatchObject({ code: 'invalid_input' });
    expect(check(MAX_DEADLINE_SEC, { numLegs: MAX_TASK_LEGS, claimTimeoutSec: MAX_CLAIM_TIMEOUT_SEC })).toBeUndefined();
  });

  it('[T-93] leaves every leg with terms time to be accepted, done and looked at', () => {
    const least = 2 * (300 + 400 + 500) + 600;
    expect(check(least, { terms: CLOCKS })).toBeUndefined();
    expect(check(least - 0.001, { terms: CLOCKS })).toMatchObject({
      message: expect.stringContaining(`${least} seconds (2 legs of 1200 seconds`),
    });
  });

  it('[T-93] suits no terms whose clocks are longer than a task lasts', () => {
    const terms = { handoffSec: MAX_CLOCK_SEC, carrySec: MAX_CLOCK_SEC, reviewSec: MAX_CLOCK_SEC };
    expect(check(MAX_DEADLINE_SEC, { numLegs: 2, terms })).toMatchObject({ field: 'terms' });
    expect(check(MAX_DEADLINE_SEC, { numLegs: 1, terms })).toBeUndefined();
  });

  it('[M-53] that is refused comes with one that is taken', () => {
    const clock = fc.integer({ min: MIN_CLOCK_SEC, max: MAX_CLOCK_SEC });
    const clocks = fc.option(fc.record({ handoffSec: clock, carrySec: clock, reviewSec: clock }));
    const timeouts = fc.integer({ min: MIN_CLAIM_TIMEOUT_SEC, max: MAX_CLAIM_TIMEOUT_SEC });
    fc.assert(
      fc.property(legs, timeouts, clocks, fc.nat(999), (numLegs, claimTimeoutSec, terms, ms) => {
        const refused = { deadlineMs: NOW, numLegs, claimTimeoutSec, terms };
        const fault = checkTaskDeadline(refused, NOW + ms);
        if (fault?.field === 'terms') return;
        const [, named = ''] = /from (\S+) on$/.exec(fault?.message ?? '') ?? [];
        expect(checkTaskDeadline({ ...refused, deadlineMs: Date.parse(named) }, NOW + ms)).toBeUndefined();
      }),
    );
  });
});
