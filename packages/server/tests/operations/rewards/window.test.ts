import { LegworkError, toLamports } from '@legwork/protocol/contract';
import { DEFAULT_CLAIM_WINDOW } from '@legwork/protocol/rules';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConfigError, loadConfig } from '../../../src/config.js';
import type { AppContext } from '../../../src/context.js';
import { previewRewardClaim } from '../../../src/money/rewards.js';
import { registerRewardClaim } from '../../../src/money/rewards.js';
import { newAddress } from '../digitalTasks/rows.js';
import { migrateDatabase, testContext } from '../../http/service.js';
import { withTestDatabase } from '../../support/database.js';
import { newWalletPubkey } from './scene.js';

const database = withTestDatabase(migrateDatabase, 'service');
const ZERO = toLamports(0n);
const CALLER = { pubkey: undefined, ip: '127.0.0.1' };
let context: AppContext;

beforeAll(async () => {
  context = await testContext(database.connectionString);
});
afterAll(() => context.db.destroy());

/** The result of a claim at this instant: the time that it records, or the code of its refusal. */
async function claimAt(instant: string): Promise<unknown> {
  const devnetPubkey = newAddress();
  const at = { ...context, clock: () => new Date(instant) };
  const input = { devnetPubkey, mainnetPubkey: newWalletPubkey(), confirmedEarningsLamports: ZERO };
  const told = await registerRewardClaim(at, input, CALLER).then(
    ({ answer }) => answer.claimedAt.toISOString(),
    (error: unknown) => (error instanceof LegworkError ? error.code : error),
  );
  const { answer } = await previewRewardClaim(at, { devnetPubkey });
  return { told, isOpen: answer.window.isOpen };
}

test.each([
  ['2026-05-10T23:59:59.999Z', false],
  ['2026-05-11T00:00:00.000Z', true],
  ['2026-05-14T12:00:00.000Z', true],
  ['2026-05-17T23:59:00.000Z', true],
  ['2026-05-17T23:59:59.999Z', true],
  ['2026-05-18T00:00:00.000Z', false],
])('at %s the window is open: %s (M-67, S-67)', async (instant, isOpen) => {
  expect(await claimAt(instant)).toEqual({ told: isOpen ? instant : 'claim_window_closed', isOpen });
});

test('who claimed in time is shown its claim afterwards, not that it is too late (S-67)', async () => {
  const input = { devnetPubkey: newAddress(), mainnetPubkey: newWalletPubkey(), confirmedEarningsLamports: ZERO };
  const inTime = { ...context, clock: () => DEFAULT_CLAIM_WINDOW.closesAt };
  const { answer } = await registerRewardClaim(inTime, input, CALLER);
  const late = { ...context, clock: () => new Date(DEFAULT_CLAIM_WINDOW.closesAt.getTime() + 1) };
  await expect(registerRewardClaim(late, input, CALLER)).rejects.toMatchObject({
    code: 'already_claimed',
    extension: { claim: { id: answer.id } },
  });
});

const NEEDED = {
  DATABASE_URL: 'postgresql://127.0.0.1/none',
  SOLANA_RPC_URL: 'http://127.0.0.1:8899',
  RELAY_PROGRAM_ID: '11111111111111111111111111111111',
  COORDINATOR_KEYPAIR: 'file',
};

test('the window and the key of the organiser are settings (M-67, S-68)', () => {
  expect(loadConfig(NEEDED)).toMatchObject({ claimWindow: DEFAULT_CLAIM_WINDOW, adminKey: undefined });
  const window = { REWARD_WINDOW_OPENS: '2027-01-01T00:00:00+01:00', REWARD_WINDOW_CLOSES: '2027-01-02T00:00:00.001Z' };
  expect(loadConfig({ ...NEEDED, ...window, ADMIN_KEY: 'x'.repeat(24) })).toMatchObject({
    claimWindow: { opensAt: new Date('2026-12-31T23:00:00.000Z'), closesAt: new Date('2027-01-02T00:00:00.001Z') },
    adminKey: 'x'.repeat(24),
  });
});

test.each([
  [{ ADMIN_KEY: 'x'.repeat(23) }, /ADMIN_KEY: must have at least 24 characters/],
  [{ REWARD_WINDOW_OPENS: 'May' }, /REWARD_WINDOW_OPENS: must be an instant such as/],
  [
    { REWARD_WINDOW_CLOSES: '2026-05-10T23:59:59.999Z' },
    /REWARD_WINDOW_CLOSES: must not be before REWARD_WINDOW_OPENS/,
  ],
])('%j stops the start with a sentence that names it', (wrong, sentence) => {
  expect(() => loadConfig({ ...NEEDED, ...wrong })).toThrow(ConfigError);
  expect(() => loadConfig({ ...NEEDED, ...wrong })).toThrow(sentence);
});
