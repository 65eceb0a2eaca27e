import { getLegEncoder, LegStatus } from '@legwork/program-client';
import { address } from '@solana/kit';
import { expect, test } from 'vitest';
import { decodeAccount } from '../../src/pages/ledger/accountData.js';

const KEY = address('SysvarRent111111111111111111111111111111111');
const leg = { bump: 255, index: 1, swarm: KEY, courier: KEY, paymentLamports: 7n, completedAt: 0n };
const turn = { since: 1_800_000_000n, formation: 3, note: 1, percent: 0 };

const shown = (bytes: Uint8Array) => Object.fromEntries(decodeAccount(bytes)?.values ?? []);
const encoded = (fields: Parameters<ReturnType<typeof getLegEncoder>['encode']>[0]) =>
  Uint8Array.from(getLegEncoder().encode(fields));

test('a leg without terms shows its fields, and nothing of a turn', () => {
  const bytes = encoded({ ...leg, version: 1, status: LegStatus.Pending, turn: null });
  expect(decodeAccount(bytes)).toMatchObject({ title: 'Leg of a package', status: 'Pending' });
  expect(Object.keys(shown(bytes))).toEqual(['index', 'swarm', 'courier', 'paymentLamports', 'completedAt']);
});

test('a leg with terms shows its turn as fields of its own', () => {
  const bytes = encoded({ ...leg, version: 2, status: LegStatus.Disputed, turn });
  expect(decodeAccount(bytes)).toMatchObject({ status: 'Disputed' });
  expect(shown(bytes)).toMatchObject({ formation: { kind: 'words', text: '3' }, note: { text: '1' } });
});
