import { once } from 'node:events';
import { createServer } from 'node:net';
import { operations, verifyRequest } from '@legwork/protocol/contract';
import type { Operation } from '@legwork/protocol/contract';
import { generateKeyPairSigner } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  createLegworkClient,
  downloadArtifact,
  everyItem,
  LegworkApiError,
  LegworkNetworkError,
  LegworkProtocolError,
} from '../src/index.js';
import { startOutsideService } from './support/outsideService.js';
import { portOf } from './support/ports.js';

const PACKAGE_ID = '01900000-0000-7000-8000-000000000001';
const bidAnswer = {
  id: '01900000-0000-7000-8000-000000000002',
  packageId: PACKAGE_ID,
  agentPubkey: '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU',
  costSol: 0.1,
  costLamports: 100_000_000,
  expectedPaymentLamports: 9_007_199_254_740_991,
  expiresAt: '2026-01-02T03:04:05.678Z',
  createdAt: '2026-01-02T03:00:00.000Z',
};

function bid(agentPubkey: string) {
  const places = { pickupLat: 52.5, pickupLng: 13.4, dropoffLat: 52.4, dropoffLng: 13.5 };
  return { packageId: PACKAGE_ID, agentPubkey, ...places, distanceKm: 15, estimatedDurationMin: 30, costSol: 0.1 };
}

function reputation(agentPubkey: string) {
  const counts = { legsAccepted: 2, legsCompleted: 1, reliabilityScore: 50 };
  return { agentPubkey, onChainPDA: agentPubkey, ...counts, mirroredAt: '2026-01-02T03:04:05.678Z' };
}

describe('a call', () => {
  test('has a method for every operation of the contracts', () => {
    const client = createLegworkClient({ url: 'http://127.0.0.1:1' });
    expect(Object.keys(client).sort()).toEqual([...Object.keys(operations), 'url'].sort());
  });

  test('puts each field where the contract wants it', async () => {
    const service = await startOutsideService(({ path }) => ({ json: path.includes('/packages?') ? [] : { a: 1 } }));
    const client = createLegworkClient({ url: `${service.url}/relay/` });
    await client.listPackages({ status: 'listed', limit: 3 });
    await client.getPackage({ packageId: 'a/b?c' }).catch(() => undefined);
    await client.registerAgent({ agentPubkey: 'x', capabilities: ['bike'] }).catch(() => undefined);
    expect(service.received.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['GET', '/relay/packages?status=listed&limit=3', ''],
      ['GET', '/relay/packages/a%2Fb%3Fc', ''],
      ['POST', '/relay/agents', '{"agentPubkey":"x","capabilities":["bike"]}'],
    ]);
  });

  test('gives lamports as bigint and instants as Date', async () => {
    const signer = await generateKeyPairSigner();
    const service = await startOutsideService(() => ({ status: 201, json: bidAnswer }));
    const answer = await createLegworkClient({ url: service.url, signer }).submitBid(bid(signer.address));
    expect(answer.expectedPaymentLamports).toBe(9_007_199_254_740_991n);
    expect(answer.expiresAt).toEqual(new Date('2026-01-02T03:04:05.678Z'));
  });

  test('refuses an answer of another form', async () => {
    const service = await startOutsideService(() => ({ json: { ...bidAnswer, costLamports: 'many' } }));
    const call = createLegworkClient({ url: service.url, signer: await generateKeyPairSigner() }).submitBid(bid('x'));
    await expect(call).rejects.toThrow(LegworkProtocolError);
  });

  test('refuses an address that is not http', () => {
    expect(() => createLegworkClient({ url: 'localhost:8080' })).toThrow(/give one such as http:\/\//);
  });

  test('names a missing path parameter and sends nothing', async () => {
    const service = await startOutsideService(() => ({ json: {} }));
    const client = createLegworkClient({ url: service.url });
    await expect(client.getPackage({ packageId: '' })).rejects.toThrow('getPackage needs packageId');
    expect(service.received).toEqual([]);
  });
});

