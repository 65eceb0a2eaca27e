import type { QueuedLeg, Terms } from '@legwork/sdk';
import { toLamports } from '@legwork/sdk';
import { address } from '@solana/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { disagreement, disagreementToCarry } from '../src/engine/agreement.js';
import { Commitments } from '../src/engine/commitments.js';
import type { NewEntry } from '../src/index.js';
import { policySchema } from '../src/index.js';
import { solRules } from '../src/wallet/assetRules.js';
import { LimitError } from '../src/wallet/spending.js';
import { Stakes, stakeRulesOf } from '../src/wallet/stakes.js';
import { disagreementToWork } from '../src/worker/legalClaims.js';

const ARBITER = address('SysvarC1ock11111111111111111111111111111111');
const OTHER = address('SysvarRent111111111111111111111111111111111');
const AT = '2026-01-01T00:00:00.000Z';
const LEG = address('4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T');
const policy = policySchema.parse({ key: 'a.json', limits: { stakePerLeg: 0.05, stakeInAll: 0.1 } });
const rules = { accept: policy.accept, stakes: stakeRulesOf(policy, { arbiterPubkey: ARBITER }), slack: 1.25 };
const TERMS: Terms = {
  receiverPubkey: null,
  arbiterPubkey: ARBITER,
  stake: toLamports(50_000_000n),
  stakeLamports: toLamports(50_000_000n),
  carrySec: 7_200,
  handoffSec: 2_700,
  reviewSec: 86_400,
  arbitrationSec: 259_200,
  cosignedPickup: false,
};

function fits(stakes: Stakes, leg: string, lamports: bigint): boolean {
  try {
    stakes.check(leg, { amount: lamports, arbiter: ARBITER }, rules.stakes);
    return true;
  } catch (error) {
    if (error instanceof LimitError) return false;
    throw error;
  }
}

describe('the stakes of a wallet', () => {
  const legs = fc.constantFrom(LEG, ARBITER, OTHER);
  const acts = fc.array(fc.record({ leg: legs, sol: fc.nat(6), isFreed: fc.boolean() }), { maxLength: 30 });

  test('are never more than the limit, whatever is signed and freed, and two signatures about a leg are one stake (A-9)', () => {
    fc.assert(
      fc.property(acts, (done) => {
        const stakes = new Stakes();
        const lying = new Map<string, bigint>();
        const tell = (entry: NewEntry) => stakes.take({ ...entry, at: AT });
        for (const { leg, sol, isFreed } of done) {
          if (isFreed) {
            tell({ kind: 'freed', subject: leg });
            lying.delete(leg);
            continue;
          }
          const stakeLamports = BigInt(sol) * 10_000_000n;
          if (!fits(stakes, leg, stakeLamports)) continue;
          tell({
            kind: 'signed',
            instruction: 'accept',
            subject: leg,
            lamports: 5_000n,
            signature: 's',
            stakeLamports,
          });
          lying.set(leg, stakeLamports);
        }
        const sum = [...lying.values()].reduce((total, one) => total + one, 0n);
        expect(stakes.inAll).toBe(sum);
        expect(sum).toBeLessThanOrEqual(rules.stakes.inAll);
      }),
    );
  });

  test('are posted under no arbiter but those of the policy (A-9)', () => {
    const stake = { amount: 1n, arbiter: OTHER };
    expect(() => new Stakes().check(LEG, stake, rules.stakes)).toThrow(`${OTHER} rules its disputes`);
    const own = policySchema.parse({ key: 'a.json', accept: { arbiters: [OTHER] } });
    const chosen = stakeRulesOf(own, { arbiterPubkey: ARBITER });
    expect(() => new Stakes().check(LEG, stake, chosen)).not.toThrow();
    expect(() => new Stakes().check(LEG, { ...stake, arbiter: ARBITER }, chosen)).toThrow(LimitError);
    expect(stakeRulesOf(policy, { arbiterPubkey: null }).arbiters).toEqual([]);
  });
});

