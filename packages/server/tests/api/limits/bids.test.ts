import { SOL, createUuid, type RequestSigner, toLamports } from '@legwork/protocol/contract';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Runs } from '../../../src/operations/index.js';
import { bidBody } from '../../http/fixtures.js';
import { post } from '../../http/rawRequest.js';
import {
  headersFor,
  migrateDatabase,
  newSigner,
  startService,
  type TestService,
  UNLIMITED,
} from '../../http/service.js';
import { withTestDatabase } from '../../support/database.js';

const database = withTestDatabase(migrateDatabase);
const ADDRESS_LIMIT = 6;
const LIMITS = { ...UNLIMITED, bids: 2, bidsPerAddress: ADDRESS_LIMIT };

const submitBid: Runs['submitBid'] = async (_context, { packageId, agentPubkey, costSol }) => ({
  answer: {
    id: createUuid(),
    packageId,
    agentPubkey,
    ...SOL,
    cost: toLamports(1n),
    costSol: costSol ?? null,
    costLamports: toLamports(1n),
    expectedPayment: toLamports(1n),
    expectedPaymentLamports: toLamports(1n),
    expiresAt: new Date(0),
    createdAt: new Date(0),
    warning: null,
  },
});
let service: TestService;
let clients = 0;

beforeAll(async () => {
  service = await startService(database.connectionString, { submitBid }, { limits: LIMITS, trustProxy: ['127.0.0.1'] });
});
afterAll(() => service.close());

function newClient(): string {
  clients += 1;
  return `198.51.100.${clients}`;
}

async function bid(client: string, signer: RequestSigner, signed = signer, to = service) {
  const body = JSON.stringify(bidBody(signer.pubkey));
  const headers = await headersFor(to, { signer: signed, body });
  const claimed = { ...headers, 'X-Pubkey': signer.pubkey };
  const sent = { 'content-type': 'application/json', 'x-forwarded-for': client, host: new URL(to.url).host };
  return post(to.port, '/bids', body, { ...sent, ...claimed });
}

function bidByTool(client: string, agentPubkey: string, headers: Record<string, string> = {}) {
  const body = JSON.stringify({ tool: 'svc_submit_bid', arguments: bidBody(agentPubkey) });
  const sent = { 'content-type': 'application/json', 'x-forwarded-for': client, host: new URL(service.url).host };
  return post(service.port, '/mcp/call', body, { ...sent, ...headers });
}

