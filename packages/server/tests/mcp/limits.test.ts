import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config.js';
import { type RunningServer, startServer } from '../../src/startServer.js';
import { bidInput } from '../support/market.js';
import { type Party, withService } from '../support/service.js';
import { callTool, failureOf, modern, post, rpc, toolsCall } from './toolCalls.js';

const LIMIT = 6;
const BIDS = 2;
const BIDS_PER_ADDRESS = 4;
const LIMITS = {
  LIMIT_TOOL_CALLS: String(LIMIT),
  LIMIT_BIDS: String(BIDS),
  LIMIT_BIDS_PER_ADDRESS: String(BIDS_PER_ADDRESS),
  LIMIT_READS: '7',
};

const listing = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

const service = withService({ settings: () => LIMITS });
const started: RunningServer[] = [];

/** Another replica on the same ledger and database. */
async function replica(): Promise<RunningServer> {
  const config = loadConfig({ ...service.current.environment(), ...LIMITS, LOG_LEVEL: 'silent' });
  const server = await startServer(config);
  started.push(server);
  return server;
}

// Counts are kept in memory too, for clients that are over: each test has a service of its own.
beforeEach(async () => {
  await service.current.stop();
  await sql`truncate rate_limits`.execute(service.current.db);
  await service.current.restart();
});
afterAll(() => Promise.all(started.map((server) => server.close())));

const callOne = async (server: RunningServer): Promise<number> =>
  (await callTool({ server }, 'svc_leaderboard')).status;
const rpcOne = async (server: RunningServer): Promise<number> =>
  (await rpc(server.url, toolsCall('svc_leaderboard'))).status;

describe('the allowance of tool calls', () => {
  test('is one for /mcp, /mcp/call and all replicas together, and then the answer is 429 (S-18)', async () => {
    const [one, two] = [service.current.server, await replica()];
    const statuses = [];
    for (const ask of [callOne, rpcOne, callOne, rpcOne]) {
      statuses.push(await ask(one));
      statuses.push(await ask(two));
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429, 429]);
  });

  test('is told with every answer, and a refusal says when to come back (S-18)', async () => {
    const told = ({ headers }: { headers: Headers }) =>
      ['ratelimit-limit', 'ratelimit-remaining'].map((name) => headers.get(name));
    const { server } = service.current;
    expect(told(await callTool(service.current, 'svc_leaderboard'))).toEqual(['6', '5']);
    expect(told(await rpc(server.url, toolsCall('svc_leaderboard')))).toEqual(['6', '4']);
    for (let left = 4; left > 0; left -= 1) await callOne(server);
    for (const refused of [
      await callTool(service.current, 'svc_leaderboard'),
      await rpc(server.url, toolsCall('svc_leaderboard')),
    ]) {
      expect([refused.status, ...told(refused)]).toEqual([429, '6', '0']);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(refused.headers.get('content-type')).toContain('application/problem+json');
    }
  });

  test('counts each call of a batch, and reads of resources, but not what never changes (S-18)', async () => {
    const { url } = service.current.server;
    for (let times = 0; times < 3; times += 1) expect((await rpc(url, listing)).status).toBe(200);
    const batch = Array.from({ length: LIMIT - 1 }, (_unused, id) => toolsCall('svc_leaderboard', {}, id));
    expect((await rpc(url, batch, { 'mcp-protocol-version': '2025-03-26' })).headers.get('ratelimit-remaining')).toBe(
      '1',
    );
    const reading = { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'relay://agents/x' } };
    expect((await rpc(url, reading)).headers.get('ratelimit-remaining')).toBe('0');
    expect((await rpc(url, reading)).status).toBe(429);
    // Every request is a read too, of which this service takes seven.
    expect((await rpc(url, listing)).status).toBe(200);
    expect((await rpc(url, listing)).status).toBe(429);
  });

  test('counts what is asked about a task (S-18)', async () => {
    const { url } = service.current.server;
    const params = { taskId: '01900000-0000-7000-8000-000000000000', inputResponses: {} };
    const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
    for (const [times, method] of ['tasks/get', 'tasks/update', 'tasks/cancel'].entries()) {
      const { message, headers } = modern(method, params, capabilities);
      const answer = await post(url, message, headers, '/mcp');
      expect([answer.status, answer.headers.get('ratelimit-remaining')]).toEqual([200, String(LIMIT - times - 1)]);
    }
  });

  test('refuses a batch that holds more calls than are left (S-18)', async () => {
    const batch = Array.from({ length: LIMIT + 1 }, (_unused, id) => toolsCall('svc_leaderboard', {}, id));
    expect((await rpc(service.current.server.url, batch)).status).toBe(429);
  });
});

