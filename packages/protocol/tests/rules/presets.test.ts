import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_LAMPORTS, parseSol, toLamports } from '../../src/contract/money.js';
import { MAX_CLOCK_SEC, type Terms, terms as termsSchema, type TermsChoice } from '../../src/contract/terms.js';
import { MAX_CLAIM_TIMEOUT_SEC, MIN_CLAIM_TIMEOUT_SEC } from '../../src/contract/resources/digitalTask.js';
import type { RuleFault } from '../../src/rules/fault.js';
import {
  checkTerms,
  chosenTerms,
  MIN_STAKE_LAMPORTS,
  packageCarrySec,
  SOL_ASSET,
  taskCarrySec,
  type TermsContext,
  type TermsParties,
} from '../../src/rules/presets.js';

const SHIPPER = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';
const FUNDER = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
const COORDINATOR = 'EXBdeRCdiNChKyD7akt64n9HgSXEpUtpPEhmbnm4L6iH';
const ARBITER = 'Cw2oF1yBQm5Yc9vLRo5Cj8vVHTbqkBYmBfQmhFyjgZZ4';
const RECEIVER = 'CKfatsPMUf8SkiURsDXs7eK6GWb4Jsd6UDbs7twMCWxo';
const ZERO_KEY = '11111111111111111111111111111111';
const ALEXANDERPLATZ = { lat: 52.521918, lng: 13.413215 };
const WESTKREUZ = { lat: 52.501389, lng: 13.283611 };
const HOUR_SEC = 3600;

const context: TermsContext = {
  kind: 'package',
  budgetLamports: parseSol(0.15),
  asset: SOL_ASSET,
  carrySec: packageCarrySec(ALEXANDERPLATZ, WESTKREUZ),
  arbiterPubkey: ARBITER,
};
const parties: TermsParties = {
  kind: 'package',
  shipperPubkey: SHIPPER,
  funderPubkey: FUNDER,
  coordinatorPubkey: COORDINATOR,
  budgetLamports: context.budgetLamports,
  asset: SOL_ASSET,
};

const isFault = (made: Terms | RuleFault): made is RuleFault => 'code' in made;

/** The terms that a choice makes, where it makes some. */
function made(choice: TermsChoice, change: Partial<TermsContext> = {}): Terms {
  const found = chosenTerms(choice, { ...context, ...change });
  if (found === null || isFault(found)) throw new Error(`${JSON.stringify(choice)} makes no terms`);
  return found;
}

