import { createNonce, createUuid } from '@legwork/protocol/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Runs } from '../../src/operations/index.js';
import { withTestDatabase } from '../support/database.js';
import { agentBody } from '../http/fixtures.js';
import { JSON_TYPE, post, rawRequest } from '../http/rawRequest.js';
import { refusal } from '../http/refusals.js';
import { headersFor, migrateDatabase, newSigner, startService, type TestService } from '../http/service.js';

const database = withTestDatabase(migrateDatabase);
const KEYS = ['the-first-key-of-two', 'the-second-key-of-two'];
const callers: (string | undefined)[] = [];

const runs: Partial<Runs> = {
  registerAgent: async (_context, { agentPubkey }, { pubkey }) => {
    callers.push(pubkey);
    const airdrop = { status: 'skipped', signature: null, reason: 'none' } as const;
    const configSnippets = { claudeCode: 'a', cursor: 'b' };
    return { answer: { registered: true, agentPubkey, airdrop, tokens: [], systemPrompt: 'prompt', configSnippets } };
  },
  listBids: async (_context, _input, { pubkey }) => {
    callers.push(pubkey);
    return { answer: [] };
  },
  withdrawBid: async (_context, _input, { pubkey }) => {
    callers.push(pubkey);
    throw new Error('not needed further');
  },
  postSponsored: async (_context, _input, { pubkey }) => {
    callers.push(pubkey);
    throw new Error('not needed further');
  },
};
let service: TestService;
let open: TestService;

beforeAll(async () => {
  service = await startService(database.connectionString, runs, { apiKeys: KEYS });
  open = await startService(database.connectionString, runs);
});
afterAll(() => Promise.all([service.close(), open.close()]));

describe('an operation that may be signed', () => {
  const register = async (headers: Record<string, string>, body: string) =>
    post(service.port, '/agents', body, { ...JSON_TYPE, host: new URL(service.url).host, ...headers });

  test('[S-10] is run without a signature, for nobody in particular', async () => {
    callers.length = 0;
    expect((await register({}, agentBody())).status).toBe(200);
    expect(callers).toEqual([undefined]);
  });

  test('[S-10] is run for its signer', async () => {
    callers.length = 0;
    const signer = newSigner();
    const body = JSON.stringify({ agentPubkey: signer.pubkey });
    expect((await register(await headersFor(service, { signer, path: '/agents', body }), body)).status).toBe(200);
    expect(callers).toEqual([signer.pubkey]);
  });

  test.each(['X-Pubkey', 'X-Nonce', 'X-Signature'])('[S-10] is refused with %s alone', async (name) => {
    const body = agentBody();
    const all: Record<string, string> = { ...(await headersFor(service, { path: '/agents', body })) };
    const one = { [name]: all[name] ?? '' };
    expect(await refusal(service, () => register(one, body))).toMatchObject({ status: 401, code: 'missing_header' });
  });

  test('[S-10] is refused with a wrong signature', async () => {
    const headers = await headersFor(service, { path: '/agents', body: 'another' });
    expect(await refusal(service, () => register({ ...headers }, agentBody()))).toMatchObject({
      status: 401,
      code: 'bad_signature',
    });
  });

  test('[S-14] is refused in the name of another agent', async () => {
    const body = agentBody();
    const headers = await headersFor(service, { path: '/agents', body });
    expect(await refusal(service, () => register({ ...headers }, body))).toMatchObject({
      status: 403,
      code: 'pubkey_mismatch',
    });
  });

  test('[S-13] spends its nonce, reading too', async () => {
    const signer = newSigner();
    const path = `/packages/${createUuid()}/bids`;
    const headers = await headersFor(service, { signer, method: 'GET', path, nonce: createNonce(Date.now()) });
    const read = () => rawRequest(service.port, { path, headers: { ...headers, host: new URL(service.url).host } });
    callers.length = 0;
    expect((await read()).status).toBe(200);
    expect(callers).toEqual([signer.pubkey]);
    expect(await refusal(service, read)).toMatchObject({ status: 401, code: 'replayed_nonce' });
  });
});

test('[S-10] a DELETE is signed like any other request', async () => {
  const signer = newSigner();
  const path = `/bids/${createUuid()}`;
  const remove = async (signed: string) => {
    const headers = await headersFor(service, { signer, method: 'DELETE', path: signed });
    return rawRequest(service.port, {
      method: 'DELETE',
      path,
      headers: { ...headers, host: new URL(service.url).host },
    });
  };
  expect(await refusal(service, () => remove(`/bids/${createUuid()}`))).toMatchObject({ code: 'bad_signature' });
  callers.length = 0;
  await remove(path);
  expect(callers).toEqual([signer.pubkey]);
});

describe('an operation that needs a key', () => {
  const sponsor = (to: TestService, headers: Record<string, string>, body: string) =>
    post(to.port, '/packages/sponsored', body, { ...JSON_TYPE, ...headers });

  test.each([
    ['no key', {}],
    ['a key nobody knows', { 'x-api-key': 'the-third-key-of-two!' }],
    ['the beginning of a key', { 'x-api-key': KEYS[0]?.slice(0, -1) ?? '' }],
    ['both keys in one', { 'x-api-key': KEYS.join(',') }],
    ['an empty key', { 'x-api-key': '' }],
  ])('[S-17] is refused with %s, before its input is judged', async (_what, headers) => {
    expect(await refusal(service, () => sponsor(service, headers, '{}'))).toMatchObject({
      status: 401,
      code: 'api_key_required',
    });
  });

  test.each(KEYS)('[S-17] is taken with any of the keys: %s', async (key) => {
    expect((await sponsor(service, { 'x-api-key': key }, '{}')).body['code']).toBe('invalid_input');
  });

  test('[S-17] needs none where none is configured', async () => {
    expect((await sponsor(open, {}, '{}')).body['code']).toBe('invalid_input');
  });

  test('[S-17] is not opened by a signature', async () => {
    const headers = await headersFor(service, { path: '/packages/sponsored', body: '{}' });
    const host = new URL(service.url).host;
    expect(await refusal(service, () => sponsor(service, { ...headers, host }, '{}'))).toMatchObject({
      code: 'api_key_required',
    });
  });
});
