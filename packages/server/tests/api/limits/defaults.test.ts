import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { loadConfig } from '../../../src/config.js';
import { gatheringPackage } from '../../operations/bids/scene.js';
import { callTool, post, signatureHeaders } from '../../mcp/toolCalls.js';
import { bidInput } from '../../support/market.js';
import { withService } from '../../support/service.js';

/** A variable that is empty counts as not set: this service has the limits of one that nobody configured. */
const UNSET = {
  LIMIT_TOOL_CALLS: '',
  LIMIT_BIDS: '',
  LIMIT_BIDS_PER_ADDRESS: '',
  LIMIT_WRITES: '',
  LIMIT_PARTS: '',
  LIMIT_READS: '',
  LIMIT_DRAFTS: '',
  LIMIT_AIRDROPS: '',
};

const service = withService({ settings: () => UNSET });

test('(S-18) unless configured: 120 tool calls, 20 bids of an agent and 240 of an address, 60 other writing and 600 reading requests and 600 parts of files a minute, 120 drafts an hour, 30 airdrops a day', () => {
  const limits = loadConfig({ ...service.current.environment(), ...UNSET }).limits;
  expect(limits).toEqual({
    toolCalls: 120,
    bids: 20,
    bidsPerAddress: 240,
    parts: 600,
    writes: 60,
    reads: 600,
    drafts: 120,
    airdrops: 30,
  });
});

/** Counts so many more requests of a kind, in a window of an hour: however slow this machine is, it does not end meanwhile. */
async function count(bucket: string, more: number): Promise<void> {
  await sql`update rate_limits set points = points + ${more}::int, expire = expire + 3600000 where key like ${`${bucket}:%`}`.execute(
    service.current.db,
  );
}

test('(S-18) unless configured, 120 tool calls of a minute are answered, and the next is 429', async () => {
  const call = async () => {
    const { status, headers } = await callTool(service.current, 'svc_economy_stats');
    return [status, headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')];
  };
  expect(await call()).toEqual([200, '120', '119']);
  await count('toolCalls', 118);
  expect([await call(), await call()]).toEqual([
    [200, '120', '0'],
    [429, '120', '0'],
  ]);
});

test('(S-18) unless configured, 20 bids of a minute are taken, and the next is 429', async () => {
  const { id } = await gatheringPackage(service.current);
  const courier = await service.current.party(1);
  const body = JSON.stringify(bidInput(courier, id, 'zoo', 'ostkreuz', 0.1));
  const bid = async () => {
    const signed = await signatureHeaders(service.current, courier.signer, body, '/bids');
    const { status, headers } = await post(service.current.server.url, body, signed, '/bids');
    return [status, headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')];
  };
  expect(await bid()).toEqual([201, '20', '19']);
  await count('bids', 18);
  expect([await bid(), await bid()]).toEqual([
    [201, '20', '0'],
    [429, '20', '0'],
  ]);
});
