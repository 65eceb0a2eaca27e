import { describe, expect, test } from 'vitest';
import { draft } from '../support/market.js';
import { withService } from '../support/service.js';
import { answerOf, callTool } from './toolCalls.js';

const service = withService();

async function parcel() {
  const [shipper, arbiter] = [await service.current.party(0), await service.current.party(0)];
  return { ...draft({ maxBudgetSol: 0.1 }), shipperPubkey: shipper.pubkey, arbiter: arbiter.pubkey };
}

describe('the tool that posts a package', () => {
  test('takes terms by name and fields of its own, and the list shows what a courier asks for first (S-99, T-50)', async () => {
    const { arbiter, ...given } = await parcel();
    const terms = { preset: 'guarded', arbiterPubkey: arbiter, reviewSec: 600 };
    const requirements = { minScore: 50 };
    const { id } = await answerOf(service.current, 'svc_post_task', { ...given, terms, requirements });
    const { items } = await answerOf(service.current, 'svc_list_packages', { shipper: given.shipperPubkey });
    expect(items).toMatchObject([{ id, requirements }]);
    expect((items as { terms: unknown }[])[0]?.terms).toEqual({
      arbiterPubkey: arbiter,
      stake: '40000000',
      stakeLamports: 40_000_000,
      carrySec: expect.any(Number) as number,
      reviewSec: 600,
    });
    expect(await answerOf(service.current, 'svc_get_package', { packageId: id })).toMatchObject({
      terms: { receiverPubkey: null, handoffSec: 2700, arbitrationSec: 259_200, cosignedPickup: false },
    });
  });

  test.each([
    ['a name that no preset has', 'Standard', 'terms'],
    ['a number', 5, 'terms'],
    ['a clock of three seconds', { reviewSec: 3 }, 'terms.reviewSec'],
    ['a clock in words', { reviewSec: 'an hour' }, 'terms.reviewSec'],
    ['a field too many', { colour: 'red' }, 'terms.colour'],
    ['no arbiter, where the service has none', 'guarded', 'terms.arbiterPubkey'],
  ])('refuses terms of %s by the name of the field (S-36)', async (_what, terms, field) => {
    const { arbiter: _arbiter, ...given } = await parcel();
    const { told } = await callTool(service.current, 'svc_post_task', { ...given, terms });
    expect(told).toMatchObject({ code: 'invalid_input', errors: [{ field }] });
  });

  test('refuses requirements that require nothing, or what nobody can have (S-36)', async () => {
    const { arbiter: _arbiter, ...given } = await parcel();
    for (const [requirements, field] of [
      [{}, 'requirements'],
      [{ minScore: 101 }, 'requirements.minScore'],
      [{ blocked: [] }, 'requirements.blocked'],
    ] as const) {
      const { told } = await callTool(service.current, 'svc_post_task', { ...given, requirements });
      expect(told).toMatchObject({ code: 'invalid_input', errors: [{ field }] });
    }
  });
});
