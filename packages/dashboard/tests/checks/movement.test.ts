import { type Movement, toLamports } from '@legwork/protocol/contract';
import { expect, test } from 'vitest';
import type { LedgerTransaction } from '../../src/checks/ledgerTransaction.js';
import { claimOf } from '../../src/checks/movement.js';
import { changeOf, checkClaim } from '../../src/checks/transaction.js';
import { programId, readRecorded as read, relayOf } from './readRecorded.js';

const RENT = 890_880n;

const [list, confirm, settle] = [read('list'), read('confirm'), read('settle')];
const [listed, confirmed] = [relayOf(list), relayOf(confirm)];
if (listed?.name !== 'listPackage' || confirmed?.name !== 'confirmLeg') throw new Error('they are recorded');
const vault: string = listed.accounts.vault.address;
const funder: string = listed.accounts.funder.address;
const courier: string = confirmed.accounts.courier.address;
const one = (what: string, from: string, to: string, lamports: bigint, { signature }: LedgerTransaction): Movement => ({
  what,
  from,
  to,
  lamports: toLamports(lamports),
  signature,
  legIndex: null,
  slot: null,
  appliedAt: null,
  finality: 'final',
});
const movements = [
  one('lock', funder, vault, listed.data.maxBudget, list),
  one('payment', vault, courier, -changeOf(confirm, vault), confirm),
  one('refund', vault, funder, -changeOf(settle, vault) - RENT, settle),
];
const escrow = { onChainVault: vault, vaultRentLamports: RENT, movements };
const cases = movements.map((movement, at) => [movement.what, movement, [list, confirm, settle][at]] as const);

test.each(cases)(
  'a %s is claimed as the ledger shows it, and another amount or party is found (D-10)',
  (_, movement, on) => {
    const outcome = (changed: Partial<Movement>) => {
      const other = { ...movement, ...changed };
      const claim = claimOf(
        'package',
        { ...escrow, movements: movements.map((each) => (each === movement ? other : each)) },
        other,
      );
      return claim && checkClaim(on, claim);
    };
    expect(outcome({})).toMatchObject({ holds: true });
    expect(outcome({ lamports: toLamports(movement.lamports + 1n) })).toMatchObject({ holds: false });
    expect(outcome({ from: programId })).toMatchObject({ holds: false });
    expect(outcome({ to: programId })).toMatchObject({ holds: false });
  },
);

test('two payments of one transaction are compared with what both took out of the vault (D-10)', () => {
  const [, payment, refund] = movements as [Movement, Movement, Movement];
  const split = [1n, payment.lamports - 1n].map((lamports) => ({ ...payment, lamports: toLamports(lamports) }));
  const claim = claimOf('package', { ...escrow, movements: [...split, refund] }, split.at(0) ?? payment);
  expect(claim && checkClaim(confirm, claim)).toMatchObject({ holds: true });
});

test('a kind of movement that is not known here is claimed as nothing', () => {
  expect(claimOf('task', escrow, one('donation', funder, vault, 1n, list))).toBeUndefined();
});
