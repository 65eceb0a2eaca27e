import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';
import { listPackage } from '../support/listed.js';
import { bidInput, draft } from '../support/market.js';
import { withService } from '../support/service.js';
import { until } from '../support/until.js';
import { connectClient, rpc } from './toolCalls.js';

const service = withService();
const url = () => service.current.server.url;

async function listening(uris: string[]): Promise<{ client: Client; told: string[]; closed: Promise<string> }> {
  const client = await connectClient(url(), '2026');
  const told: string[] = [];
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void told.push(params.uri));
  const subscription = await client.listen({ resourceSubscriptions: uris });
  expect(subscription.honoredFilter).toEqual({ resourceSubscriptions: uris });
  return { client, told, closed: subscription.closed };
}

const listen = (uris: unknown, headers: Record<string, string> = {}) =>
  rpc(
    url(),
    {
      jsonrpc: '2.0',
      id: 7,
      method: 'subscriptions/listen',
      params: { notifications: { resourceSubscriptions: uris } },
    },
    headers,
  );

describe('subscriptions/listen', () => {
  test('tells of the package, and of the agent, that something happened to them, and of nothing else (S-189)', async () => {
    const [shipper, courier, stranger] = await Promise.all([1, 2, 3].map(() => service.current.party()));
    if (!shipper || !courier || !stranger) throw new Error('nobody is there');
    const { id } = await listPackage(shipper.client, shipper.signer, draft({ biddingWindowSec: 3600 }));
    const other = await listPackage(shipper.client, shipper.signer, draft({ biddingWindowSec: 3600 }));
    const about = [`relay://packages/${id}`, `relay://agents/${courier.pubkey}`];
    const { client, told } = await listening(about);
    await stranger.client.submitBid(bidInput(stranger, other.id, 'zoo', 'ostkreuz', 0.1));
    await stranger.client.submitBid(bidInput(stranger, id, 'zoo', 'ostkreuz', 0.1));
    await courier.client.submitBid(bidInput(courier, other.id, 'zoo', 'ostkreuz', 0.1));
    await until('two updates', () => Promise.resolve(told.length >= 2));
    expect(told).toEqual(about);
    await client.close();
  });

  test('ends with a word when the service stops (S-189)', async () => {
    const replica = await service.current.replica();
    const client = await connectClient(replica.url, '2026');
    const { closed } = await client.listen({
      resourceSubscriptions: ['relay://packages/01900000-0000-7000-8000-000000000000'],
    });
    await replica.close();
    expect(await closed).toBe('graceful');
    await client.close();
  });

  test.each([
    [['relay://nothing/1'], /There is no such resource/],
    [
      Array.from({ length: 101 }, () => 'relay://packages/01900000-0000-7000-8000-000000000000'),
      /100 resources at most/,
    ],
  ])('is refused for what there is not, and for too much (S-189)', async (uris, says) => {
    const { body } = await listen(uris);
    expect(body).toMatchObject({ id: 7, error: { code: -32_602, message: expect.stringMatching(says) } });
  });

  test('is refused to who takes JSON alone (S-189)', async () => {
    const { body } = await listen([], { accept: 'application/json' });
    expect(body).toMatchObject({ error: { code: -32_600, message: expect.stringContaining('text/event-stream') } });
  });
});