describe('bids', () => {
  test('[S-18] are counted for each agent and address', async () => {
    const client = newClient();
    const agent = newSigner();
    const answers = [await bid(client, agent), await bid(client, agent), await bid(client, agent)];
    expect(
      answers.map(({ status, headers }) => [status, headers['ratelimit-limit'], headers['ratelimit-remaining']]),
    ).toEqual([
      [201, '2', '1'],
      [201, '2', '0'],
      [429, '2', '0'],
    ]);
    expect(answers[2]?.body['detail']).toContain('2 bids a minute');
    expect((await bid(client, newSigner())).status).toBe(201);
    expect((await bid(newClient(), agent)).status).toBe(201);
  });

  test('[S-18] unsigned ones in the name of an agent use up nothing of what it signs', async () => {
    const client = newClient();
    const agent = newSigner();
    const unsigned = [];
    for (let sent = 0; sent < 3; sent += 1) unsigned.push(await bidByTool(client, agent.pubkey));
    expect(unsigned.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect((await bid(client, agent)).headers['ratelimit-remaining']).toBe('1');
  });

  test('[S-18] with a forged signature use up nothing of the agent they name', async () => {
    const client = newClient();
    const agent = newSigner();
    const forger = newSigner();
    for (let sent = 0; sent < 3; sent += 1) {
      const { status, body } = await bid(client, agent, forger);
      expect([status, body['code']]).toEqual([401, 'bad_signature']);
    }
    expect((await bid(client, agent)).headers['ratelimit-remaining']).toBe('1');
  });

  test('[S-18] are counted for their address before a signature is verified, so that past it none is', async () => {
    const client = newClient();
    const [agent, forger] = [newSigner(), newSigner()];
    const answers = [];
    for (let sent = 0; sent < ADDRESS_LIMIT + 2; sent += 1) answers.push(await bid(client, newSigner(), forger));
    expect(answers.map(({ status, headers }) => [status, headers['ratelimit-remaining']])).toEqual([
      ...[5, 4, 3, 2, 1, 0].map((left) => [401, String(left)]),
      [429, '0'],
      [429, '0'],
    ]);
    const over = await bid(client, agent);
    expect([over.status, over.headers['ratelimit-limit']]).toEqual([429, String(ADDRESS_LIMIT)]);
    expect(over.body['detail']).toContain(`${ADDRESS_LIMIT} bids a minute from one address`);
    // Refused from memory: nothing was written for those past the limit.
    expect(await pointsOf(`bidsPerAddress:${client}`)).toBe(ADDRESS_LIMIT);
    expect((await bid(newClient(), agent)).status).toBe(201);
  });

  test('[S-18] by tool with an Idempotency-Key are refused before they are verified: no nonce is spent', async () => {
    const client = newClient();
    const agent = newSigner();
    for (let bids = 0; bids < ADDRESS_LIMIT; bids += 1) await bid(client, newSigner(), agent);
    const body = JSON.stringify({ tool: 'svc_submit_bid', arguments: bidBody(agent.pubkey) });
    const signed = await headersFor(service, { signer: agent, path: '/mcp/call', body });
    const named = { 'idempotency-key': 'once', host: new URL(service.url).host };
    const sent = { 'content-type': 'application/json', 'x-forwarded-for': client, ...named };
    const over = await post(service.port, '/mcp/call', body, { ...sent, ...signed });
    expect([over.status, over.headers['ratelimit-limit']]).toEqual([429, String(ADDRESS_LIMIT)]);
    expect(await noncesOf(agent.pubkey)).toBe(0);
  });

  test('[S-18] of as many keys as one likes, at once, no more are taken from one address than its limit', async () => {
    const limits = { ...UNLIMITED, bids: 20, bidsPerAddress: 24 };
    const open = await startService(database.connectionString, { submitBid }, { limits, trustProxy: ['127.0.0.1'] });
    onTestFinished(() => open.close());
    const client = newClient();
    const statuses = [(await bid(client, newSigner(), undefined, open)).status];
    // However slow this machine is, the minute does not end meanwhile.
    await sql`update rate_limits set expire = expire + 3600000 where key like ${`%:${client}`}`.execute(
      open.context.db,
    );
    for (let round = 0; round < 6; round += 1) {
      const some = Array.from({ length: 7 }, () => bid(client, newSigner(), undefined, open));
      statuses.push(...(await Promise.all(some)).map(({ status }) => status));
    }
    expect(statuses.filter((status) => status === 201)).toHaveLength(24);
    expect(statuses.filter((status) => status === 429)).toHaveLength(19);
  });

  test('[S-18] a bid that is one too many does not spend its nonce', async () => {
    const client = newClient();
    const agent = newSigner();
    await bid(client, agent);
    await bid(client, agent);
    const before = await noncesOf(agent.pubkey);
    expect((await bid(client, agent)).status).toBe(429);
    expect(await noncesOf(agent.pubkey)).toBe(before);
  });
});

/** The points counted under a key. */
async function pointsOf(key: string): Promise<number | undefined> {
  const { rows } = await sql<{ points: number }>`select points from rate_limits where key = ${key}`.execute(
    service.context.db,
  );
  return rows[0]?.points;
}

async function noncesOf(pubkey: string): Promise<number> {
  const rows = await service.context.db.selectFrom('nonces').select('nonce').where('pubkey', '=', pubkey).execute();
  return rows.length;
}