describe('a signed call', () => {
  test('verifies over the bytes that were received', async () => {
    const signer = await generateKeyPairSigner();
    const service = await startOutsideService(() => ({ status: 201, json: bidAnswer }));
    const client = createLegworkClient({ url: service.url, signer });
    await client.submitBid({ ...bid(signer.address), reasoning: 'schnell – über die Brücke' });
    const [request] = service.received;
    const parts = { method: 'POST', host: service.host, path: '/bids', body: request?.body ?? '' };
    expect(verifyRequest(parts, request?.headers ?? {}, Date.now())).toMatchObject({
      ok: true,
      pubkey: signer.address,
    });
    const other = verifyRequest({ ...parts, body: `${parts.body} ` }, request?.headers ?? {}, Date.now());
    expect(other).toMatchObject({ ok: false, code: 'bad_signature' });
  });

  test('uses a nonce once', async () => {
    const signer = await generateKeyPairSigner();
    const service = await startOutsideService(() => ({ status: 201, json: bidAnswer }));
    const client = createLegworkClient({ url: service.url, signer });
    await Promise.all([client.submitBid(bid(signer.address)), client.submitBid(bid(signer.address))]);
    const nonces = service.received.map(({ headers }) => headers['x-nonce']);
    expect(new Set(nonces).size).toBe(2);
  });

  test('is not sent without a signer', async () => {
    const service = await startOutsideService(() => ({ json: bidAnswer }));
    await expect(createLegworkClient({ url: service.url }).submitBid(bid('x'))).rejects.toThrow(/must be signed/);
    expect(service.received).toEqual([]);
  });

  test('signs what may be signed, unless it names another agent', async () => {
    const signer = await generateKeyPairSigner();
    const service = await startOutsideService(() => ({ json: [] }));
    const client = createLegworkClient({ url: service.url, signer });
    await client.listBids({ packageId: PACKAGE_ID });
    await client.registerAgent({ agentPubkey: signer.address }).catch(() => undefined);
    await client.registerAgent({ agentPubkey: bidAnswer.agentPubkey }).catch(() => undefined);
    expect(service.received.map(({ headers }) => headers['x-pubkey'])).toEqual([
      signer.address,
      signer.address,
      undefined,
    ]);
    const [read] = service.received;
    const parts = { method: 'GET', host: service.host, path: `/packages/${PACKAGE_ID}/bids` };
    expect(verifyRequest(parts, read?.headers ?? {}, Date.now())).toMatchObject({ ok: true });
    await createLegworkClient({ url: service.url }).listBids({ packageId: PACKAGE_ID });
    expect(service.received[3]?.headers).not.toHaveProperty('x-signature');
  });

  test('of PATCH and DELETE carries what the contract says', async () => {
    const signer = await generateKeyPairSigner();
    const service = await startOutsideService(() => ({ json: {} }));
    const client = createLegworkClient({ url: service.url, signer });
    await client.withdrawBid({ bidId: PACKAGE_ID }).catch(() => undefined);
    await client.updateAgent({ agentPubkey: signer.address, displayName: 'Ada' }).catch(() => undefined);
    expect(service.received.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['DELETE', `/bids/${PACKAGE_ID}`, ''],
      ['PATCH', `/agents/${signer.address}`, '{"displayName":"Ada"}'],
    ]);
    for (const { method, path, body, headers } of service.received) {
      expect(verifyRequest({ method, host: service.host, path, body }, headers, Date.now())).toMatchObject({
        ok: true,
      });
    }
  });

  test('leaves open operations unsigned', async () => {
    const signer = await generateKeyPairSigner();
    const service = await startOutsideService(() => ({ json: reputation(signer.address) }));
    await createLegworkClient({ url: service.url, signer }).getReputation({ agentPubkey: signer.address });
    expect(service.received[0]?.headers).not.toHaveProperty('x-signature');
  });
});

