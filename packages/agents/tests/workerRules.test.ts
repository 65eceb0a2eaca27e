import type { DigitalTaskView } from '@legwork/sdk';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { policySchema } from '../src/index.js';
import { stakeRulesOf } from '../src/wallet/stakes.js';
import { legalClaims } from '../src/worker/legalClaims.js';

const NOW = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;

const taskOf = (changes: object) =>
  ({
    id: 't',
    title: 'Feedback',
    shipperPubkey: 'poster',
    finality: 'final',
    paymentPerLegLamports: 10_000_000n,
    claimTimeoutSec: 1_800,
    terms: null,
    requirements: null,
    deadline: new Date(NOW + 10 * HOUR_MS),
    legs: [
      { id: 'l0', instruction: 'Translate it.', isOpen: true, isWorkable: true, agentPubkey: null },
      { id: 'l1', instruction: 'Sum it up.', isOpen: true, isWorkable: false, agentPubkey: null },
    ],
    ...changes,
  }) as unknown as DigitalTaskView;

const policyOf = (worker: object = {}, limits: object = {}) =>
  policySchema.parse({ key: 'a.json', worker: { run: { command: ['x'] }, ...worker }, limits });

const lookerOf = (policy: ReturnType<typeof policyOf>) => ({
  pubkey: 'worker',
  policy,
  terms: { accept: policy.accept, stakes: stakeRulesOf(policy, { arbiterPubkey: 'arbiter' }), slack: 1 },
});

const claimsOf = (task: object, policy = policyOf()) =>
  legalClaims(taskOf(task), lookerOf(policy), NOW).map(({ leg }) => leg.id);

test.each<[string, object, ReturnType<typeof policyOf> | undefined, readonly string[]]>([
  ['an open leg whose turn has come', {}, undefined, ['l0']],
  ['no leg of its own task', { shipperPubkey: 'worker' }, undefined, []],
  ['no second leg of a task', { legs: [...taskOf({}).legs, { id: 'l2', agentPubkey: 'worker' }] }, undefined, []],
  ['no leg that pays less than it takes', {}, policyOf({}, { minPayment: 0.02 }), []],
  ['no leg that leaves less time than its work may need', { claimTimeoutSec: 60 }, policyOf(), []],
  ['no leg too near to the deadline', { deadline: new Date(NOW + HOUR_MS / 2) }, undefined, []],
  ['a leg that names a capability, in any case', {}, policyOf({ capabilities: ['sing', 'TRANSLATE'] }), ['l0']],
  ['a leg of a task whose title names one', {}, policyOf({ capabilities: ['feedback'] }), ['l0']],
  ['no leg that names only a part of one', {}, policyOf({ capabilities: ['late'] }), []],
  ['no leg of a task that the ledger took back', { finality: 'reverted' }, undefined, []],
])('a worker claims %s (A-40)', (_, task, policy, ids) => {
  expect(claimsOf(task, policy)).toEqual(ids);
});

test('a worker finds for every task legs that it may claim, or none (A-40)', () => {
  const leg = fc.record({
    id: fc.uuid(),
    instruction: fc.string({ unit: 'grapheme' }),
    isOpen: fc.boolean(),
    isWorkable: fc.boolean(),
    agentPubkey: fc.constantFrom(null, 'other', 'worker'),
  });
  const task = fc.record({
    title: fc.string(),
    shipperPubkey: fc.constantFrom('poster', 'worker'),
    paymentPerLegLamports: fc.bigInt(0n, 20_000_000n),
    claimTimeoutSec: fc.integer({ min: 60, max: 86_400 }),
    deadline: fc.integer({ min: -10, max: 100 }).map((hours) => new Date(NOW + hours * HOUR_MS)),
    legs: fc.array(leg, { maxLength: 4 }),
  });
  fc.assert(
    fc.property(
      task,
      fc.array(fc.string({ minLength: 1, maxLength: 40 }), { maxLength: 3 }),
      (changes, capabilities) => {
        const policy = policyOf({ capabilities });
        const claims = legalClaims(taskOf(changes), lookerOf(policy), NOW);
        for (const { leg: claimed } of claims) expect(claimed).toMatchObject({ isOpen: true, isWorkable: true });
        const paysEnough = changes.paymentPerLegLamports >= policy.limits.minPayment;
        const isInTime = changes.deadline.getTime() > NOW + changes.claimTimeoutSec * 1000;
        expect(claims.length === 0 || (paysEnough && isInTime)).toBe(true);
      },
    ),
  );
});
