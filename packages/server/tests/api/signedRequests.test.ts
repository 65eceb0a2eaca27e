import {
  createNonce,
  createRequestSigner,
  createUuid,
  HEADER_SIGNATURE,
  type RequestSigner,
} from '@legwork/protocol/contract';
import { base58, base64 } from '@scure/base';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sweepNonces } from '../../src/identity/nonces.js';
import { withTestDatabase } from '../support/database.js';
import { bidBody, submitBid } from '../http/fixtures.js';
import {
  headersFor,
  migrateDatabase,
  newSigner,
  PUBLIC_HOST,
  rowsOf,
  startService,
  type TestService,
  type ToSign,
} from '../http/service.js';
import { rawRequest } from '../http/rawRequest.js';

const database = withTestDatabase(migrateDatabase);
let service: TestService;
let signer: RequestSigner;

beforeAll(async () => {
  service = await startService(database.connectionString, { submitBid });
});
afterAll(() => service.close());

interface Sent {
  signed?: ToSign;
  headers?: Record<string, string>;
  body?: string;
  path?: string;
}

/** Signs what `signed` says and sends `body` to `path`: where they differ, the signature is for something else. */
async function post({ signed = {}, headers = {}, body, path = '/bids' }: Sent) {
  const signedBody = signed.body ?? body ?? JSON.stringify(bidBody(signer.pubkey));
  const own = await headersFor(service, { signer, ...signed, body: signedBody });
  const response = await fetch(`${service.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...own, ...headers },
    body: body ?? signedBody,
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** The refusal that is answered; fails when any row changed. */
async function refusal(send: () => Promise<{ status: number; body: Record<string, unknown> }>) {
  const before = await rowsOf(service.context.db);
  const { status, body } = await send();
  expect(await rowsOf(service.context.db)).toEqual(before);
  return { ...body, status };
}

describe('a signed operation', () => {
  beforeAll(() => {
    signer = newSigner();
  });

  test('[S-10] takes a request signed for its method, host, path, nonce and body', async () => {
    signer = newSigner();
    const { status, body } = await post({});
    expect(status).toBe(201);
    expect(body['agentPubkey']).toBe(signer.pubkey);
    expect(body['expectedPaymentLamports']).toBe(Number.MAX_SAFE_INTEGER);
    const agent = await service.context.db
      .selectFrom('agents')
      .selectAll()
      .where('pubkey', '=', signer.pubkey)
      .execute();
    expect(agent).toHaveLength(1);
  });

  test('[S-10] takes a base64 signature too', async () => {
    signer = newSigner();
    const text = JSON.stringify(bidBody(signer.pubkey));
    const headers = await headersFor(service, { signer, body: text });
    const inBase64 = base64.encode(base58.decode(headers[HEADER_SIGNATURE]));
    expect((await post({ headers: { ...headers, [HEADER_SIGNATURE]: inBase64 }, body: text })).status).toBe(201);
  });

  test.each(['X-Pubkey', 'X-Nonce', 'X-Signature'])('[S-10] refuses a request without %s', async (name) => {
    const answer = await refusal(() => post({ headers: { [name]: '' } }));
    expect(answer).toMatchObject({ status: 401, code: 'missing_header', detail: expect.stringContaining(name) });
  });

  test('[S-11] takes a request sent to the public host, whatever the connection', async () => {
    signer = newSigner();
    const body = JSON.stringify(bidBody(signer.pubkey));
    const headers = await headersFor(service, { signer, host: PUBLIC_HOST, body });
    const answer = await rawRequest(service.port, {
      method: 'POST',
      path: '/bids',
      headers: { host: PUBLIC_HOST, 'content-type': 'application/json', ...headers },
      body,
    });
    expect(answer.status).toBe(201);
  });

  test('[S-11] refuses a host it does not answer for, and says which it does', async () => {
    const body = JSON.stringify(bidBody(signer.pubkey));
    const host = 'evil.example';
    const headers = await headersFor(service, { signer, host, body });
    const send = () =>
      rawRequest(service.port, {
        method: 'POST',
        path: '/bids',
        headers: { host, 'content-type': 'application/json', ...headers },
        body,
      });
    const detail = expect.stringContaining(PUBLIC_HOST);
    expect(await refusal(send)).toMatchObject({ status: 401, code: 'unknown_host', detail });
  });

  test('[S-11] refuses a signature for another host', async () => {
    expect(await refusal(() => post({ signed: { host: PUBLIC_HOST } }))).toMatchObject({
      status: 401,
      code: 'bad_signature',
    });
  });

  test.each([
    ['another method', { method: 'PUT' }],
    ['another path', { path: '/packages' }],
    ['another query', { path: '/bids?x=1' }],
    ['another body', { body: '{}' }],
  ])('[S-12] refuses a signature for %s', async (_what, signed) => {
    const body = JSON.stringify(bidBody(signer.pubkey));
    expect(await refusal(() => post({ signed, body }))).toMatchObject({ status: 401, code: 'bad_signature' });
  });

  test('[S-12] refuses a body with one byte changed, even white space', async () => {
    const body = JSON.stringify(bidBody(signer.pubkey));
    expect(await refusal(() => post({ signed: { body }, body: `${body} ` }))).toMatchObject({
      status: 401,
      code: 'bad_signature',
    });
  });

  test("[S-12] refuses another agent's key over this signature", async () => {
    expect(await refusal(() => post({ headers: { 'X-Pubkey': newSigner().pubkey } }))).toMatchObject({
      status: 401,
      code: 'bad_signature',
    });
  });

  test('[S-12] refuses a signature that is not 64 bytes', async () => {
    expect(await refusal(() => post({ headers: { 'X-Signature': 'abc' } }))).toMatchObject({
      status: 401,
      code: 'bad_signature',
    });
  });

  test('[S-12] refuses a key of small order, under which anybody can sign', async () => {
    const identity = base58.encode(Uint8Array.from([1, ...new Uint8Array(31)]));
    expect(await refusal(() => post({ headers: { 'X-Pubkey': identity } }))).toMatchObject({
      status: 401,
      code: 'invalid_pubkey',
    });
  });

  test('[S-12] refuses a key that is no key', async () => {
    expect(await refusal(() => post({ headers: { 'X-Pubkey': 'me' } }))).toMatchObject({
      status: 401,
      code: 'invalid_pubkey',
    });
  });

  test('[S-12] checks the signature before the form of the input', async () => {
    expect(await refusal(() => post({ body: '{"surprise":1}', signed: { body: '{}' } }))).toMatchObject({
      status: 401,
      code: 'bad_signature',
    });
  });

  test('[S-13] refuses a nonce a second time', async () => {
    signer = newSigner();
    const nonce = createNonce(Date.now());
    expect((await post({ signed: { nonce } })).status).toBe(201);
    expect(await refusal(() => post({ signed: { nonce } }))).toMatchObject({ status: 401, code: 'replayed_nonce' });
  });

  test('[S-13] takes one of many requests with the same nonce at once', async () => {
    signer = newSigner();
    const nonce = createNonce(Date.now());
    const body = JSON.stringify(bidBody(signer.pubkey));
    const answers = await Promise.all(Array.from({ length: 10 }, () => post({ signed: { nonce }, body })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ body: { code } }) => code === 'replayed_nonce')).toHaveLength(9);
  });

  test('[S-13] two agents may use the same nonce', async () => {
    const nonce = createNonce(Date.now());
    signer = newSigner();
    expect((await post({ signed: { nonce } })).status).toBe(201);
    signer = newSigner();
    expect((await post({ signed: { nonce } })).status).toBe(201);
  });

  test('[S-13] a forged request does not spend the nonce of the agent it names', async () => {
    signer = newSigner();
    const nonce = createNonce(Date.now());
    const body = JSON.stringify(bidBody(signer.pubkey));
    const forger = newSigner();
    const forged = () => post({ signed: { nonce, signer: forger }, headers: { 'X-Pubkey': signer.pubkey }, body });
    expect(await refusal(forged)).toMatchObject({ status: 401, code: 'bad_signature' });
    expect((await post({ signed: { nonce }, body })).status).toBe(201);
  });

  test('[S-13] a request refused for its form does not spend its nonce', async () => {
    signer = newSigner();
    const nonce = createNonce(Date.now());
    expect(await refusal(() => post({ signed: { nonce }, body: '{}' }))).toMatchObject({
      status: 400,
      code: 'invalid_input',
    });
    expect((await post({ signed: { nonce } })).status).toBe(201);
  });

  test.each([
    ['two minutes old', -120_000],
    ['two minutes ahead', 120_000],
  ])('[S-13] refuses a nonce %s', async (_what, offset) => {
    expect(await refusal(() => post({ signed: { nonce: createNonce(Date.now() + offset) } }))).toMatchObject({
      status: 401,
      code: 'stale_nonce',
    });
  });

  test('[S-12] refuses a nonce of another form', async () => {
    expect(await refusal(() => post({ signed: { nonce: 'soon' } }))).toMatchObject({
      status: 401,
      code: 'malformed_nonce',
    });
  });

  test('[S-14] refuses a bid in the name of another agent', async () => {
    const other = newSigner().pubkey;
    const errors = [{ field: 'agentPubkey', message: expect.stringContaining(signer.pubkey) }];
    const send = () => post({ body: JSON.stringify(bidBody(other)) });
    expect(await refusal(send)).toMatchObject({ status: 403, code: 'pubkey_mismatch', errors });
  });

  test('[S-15] old nonces are forgotten, those still usable are kept', async () => {
    const { db } = service.context;
    await db.deleteFrom('nonces').execute();
    const pubkey = createRequestSigner(new Uint8Array(32).fill(7)).pubkey;
    const used = (minutes: number) => new Date(Date.now() - minutes * 60_000);
    await db
      .insertInto('nonces')
      .values([
        ...Array.from({ length: 20 }, () => ({ pubkey, nonce: createUuid(), used_at: used(11) })),
        { pubkey, nonce: 'fresh', used_at: used(2) },
      ])
      .execute();
    expect(await sweepNonces(db)).toBe(20);
    expect(await db.selectFrom('nonces').select('nonce').execute()).toEqual([{ nonce: 'fresh' }]);
  });
});