test.for<[string, Partial<Terms>, RegExp]>([
  ['terms within its policy', {}, /^agreed$/],
  ['a stake above its limit', { stake: toLamports(50_000_001n) }, /limits\.stakePerLeg is 0\.05 SOL/],
  ['the arbiter of others', { arbiterPubkey: OTHER }, /rules its disputes/],
  ['little time to accept', { handoffSec: 899 }, /a handoff has 899/],
  ['less time than its work, handing in and notice take', { carrySec: 749 }, /a leg has 749 seconds/],
  ['a ruling that takes long', { arbitrationSec: 864_000 }, /accept\.longestRulingSec is 864000/],
])('a worker answers to %s as its policy says (A-44)', ([, changes, why]) => {
  const run = { command: ['x'], timeoutSec: 600 };
  expect(disagreementToWork({ ...TERMS, ...changes }, { run }, rules)?.words ?? 'agreed').toMatch(why);
});

test('nobody posts a stake that its stakes together have no room for (A-34, A-44)', () => {
  const little = policySchema.parse({ key: 'a.json', limits: { stakePerLeg: 1, stakeInAll: 0.01 } });
  const stakes = stakeRulesOf(little, { arbiterPubkey: ARBITER });
  expect(disagreement(TERMS, { ...rules, stakes })?.words).toContain('limits.stakeInAll is 0.01 SOL');
});

describe('a courier', () => {
  test.for<[string, Partial<Terms>, number, RegExp]>([
    ['terms within its policy', {}, 60, /^agreed$/],
    ['a leg longer than half of the carry clock', {}, 61, /takes 61 minutes/],
    ['a stake above its limit', { stake: toLamports(50_000_001n) }, 30, /limits\.stakePerLeg is 0\.05 SOL/],
    ['the arbiter of others', { arbiterPubkey: OTHER }, 30, /rules its disputes/],
    ['a short carry clock', { carrySec: 3_599 }, 10, /3599 seconds/],
    ['a short handoff clock', { handoffSec: 899 }, 30, /a handoff has 899/],
    ['a ruling that takes long', { arbitrationSec: 864_000 }, 30, /accept\.longestRulingSec is 864000/],
  ])('answers to %s as its policy says (A-34)', ([, changes, minutes, why]) => {
    expect(disagreementToCarry({ ...TERMS, ...changes }, minutes, rules)?.words ?? 'agreed').toMatch(why);
  });

  test('counts the stakes of its bids and legs until they end (A-34)', () => {
    const commitments = new Commitments();
    const tell = (entry: NewEntry) => commitments.take({ ...entry, at: AT });
    const bid = (packageId: string) =>
      tell({ kind: 'called', call: 'submitBid', subject: packageId, key: packageId, input: {}, stakeLamports: 40n });
    const leg = (packageId: string, stage: string) =>
      ({ kind: 'physical', id: `leg of ${packageId}`, packageId, stage }) as unknown as QueuedLeg;
    const upTo = (stakeInAll: bigint) => ({ ...solRules(policy), stakeInAll });
    bid('one');
    bid('two');
    expect(commitments.stakedBeside('three')).toBe(80n);
    expect(commitments.stakedBeside('two')).toBe(40n);
    expect(() => commitments.requireStake('three', 20n, upTo(100n))).not.toThrow();
    expect(() => commitments.requireStake('three', 21n, upTo(100n))).toThrow('limits.stakeInAll');
    tell({ kind: 'answered', key: 'one', ok: true, said: { bidId: 'b', expiresAt: AT } });
    tell({ kind: 'answered', key: 'two', ok: false, said: { code: 'bid_above_budget' } });
    expect(commitments.stakedBeside('three')).toBe(40n);
    // The bid is over, and a leg came of it, which is ruled in the end.
    const later = Date.parse(AT) + 3_600_000;
    commitments.sawLegs([leg('one', 'claimed')], later);
    expect(commitments.stakedBeside('three')).toBe(40n);
    commitments.sawLegs([leg('one', 'ruled')], later);
    expect(commitments.stakedBeside('three')).toBe(0n);
  });
});
