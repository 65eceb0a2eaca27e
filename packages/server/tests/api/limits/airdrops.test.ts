import { generateKeyPairSigner } from '@solana/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../../src/config.js';
import { type RunningServer, startServer } from '../../../src/startServer.js';
import { post } from '../../mcp/toolCalls.js';
import { LyingNode } from '../../support/lyingNode.js';
import { withService } from '../../support/service.js';

// The limit that nobody configured; a proxy says where requests come from.
const SETTINGS = { LIMIT_AIRDROPS: '', TRUST_PROXY: '127.0.0.1' };
const LIMIT = 30;

const service = withService({ settings: () => SETTINGS });
let ledger: LyingNode;
/** Another replica, whose ledger may be made to refuse. */
let replica: RunningServer;

beforeAll(async () => {
  ledger = await LyingNode.start(service.current.ledger.rpcUrl);
  const settings = { ...service.current.environment(), ...SETTINGS, LOG_LEVEL: 'silent', SOLANA_RPC_URL: ledger.url };
  replica = await startServer(loadConfig(settings));
});
afterAll(async () => {
  await replica.close();
  await ledger.close();
});

const newPubkey = async (): Promise<string> => (await generateKeyPairSigner()).address;

/** Registers a key from an address, and answers what became of its airdrop. */
async function register(from: string, agentPubkey: string, { url } = service.current.server) {
  const answer = await post(url, { agentPubkey }, { 'x-forwarded-for': from }, '/agents');
  const body = (await answer.json()) as { registered: boolean; airdrop: { status: string; reason: string | null } };
  expect([answer.status, body.registered]).toEqual([200, true]);
  return body.airdrop;
}

/** Registers so many fresh keys, one after the other, at the two replicas by turns. */
async function registerFresh(from: string, count: number) {
  const airdrops = [];
  for (let index = 0; index < count; index += 1) {
    airdrops.push(await register(from, await newPubkey(), index % 2 === 0 ? service.current.server : replica));
  }
  return airdrops;
}

test('60 fresh keys of one address get 30 airdrops a day at all replicas together, and are all registered (S-73)', async () => {
  const airdrops = await registerFresh('192.0.2.1', 60);
  expect(airdrops.map(({ status }) => status)).toEqual([
    ...Array.from({ length: LIMIT }, () => 'sent'),
    ...Array.from({ length: LIMIT }, () => 'skipped'),
  ]);
  const reason = airdrops.at(-1)?.reason ?? '';
  expect(reason).toMatch(/^30 airdrops a day are given to one address; try again after \S+Z$/);
  const hours = (Date.parse(reason.split(' ').at(-1) ?? '') - Date.now()) / 3_600_000;
  expect(hours).toBeGreaterThan(23);
  expect(hours).toBeLessThanOrEqual(24);
  expect((await register('192.0.2.2', await newPubkey())).status).toBe('sent');
});

test('a wallet that was refused for its address may ask at another one (S-73)', async () => {
  await registerFresh('192.0.2.3', LIMIT);
  const pubkey = await newPubkey();
  expect((await register('192.0.2.3', pubkey)).status).toBe('skipped');
  expect((await register('192.0.2.4', pubkey)).status).toBe('sent');
});

test('what is not given uses up nothing: to wallets that had theirs, past the limit, or refused by the faucet (S-73)', async () => {
  const client = '192.0.2.5';
  await registerFresh(client, LIMIT - 1);
  const known = await newPubkey();
  await register('192.0.2.6', known);
  for (let again = 0; again < 3; again += 1) expect((await register(client, known)).status).toBe('skipped');

  const empty = await ledger.begin({ kind: 'rpc', code: -32_602, message: 'the faucet is empty' }, ['requestAirdrop']);
  const [refused, later] = [await newPubkey(), await newPubkey()];
  for (let again = 0; again < 3; again += 1) expect((await register(client, refused, replica)).status).toBe('failed');
  await empty.end();
  expect((await register(client, refused, replica)).status).toBe('sent');
  expect((await register(client, later, replica)).status).toBe('skipped');
});
