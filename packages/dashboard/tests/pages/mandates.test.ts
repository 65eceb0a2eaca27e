import { ANY_ARBITER, type Mandate } from '@legwork/program-client';
import { address } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { EMPTY, type Faults, readGiving, sayGiving, type Typed, typedOf } from '../../src/pages/mandates/draft.js';

const OWN = '9BAZ6PJmsPqiFnUsBhyqaWHU2hTZo7bVrMoxH8ZVGEZ4';
const DELEGATE = '4zYjJ92Ejn4PUx79NguBcLSJthAU9eg5pvMTgVxsvqkh';
const USDC = { asset: 'usdc', decimals: 6 };
const SOL = { asset: 'sol', decimals: 9 };
const NOW_MS = 1_790_000_000_500;
const TYPED: Typed = { ...EMPTY, delegate: ` ${DELEGATE} `, asset: 'usdc', cap: '5', put: '20,5', rents: '.02' };
const read = (changed: Partial<Typed> = {}, of = USDC) => {
  const given = readGiving({ ...TYPED, ...changed }, OWN, of, NOW_MS);
  if ('faults' in given) throw new Error(JSON.stringify(given.faults));
  return given;
};

describe('what an owner typed (D-98)', () => {
  test('is bounds to the base unit and the second, and what goes there', () => {
    expect(read()).toEqual({
      delegate: DELEGATE,
      asset: 'usdc',
      limits: {
        permits: 3,
        cap: 5_000_000n,
        period: 86_400,
        expiresAt: 1_792_592_000n,
        maxAhead: 604_800,
        arbiter: ANY_ARBITER,
      },
      put: 20_500_000n,
      rents: 20_000_000n,
    });
    expect(read({ kinds: 'tasks', onlyWithTerms: true, days: '', put: '', rents: '' })).toMatchObject({
      limits: { permits: 6, expiresAt: 0n },
      put: 0n,
      rents: 0n,
    });
    // In SOL rents come out of what lies there.
    expect(read({ rents: '3' }, SOL)).toMatchObject({ rents: 0n, put: 20_500_000_000n });
  });

  test.each<[Partial<Typed>, Faults]>([
    [{ delegate: 'rita' }, { delegate: expect.stringMatching(/32 bytes in base58/) }],
    [{ delegate: OWN }, { delegate: expect.stringMatching(/your own key/) }],
    [{ arbiter: OWN }, { arbiter: expect.stringMatching(/party/) }],
    [{ cap: '' }, { cap: 'Enter an amount.' }],
    [{ cap: '0' }, { cap: expect.stringMatching(/above 0/) }],
    [{ cap: '1.0000001' }, { cap: expect.stringMatching(/more than the 6 decimals of USDC/) }],
    [{ put: '-1' }, { put: expect.stringMatching(/as a number/) }],
    [{ rents: '0.0000000001' }, { rents: expect.stringMatching(/9 decimals of SOL/) }],
    [{ hours: '8761' }, { hours: 'At most 8760.' }],
    [{ hours: '0.0001' }, { hours: 'The shortest period is one second.' }],
    [{ days: '1e9' }, { days: expect.stringMatching(/as a number/) }],
    [{ ahead: 'soon' }, { ahead: expect.stringMatching(/as a number/) }],
  ])('%o: every fault is told at its field, and no other (D-42)', (changed, faults) => {
    expect(readGiving({ ...TYPED, ...changed }, OWN, USDC, NOW_MS)).toEqual({ faults });
  });

  test('is told before it is signed: who can take what, and what goes there', () => {
    const said = sayGiving(read({ arbiter: DELEGATE }), USDC, { rents: 4_043_760n, isThere: true });
    for (const part of [
      `${DELEGATE} may post packages and tasks with this money, only with terms and with ${DELEGATE} as arbiter: up to 5 USDC per 24 hours, until `,
      'can take that much with an accomplice, twice that around the end of a period',
      'These limits replace the current ones.',
      'Your wallet deposits 20.5 USDC and 0.02 SOL for the rent of listings.',
      'up to 0.00404376 SOL of rent',
    ]) {
      expect(said).toContain(part);
    }
    expect(sayGiving(read({ put: '' }, SOL), SOL, { rents: 0n, isThere: false })).toContain(
      'up to 5 SOL per 24 hours, rent included, until',
    );
  });
});

test('a mandate that is there stands in the fields as it is, and is read as the same (D-98)', () => {
  const limits = { permits: 6, cap: 1_500_001n, period: 5_400, expiresAt: 0n, maxAhead: 7_200, arbiter: address(OWN) };
  const mandate: Mandate = {
    ...limits,
    kind: 9,
    version: 1,
    bump: 255,
    asset: 1,
    owner: address(OWN),
    delegate: address(DELEGATE),
    periodStart: 0n,
    spent: 0n,
    reserved: new Uint8Array(19),
  };
  const typed = typedOf(mandate, USDC, NOW_MS);
  expect(typed).toMatchObject({ cap: '1.500001', hours: '1.5', days: '', kinds: 'tasks', onlyWithTerms: true });
  expect(readGiving(typed, DELEGATE.replace('4', '5'), USDC, NOW_MS)).toMatchObject({ limits });
});