describe('a header of its own', () => {
  const parcel = { originLat: 1, originLng: 1, destLat: 1, destLng: 1, description: 'a', weightKg: 1, volumeLitres: 1 };
  const posted = { ...parcel, shipperPubkey: bidAnswer.agentPubkey, maxBudgetSol: 1 };

  test('holds the API key, where an operation asks for one', async () => {
    const service = await startOutsideService(() => ({ json: {} }));
    const client = createLegworkClient({ url: service.url, apiKey: 'the key of the operator' });
    await client.postSponsored(posted).catch(() => undefined);
    await client.buildListTx(posted).catch(() => undefined);
    expect(service.received.map(({ headers }) => headers['x-api-key'])).toEqual(['the key of the operator', undefined]);
  });

  test('holds the name that a call was given', async () => {
    const service = await startOutsideService(() => ({ json: {} }));
    const client = createLegworkClient({ url: service.url });
    await client.postSponsored(posted, { idempotencyKey: 'order 7' }).catch(() => undefined);
    await client.postSponsored(posted).catch(() => undefined);
    expect(service.received.map(({ headers }) => headers['idempotency-key'])).toEqual(['order 7', undefined]);
  });
});

describe('a failure', () => {
  test('is a LegworkApiError with the code, the status and the fields of the problem', async () => {
    const errors = [{ field: 'costSol', message: 'must be at most 0.2' }];
    const problem = {
      type: 'about:blank',
      title: 't',
      status: 422,
      code: 'bid_above_budget',
      detail: 'too dear',
      errors,
    };
    const service = await startOutsideService(() => ({ status: 422, json: problem }));
    const call = createLegworkClient({ url: service.url }).registerAgent({ agentPubkey: 'x' });
    await expect(call).rejects.toMatchObject({ code: 'bid_above_budget', status: 422, detail: 'too dear', errors });
    await expect(call).rejects.toThrow(LegworkApiError);
  });

  test("shows a proxy's page as what it is", async () => {
    const service = await startOutsideService(() => ({ status: 413, text: '<html>Too large</html>' }));
    const call = createLegworkClient({ url: service.url }).registerAgent({ agentPubkey: 'x' });
    await expect(call).rejects.toMatchObject({ code: 'unreadable_problem', status: 413 });
  });

  test('to connect is a LegworkNetworkError that says what to check (S-166)', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${portOf(server)}`;
    server.close();
    await once(server, 'close');
    const call = createLegworkClient({ url }).registerAgent({ agentPubkey: 'x' });
    await expect(call).rejects.toThrow(LegworkNetworkError);
    await expect(call).rejects.toThrow(/nothing listens at .*check that it runs.*ECONNREFUSED/);
  });

  test('to answer in time is a LegworkNetworkError', async () => {
    const service = await startOutsideService(() => undefined);
    const call = createLegworkClient({ url: service.url, timeoutMs: 50 }).registerAgent({ agentPubkey: 'x' });
    await expect(call).rejects.toThrow('no answer within 50 ms');
  });

  test("of the caller's own signal rejects with its reason", async () => {
    const service = await startOutsideService(() => undefined);
    const stop = new AbortController();
    const call = createLegworkClient({ url: service.url }).getHealth(undefined, { signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
  });

  test('of a GET for the moment is tried again', async () => {
    let left = 2;
    const service = await startOutsideService(() => {
      left -= 1;
      return left < 0 ? { json: { status: 'ok' } } : { status: 503, text: '' };
    });
    await expect(createLegworkClient({ url: service.url }).getHealth()).resolves.toEqual({ status: 'ok' });
    expect(service.received).toHaveLength(3);
  });

  test('of a GET that lasts is reported after three attempts', async () => {
    const service = await startOutsideService(() => ({ status: 503, text: '' }));
    await expect(createLegworkClient({ url: service.url }).getHealth()).rejects.toMatchObject({ status: 503 });
    expect(service.received).toHaveLength(3);
  });

  test('of a POST is never repeated by itself', async () => {
    const service = await startOutsideService(() => ({ status: 503, text: '' }));
    const call = createLegworkClient({ url: service.url }).registerAgent({ agentPubkey: 'x' });
    await expect(call).rejects.toMatchObject({ status: 503 });
    expect(service.received).toHaveLength(1);
  });

  test('by a redirect is not followed, because it would change what was signed', async () => {
    const service = await startOutsideService(() => ({ status: 307, headers: { location: '/elsewhere' }, text: '' }));
    const call = createLegworkClient({ url: service.url }).registerAgent({ agentPubkey: 'x' });
    await expect(call).rejects.toThrow(LegworkNetworkError);
    expect(service.received).toHaveLength(1);
  });
});

describe('a list', () => {
  const next = (cursor: string) => ({ link: `<?limit=1&cursor=${encodeURIComponent(cursor)}>; rel="next"` });

  test('comes as a page with the cursor of its Link header', async () => {
    const service = await startOutsideService(({ path }) =>
      path.includes('cursor') ? { json: [] } : { json: [], headers: next('a=b&c') },
    );
    const client = createLegworkClient({ url: service.url });
    expect(await client.listPackages({})).toEqual({ items: [], nextCursor: 'a=b&c' });
    expect(await client.listPackages({ cursor: 'a=b&c' })).toEqual({ items: [], nextCursor: undefined });
    expect(service.received[1]?.path).toBe('/packages?cursor=a%3Db%26c');
  });

  test('understands a Link header with several links and other parameters', async () => {
    const links = '<https://x/packages?cursor=p>; rel="prev", <https://x/packages?cursor=n>; title="more"; rel=next';
    const service = await startOutsideService(() => ({ json: [], headers: { link: links } }));
    expect((await createLegworkClient({ url: service.url }).listPackages()).nextCursor).toBe('n');
  });

  test('is walked to its end by everyItem', async () => {
    const pages = new Map<string | undefined, { items: readonly number[]; nextCursor: string | undefined }>([
      [undefined, { items: [1, 2], nextCursor: 'b' }],
      ['b', { items: [], nextCursor: 'c' }],
      ['c', { items: [3], nextCursor: undefined }],
    ]);
    const list = async ({ cursor }: { cursor?: string | undefined }) =>
      pages.get(cursor) ?? { items: [], nextCursor: undefined };
    const seen: number[] = [];
    for await (const item of everyItem(list, {})) seen.push(item);
    expect(seen).toEqual([1, 2, 3]);
  });

  test('of the client is walked by everyItem with what that list can be asked for', async () => {
    const service = await startOutsideService(({ path }) =>
      path.includes('cursor') ? { json: [] } : { json: [], headers: next('b') },
    );
    const client = createLegworkClient({ url: service.url });
    for await (const { id } of everyItem(client.listPackages, { status: 'listed' })) expect(id).toBe('none is listed');
    expect(service.received.map(({ path }) => path)).toEqual([
      '/packages?status=listed',
      '/packages?status=listed&cursor=b',
    ]);
  });

  test('is an array in every contract that is paged', () => {
    const paged = Object.values<Operation>(operations).filter((operation) => operation.paged);
    expect(paged.filter(({ answer }) => !(answer instanceof z.ZodArray))).toEqual([]);
  });
});

test('a download whose signer refuses ends at once, and asks nobody', async () => {
  const { address } = await generateKeyPairSigner();
  let asked = 0;
  const signMessages = () => {
    asked += 1;
    return Promise.reject(new Error('The user said no.'));
  };
  const fetch = () => Promise.reject(new Error('nothing is to be fetched'));
  const client = createLegworkClient({ url: 'http://127.0.0.1:1', signer: { address, signMessages }, fetch });
  const file = { taskId: PACKAGE_ID, legId: PACKAGE_ID, sha256: 'a'.repeat(64) };
  await expect(downloadArtifact(client, file).next()).rejects.toThrow('The user said no.');
  expect(asked).toBe(1);
});

test('https to a service of http says in one sentence what to check, and keeps the cause (S-166)', async () => {
  const service = await startOutsideService(() => ({ json: {} }));
  const url = service.url.replace('http:', 'https:');
  const error: unknown = await createLegworkClient({ url })
    .registerAgent({ agentPubkey: '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU' })
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(LegworkNetworkError);
  expect(error).toMatchObject({ cause: expect.any(Error) as Error });
  expect(String(error)).toMatch(/does not speak https as expected; check whether its address starts with http:/);
  expect(String(error)).not.toMatch(/openssl|\n/i);
});