describe('the allowance of reads', () => {
  test('is used up by every request, before its body is read (S-18)', async () => {
    const { url } = service.current.server;
    const sent = [];
    for (let times = 0; times < 9; times += 1) sent.push((await rpc(url, '{"jsonrpc":')).status);
    expect(sent).toEqual([400, 400, 400, 400, 400, 400, 400, 429, 429]);
    const { status, body } = await rpc(url, toolsCall('svc_leaderboard'));
    expect([status, body['code']]).toEqual([429, 'rate_limited']);
  });

  test('is used up by each message of a batch that calls nothing (S-18)', async () => {
    const { url } = service.current.server;
    const batch = (length: number) => Array.from({ length }, (_unused, id) => ({ ...listing, id }));
    const older = { 'mcp-protocol-version': '2025-03-26' };
    expect((await rpc(url, batch(5), older)).headers.get('ratelimit-remaining')).toBe('2');
    expect((await rpc(url, batch(3), older)).status).toBe(429);
  });

  test('a batch holds at most ten messages (S-37)', async () => {
    const { url } = service.current.server;
    const batch = Array.from({ length: 11 }, (_unused, id) => ({ ...listing, id }));
    const { status, body } = await rpc(url, batch, { 'mcp-protocol-version': '2025-03-26' });
    expect([status, body]).toMatchObject([
      400,
      { error: { code: -32_600, message: expect.stringContaining('at most 10') } },
    ]);
  });
});

describe('the allowance of bids', () => {
  test('holds for bids and claims by tool together: 429 at /mcp/call, an error of the call over MCP (S-18)', async () => {
    const courier = await service.current.party(0);
    const nowhere = '0198c5f0-7a10-7c3e-9a55-3f1c0e9d2b11';
    const bid = bidInput(courier, nowhere, 'zoo', 'ostkreuz', 0.1);
    const claim = { taskId: nowhere, legId: nowhere, agentPubkey: courier.pubkey, bidSol: 0.1 };
    expect(await failureOf(service.current, 'svc_submit_bid', bid)).toMatchObject({ code: 'not_found' });
    expect(await failureOf(service.current, 'svc_bid_digital_leg', claim)).toMatchObject({ code: 'not_found' });
    expect((await callTool(service.current, 'svc_bid_digital_leg', claim)).status).toBe(429);
    const { status, headers } = await callTool(service.current, 'svc_submit_bid', bid);
    expect([status, headers.get('ratelimit-limit'), headers.has('retry-after')]).toEqual([429, '2', true]);
    const { status: overMcp, body } = await rpc(service.current.server.url, toolsCall('svc_submit_bid', bid));
    const { isError, content } = body['result'] as { isError: boolean; content: { text: string }[] };
    expect([overMcp, isError, JSON.parse(content[0]?.text ?? '')]).toMatchObject([200, true, { code: 'rate_limited' }]);
  });

  test('holds for an address, whichever agent is named, before a signature is verified (S-18)', async () => {
    const nowhere = '0198c5f0-7a10-7c3e-9a55-3f1c0e9d2b11';
    const bidOf = (agent: Party) => bidInput(agent, nowhere, 'zoo', 'ostkreuz', 0.1);
    const newBid = async () => bidOf(await service.current.party(0));
    for (let sent = 0; sent < BIDS_PER_ADDRESS; sent += 1) {
      expect(await failureOf(service.current, 'svc_submit_bid', await newBid())).toMatchObject({ code: 'not_found' });
    }
    const forged = { 'x-pubkey': 'nobody', 'x-nonce': '1', 'x-signature': '1' };
    const over = await callTool(service.current, 'svc_submit_bid', await newBid(), forged);
    expect([over.status, over.headers.get('ratelimit-limit')]).toEqual([429, String(BIDS_PER_ADDRESS)]);
    const { status, body } = await rpc(service.current.server.url, toolsCall('svc_submit_bid', await newBid()));
    const { isError, content } = body['result'] as { isError: boolean; content: { text: string }[] };
    expect([status, isError, JSON.parse(content[0]?.text ?? '')]).toMatchObject([200, true, { code: 'rate_limited' }]);
  });
});
