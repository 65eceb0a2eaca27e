import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config.js';
import { gatheringPackage } from '../bids/scene.js';
import { callTool, post, signatureHeaders } from '../mcp/toolCalls.js';
import { bidInput } from '../support/market.js';
import { withService } from '../support/service.js';

/** A variable that is empty counts as not set: this service has the limits of one that nobody configured. */
const UNSET = {
  LIMIT_TOOL_CALLS: '',
  LIMIT_BIDS: '',
  LIMIT_BIDS_PER_ADDRESS: '',
  LIMIT_WRITES: '',
  LIMIT_READS: '',
  LIMIT_DRAFTS: '',
  LIMIT_AIRDROPS: '',
};

const service = withService({ settings: () => UNSET });

test('(S-18) unless configured: 120 tool calls, 20 bids of an agent and 240 of an address, 60 other writing and 600 reading requests a minute, 120 drafts an hour, 30 airdrops a day', () => {
  const limits = loadConfig({ ...service.current.environment(), ...UNSET }).limits;
  expect(limits).toEqual({
    toolCalls: 120,
    bids: 20,
    bidsPerAddress: 240,
    writes: 60,
    reads: 600,
    drafts: 120,
    airdrops: 30,
  });
});

test('(S-18) unless configured, 120 tool calls of a minute are answered, and the next is 429', async () => {
  const call = () => callTool(service.current, 'svc_economy_stats');
  const answers = await Promise.all(Array.from({ length: 120 }, call));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(120);
  const { status, headers } = await call();
  expect([status, headers.get('ratelimit-limit')]).toEqual([429, '120']);
});

test('(S-18) unless configured, 20 bids of a minute are taken, and the next is 429', async () => {
  const { id } = await gatheringPackage(service.current);
  const courier = await service.current.party(1);
  const body = JSON.stringify(bidInput(courier, id, 'zoo', 'ostkreuz', 0.1));
  const bid = async () => {
    const headers = await signatureHeaders(service.current, courier.signer, body, '/bids');
    return post(service.current.server.url, body, headers, '/bids');
  };
  const statuses: number[] = [];
  for (let sent = 0; sent < 20; sent += 1) statuses.push((await bid()).status);
  expect(statuses).toEqual(Array.from({ length: 20 }, () => 201));
  const over = await bid();
  expect([over.status, over.headers.get('ratelimit-limit')]).toEqual([429, '20']);
});