describe('terms by name', () => {
  it('[T-50] are none for plain, and where nothing is chosen', () => {
    expect(chosenTerms('plain', context)).toBeNull();
    expect(chosenTerms(undefined, context)).toBeNull();
  });

  it('[T-50] stake a fifth of the budget by standard, two by guarded, and differ in the review', () => {
    const standard: Terms = {
      receiverPubkey: null,
      arbiterPubkey: ARBITER,
      stake: parseSol(0.03),
      stakeLamports: parseSol(0.03),
      // 18 minutes from Alexanderplatz to Westkreuz.
      carrySec: 2 * HOUR_SEC + 2 * 18 * 60,
      handoffSec: 45 * 60,
      reviewSec: 24 * HOUR_SEC,
      arbitrationSec: 72 * HOUR_SEC,
      cosignedPickup: false,
    };
    expect(made('standard')).toEqual(standard);
    expect(made({})).toEqual(standard);
    expect(made('guarded')).toEqual({
      ...standard,
      stake: parseSol(0.06),
      stakeLamports: parseSol(0.06),
      reviewSec: 72 * HOUR_SEC,
    });
    expect(made({ preset: 'guarded' })).toEqual(made('guarded'));
  });

  it('[T-50] stake at least two empty accounts, and what does not divide is rounded down', () => {
    const stake = (budget: bigint) => made('standard', { budgetLamports: toLamports(budget) }).stakeLamports;
    expect(stake(1n)).toBe(MIN_STAKE_LAMPORTS);
    expect(stake(5n * MIN_STAKE_LAMPORTS)).toBe(MIN_STAKE_LAMPORTS);
    expect(stake(5n * MIN_STAKE_LAMPORTS + 9n)).toBe(MIN_STAKE_LAMPORTS + 1n);
  });

  it('[T-50] carry for no longer than a clock can, however far the way', () => {
    const antipode = { lat: -ALEXANDERPLATZ.lat, lng: ALEXANDERPLATZ.lng - 180 };
    expect(packageCarrySec(ALEXANDERPLATZ, ALEXANDERPLATZ)).toBe(2 * HOUR_SEC);
    expect(packageCarrySec(ALEXANDERPLATZ, antipode)).toBe(MAX_CLOCK_SEC);
  });

  it('[T-50] keep every field that is given', () => {
    const given = {
      receiverPubkey: RECEIVER,
      arbiterPubkey: FUNDER,
      carrySec: 301,
      handoffSec: 302,
      reviewSec: 303,
      arbitrationSec: 304,
      cosignedPickup: true,
    };
    expect(made({ ...given, stakeSol: 0.1 })).toEqual({ ...given, stake: parseSol(0.1), stakeLamports: parseSol(0.1) });
    expect(made({ reviewSec: 400 })).toEqual({ ...made('standard'), reviewSec: 400 });
  });

  it('[T-50] need an arbiter, of the choice or of the service', () => {
    const lonely = { ...context, arbiterPubkey: null };
    expect(chosenTerms('standard', lonely)).toMatchObject({ code: 'invalid_input', field: 'terms.arbiterPubkey' });
    expect(made({ arbiterPubkey: ARBITER }, { arbiterPubkey: null })).toEqual(made('standard'));
    expect(chosenTerms('plain', lonely)).toBeNull();
  });

  it('[T-50] of a task give the time for a leg and ten minutes, and are looked at within hours', () => {
    const task = { kind: 'task', carrySec: taskCarrySec(1800) } as const;
    const standard: Terms = {
      ...made('standard'),
      carrySec: 40 * 60,
      handoffSec: 30 * 60,
      reviewSec: HOUR_SEC,
      arbitrationSec: 24 * HOUR_SEC,
    };
    expect(made('standard', task)).toEqual(standard);
    expect(made('guarded', task)).toEqual({
      ...standard,
      stake: parseSol(0.06),
      stakeLamports: parseSol(0.06),
      reviewSec: 3 * HOUR_SEC,
    });
    expect(made({ reviewSec: 400, carrySec: 500 }, task)).toEqual({ ...standard, reviewSec: 400, carrySec: 500 });
  });

  it('[T-3] are taken by the program for every budget from the least stake on, every way and every time for a leg', () => {
    const place = fc.record({
      lat: fc.double({ min: -90, max: 90, noNaN: true }),
      lng: fc.double({ min: -180, max: 180, noNaN: true }),
    });
    const budget = fc.bigInt({ min: MIN_STAKE_LAMPORTS, max: MAX_LAMPORTS }).map(toLamports);
    const preset = fc.constantFrom('standard' as const, 'guarded' as const);
    const carried = fc.oneof(
      fc.tuple(place, place).map((ends) => ({ kind: 'package' as const, carrySec: packageCarrySec(...ends) })),
      fc
        .integer({ min: MIN_CLAIM_TIMEOUT_SEC, max: MAX_CLAIM_TIMEOUT_SEC })
        .map((timeout) => ({ kind: 'task' as const, carrySec: taskCarrySec(timeout) })),
    );
    fc.assert(
      fc.property(preset, budget, carried, (name, budgetLamports, { kind, carrySec }) => {
        const found = made(name, { kind, budgetLamports, carrySec });
        expect(checkTerms(found, { ...parties, kind, budgetLamports })).toBeUndefined();
        expect(termsSchema.encode(found)).toMatchObject({ carrySec: found.carrySec });
      }),
      { numRuns: 500 },
    );
  });
});

describe('what the program would refuse', () => {
  const fault = (change: Partial<Terms>) => checkTerms({ ...made('standard'), ...change }, parties)?.field;

  it.each([
    ['shipper', SHIPPER],
    ['funder', FUNDER],
    ['coordinator', COORDINATOR],
    ['receiver', RECEIVER],
  ])('[T-3] is an arbiter who is the %s', (role, arbiterPubkey) => {
    const terms = { ...made({ receiverPubkey: RECEIVER }), arbiterPubkey };
    expect(checkTerms(terms, parties)).toEqual({
      code: 'invalid_input',
      field: 'terms.arbiterPubkey',
      message: `is the ${role}; name somebody without a part in it`,
    });
  });

  it('[T-3] is the zero key as arbiter or receiver, and the coordinator as receiver', () => {
    expect(fault({ arbiterPubkey: ZERO_KEY })).toBe('terms.arbiterPubkey');
    expect(fault({ receiverPubkey: ZERO_KEY })).toBe('terms.receiverPubkey');
    expect(fault({ receiverPubkey: COORDINATOR })).toBe('terms.receiverPubkey');
    expect(fault({ receiverPubkey: SHIPPER })).toBeUndefined();
    expect(fault({ receiverPubkey: RECEIVER })).toBeUndefined();
  });

  it('[T-3] is an arbiter who is the poster of a task, and a pickup of what is never carried', () => {
    const refused = (change: Partial<Terms>) =>
      checkTerms({ ...made('standard'), ...change }, { ...parties, kind: 'task' });
    expect(refused({ arbiterPubkey: SHIPPER })?.message).toContain('is the poster;');
    expect(refused({ cosignedPickup: true })?.field).toBe('terms.cosignedPickup');
    expect(refused({})).toBeUndefined();
    expect(fault({ cosignedPickup: true })).toBeUndefined();
  });

  it('[T-3] is a stake below two empty accounts, or above the budget', () => {
    const { budgetLamports } = parties;
    const stakes = [MIN_STAKE_LAMPORTS - 1n, MIN_STAKE_LAMPORTS, budgetLamports, budgetLamports + 1n];
    const bad = 'terms.stakeSol';
    expect(stakes.map((stake) => fault({ stake: toLamports(stake) }))).toEqual([bad, undefined, undefined, bad]);
  });
});
