import { address } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../src/operations/index.js';
import { bidInput, draft, untilPackage } from '../../support/market.js';
import { attempt, post, refusedWith } from '../../support/refusal.js';
import { withService } from '../../support/service.js';
import { untilQuiet } from '../../support/snapshot.js';
import { lamportsOf } from '../../coordinator/scene.js';
import { goal } from '../digitalTasks/scene.js';
import { failureOf } from '../../mcp/toolCalls.js';
import { advancedIn, overhead, postSponsored } from './scene.js';

const service = withService();

async function listingsOf(onChainPackage: string): Promise<number> {
  return (await service.current.rpc.getSignaturesForAddress(address(onChainPackage)).send()).length;
}

describe('a package that the coordinator funds', () => {
  test('is listed with its money and answered once the ledger has confirmed it (M-47)', async () => {
    const shipper = await service.current.party(0);
    const before = await lamportsOf(service.current, service.current.server.coordinatorPubkey);
    const { status, body } = await postSponsored(service.current, shipper.pubkey, { maxBudgetSol: 0.25 });
    expect(status).toBe(201);
    const parcel = await shipper.client.getPackage({ packageId: body.id ?? '' });
    expect(parcel).toMatchObject({
      status: 'listed',
      shipperPubkey: shipper.pubkey,
      funderPubkey: service.current.server.coordinatorPubkey,
      maxBudgetLamports: 250_000_000n,
    });
    expect(await lamportsOf(service.current, parcel.onChainVault)).toBeGreaterThan(250_000_000n);
    const spent = before - (await lamportsOf(service.current, service.current.server.coordinatorPubkey));
    const counted = 250_000_000n + (await overhead(service.current));
    expect(await advancedIn(service.current)).toBe(counted);
    // The counted sum covers the spent one, and exceeds it by no more than the room for fees.
    expect(spent).toBeLessThanOrEqual(counted);
    expect(counted - spent).toBeLessThan(10_000n);
  });

  test('takes bids and forms a swarm as any other', async () => {
    const shipper = await service.current.party(0);
    const { body } = await postSponsored(service.current, shipper.pubkey);
    const courier = await service.current.party(1);
    await courier.client.submitBid(bidInput(courier, body.id ?? '', 'zoo', 'ostkreuz', 0.1));
    const formed = await untilPackage(service.current, body.id ?? '', ({ status }) => status === 'in_transit');
    expect(formed.swarm?.legs.map((leg) => leg.agentPubkey)).toEqual([courier.pubkey]);
  });

  test('is the same one when the request is repeated with its key, also at the same time (M-48)', async () => {
    const shipper = await service.current.party(0);
    const context = await service.current.context();
    try {
      const input = { ...draft(), deadline: undefined, terms: undefined, shipperPubkey: shipper.pubkey };
      const caller = { pubkey: undefined, ip: '192.0.2.1', requestKey: 'one request' };
      const twice = await Promise.all([0, 1].map(() => runs.postSponsored(context, input, caller)));
      const again = await runs.postSponsored(context, input, caller);
      const ids = new Set([...twice, again].map(({ answer }) => answer.id));
      expect(ids.size).toBe(1);
      expect(await listingsOf(again.answer.onChainPackage)).toBe(1);
    } finally {
      await context.db.destroy();
    }
  });

  test('is the same one when the request is repeated over HTTP with its Idempotency-Key (M-48)', async () => {
    const shipper = await service.current.party(0);
    const headers = { 'idempotency-key': 'post it once' };
    const first = await postSponsored(service.current, shipper.pubkey, {}, headers);
    const again = await postSponsored(service.current, shipper.pubkey, {}, headers);
    expect(again).toEqual(first);
    // A repeat that finds no stored answer, since the first one timed out, finds the package by this.
    const rows = await service.current.db
      .selectFrom('packages')
      .select(['id', 'request_key'])
      .where('shipper_pubkey', '=', shipper.pubkey)
      .execute();
    expect(rows).toEqual([{ id: first.body.id, request_key: expect.stringMatching(/./) as string }]);
  });

  test('by the tool answers the confirmed listing (M-47)', async () => {
    const shipper = await service.current.party(0);
    const { deadline: _, ...parcel } = draft();
    const response = await post(service.current, '/mcp/call', {
      tool: 'svc_post_task',
      arguments: { ...parcel, shipperPubkey: shipper.pubkey },
    });
    const { isError, content } = (await response.json()) as { isError: boolean; content: [{ text: string }] };
    expect(isError).toBe(false);
    expect(JSON.parse(content[0].text)).toMatchObject({ status: 'listed', shipperPubkey: shipper.pubkey });
  });
});

describe('a posting that cannot be', () => {
  test.each([
    ['/packages', () => draft()],
    ['/digital-tasks', () => goal()],
  ])('at %s, with a deadline more than 7 days away, over REST and by tool (M-70)', async (path, terms) => {
    const shipper = await service.current.party(0);
    await untilQuiet(service.current);
    const posted = (days: number) => ({
      ...terms(),
      shipperPubkey: shipper.pubkey,
      deadline: new Date(Date.now() + days * 86_400_000).toISOString(),
    });
    const answer = await attempt(service.current, [], () => post(service.current, `${path}/sponsored`, posted(7.01)));
    expect(answer).toEqual(refusedWith({ status: 400, code: 'invalid_input', fields: ['deadline'] }));
    const tool = path === '/packages' ? 'svc_post_task' : 'svc_post_digital_task';
    const failure = await failureOf(service.current, tool, posted(179));
    expect(failure).toMatchObject({ code: 'invalid_input', errors: [{ field: 'deadline' }] });
    expect(failure.message).toMatch(
      /at most 7 days after the posting, until .* give an earlier one, or fund .* with POST/,
    );
    expect((await post(service.current, `${path}/sponsored`, posted(6.99))).status).toBe(201);
    // Listings paid with the lister's own money may wait for longer.
    expect((await post(service.current, `${path}/build-tx`, posted(179))).status).toBe(201);
  });

  test('for the coordinator itself is refused', async () => {
    await untilQuiet(service.current);
    const answer = await attempt(service.current, [], () =>
      post(service.current, '/packages/sponsored', {
        ...draft(),
        shipperPubkey: service.current.server.coordinatorPubkey,
      }),
    );
    expect(answer).toEqual(refusedWith({ status: 400, code: 'invalid_input', fields: ['shipperPubkey'] }));
  });

  test('because the ledger refuses the listing leaves no draft and gives the caps back (M-47)', async () => {
    const shipper = await service.current.party(0);
    const before = await advancedIn(service.current);
    await service.current.advanceTime(60);
    // More than ten minutes away by the clock of the service, less by that of the ledger.
    const deadline = new Date(Date.now() + 640_000).toISOString();
    const { status, body } = await postSponsored(service.current, shipper.pubkey, { deadline });
    expect(status).toBe(422);
    expect(body).toMatchObject({ code: 'transaction_failed', errors: [{ field: 'deadline' }] });
    expect(await advancedIn(service.current)).toBe(before);
    const drafts = await service.current.db
      .selectFrom('packages')
      .select('id')
      .where('shipper_pubkey', '=', shipper.pubkey)
      .execute();
    expect(drafts).toEqual([]);
  });
});
