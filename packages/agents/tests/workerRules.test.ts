import { operations, SOL } from '@legwork/protocol/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { questionsOf } from '../src/engine/ownWork.js';
import type { TaskLeg } from '../src/engine/search.js';
import { policySchema } from '../src/index.js';
import { solRules } from '../src/wallet/assetRules.js';
import type { AssetRules } from '../src/wallet/assetRules.js';
import { stakeRulesOf } from '../src/wallet/stakes.js';
import { mayClaim } from '../src/worker/legalClaims.js';

const NOW = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;

const legOf = (changes: object) =>
  ({
    taskId: 't',
    legId: 'l',
    title: 'Feedback',
    text: 'Translate it.',
    isWorkable: true,
    shipperPubkey: 'poster',
    ...SOL,
    maxPay: 10_000_000n,
    claimTimeoutSec: 1_800,
    terms: null,
    requirements: null,
    deadline: new Date(NOW + 10 * HOUR_MS),
    ...changes,
  }) as unknown as TaskLeg;

const policyOf = (worker: object = {}, limits: object = {}, more: object = {}) =>
  policySchema.parse({ key: 'a.json', worker: { run: { command: ['x'] }, ...worker }, limits, ...more });

const IN_USDC = { asset: 'usdc', decimals: 6 };

/** Rules for test USDC, in millionths, as a session makes them of a policy. */
const usdc = ({ asset }: ReturnType<typeof policyOf>): AssetRules => ({
  ...solRules(policyOf()),
  ...IN_USDC,
  section: 'asset',
  minPayment: asset?.minPayment === undefined ? undefined : BigInt(asset.minPayment * 1_000_000),
});
const lookerOf = (policy: ReturnType<typeof policyOf>) => ({
  pubkey: 'worker',
  policy,
  assets: [solRules(policy), ...(policy.asset ? [usdc(policy)] : [])],
  termsIn: (of: AssetRules) => ({
    accept: policy.accept,
    stakes: stakeRulesOf(policy, { arbiterPubkey: 'arbiter' }, of),
    slack: 1,
  }),
  hasHad: (taskId: string) => taskId === 'had',
});

const isLegal = (changes: object, policy = policyOf()) => mayClaim(legOf(changes), lookerOf(policy), NOW);

test.each<[string, object, ReturnType<typeof policyOf> | undefined, boolean]>([
  ['an open leg whose turn has come', {}, undefined, true],
  ['no leg before its turn', { isWorkable: false }, undefined, false],
  ['no leg of its own task', { shipperPubkey: 'worker' }, undefined, false],
  ['no second leg of a task', { taskId: 'had' }, undefined, false],
  ['no leg that pays less than it takes', {}, policyOf({}, { minPayment: 0.02 }), false],
  ['no leg that pays in what the policy has no limits for', IN_USDC, undefined, false],
  ['no leg that pays in what it only pays in itself', IN_USDC, policyOf({}, {}, { asset: { name: 'usdc' } }), false],
  [
    'a leg that pays enough in the asset of its policy',
    { ...IN_USDC, maxPay: 1_000_000n },
    policyOf({}, {}, { asset: { name: 'usdc', minPayment: 1 } }),
    true,
  ],
  [
    'no leg that pays too little in it, however many base units that is',
    { ...IN_USDC, maxPay: 999_999n },
    policyOf({}, {}, { asset: { name: 'usdc', minPayment: 1 } }),
    false,
  ],
  ['no leg that leaves less time than its work may need', { claimTimeoutSec: 60 }, policyOf(), false],
  ['no leg too near to the deadline', { deadline: new Date(NOW + HOUR_MS / 2) }, undefined, false],
  ['a leg that names a capability, in any case', {}, policyOf({ capabilities: ['sing', 'TRANSLATE'] }), true],
  ['a leg of a task whose title names one', {}, policyOf({ capabilities: ['feedback'] }), true],
  ['no leg that requires what it cannot', { requirements: { capabilities: ['crane'] } }, undefined, false],
  [
    'a leg that requires what it can',
    { requirements: { capabilities: ['feedback'] } },
    policyOf({ capabilities: ['feedback'] }),
    true,
  ],
  [
    'a leg that is reserved for it, whatever that is about',
    { requirements: { capabilities: ['worker'] } },
    policyOf({ capabilities: ['sing'] }),
    true,
  ],
  ['no leg that is reserved for another', { requirements: { capabilities: ['somebody'] } }, undefined, false],
  ['no leg that names only a part of one', {}, policyOf({ capabilities: ['late'] }), false],
])('a worker claims %s (A-40)', (_, leg, policy, is) => {
  expect(isLegal(leg, policy)).toBe(is);
});

test('what a worker claims, whatever it is, has its turn, pays and is in time (A-40)', () => {
  const leg = fc.record({
    title: fc.string(),
    text: fc.string({ unit: 'grapheme' }),
    isWorkable: fc.boolean(),
    shipperPubkey: fc.constantFrom('poster', 'worker'),
    maxPay: fc.bigInt(0n, 20_000_000n),
    claimTimeoutSec: fc.integer({ min: 60, max: 86_400 }),
    deadline: fc.integer({ min: -10, max: 100 }).map((hours) => new Date(NOW + hours * HOUR_MS)),
  });
  fc.assert(
    fc.property(
      leg,
      fc.array(fc.string({ minLength: 1, maxLength: 40 }), { maxLength: 3 }),
      (changes, capabilities) => {
        const policy = policyOf({ capabilities });
        if (!isLegal(changes, policy)) return;
        expect(changes).toMatchObject({ isWorkable: true, shipperPubkey: 'poster' });
        expect(changes.maxPay >= policy.limits.minPayment).toBe(true);
        expect(changes.deadline.getTime()).toBeGreaterThan(NOW + changes.claimTimeoutSec * 1000);
      },
    ),
  );
});

test('whatever a worker is to be able to do, it asks for words that the service takes (A-116, M-87)', () => {
  const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(fc.array(words, { maxLength: 20 }), (capabilities) => {
      const { success, data } = policySchema.safeParse({
        key: 'a.json',
        worker: { run: { command: ['x'] }, capabilities },
      });
      if (!success) return;
      for (const question of questionsOf(data, ['leg'])) {
        expect(operations.findWork.query.safeParse(question).success).toBe(true);
        expect(question.q?.normalize('NFKD').match(/[\p{L}\p{N}]+/gu)?.length ?? 0).toBeLessThanOrEqual(16);
      }
    }),
  );
});
