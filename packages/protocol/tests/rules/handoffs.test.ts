import { expect, test } from 'vitest';
import type { PackageDetail } from '../../src/contract/resources/package.js';
import { LEG_STAGES, type LegStage } from '../../src/contract/statuses.js';
import {
  isPickedUp,
  legToReceive,
  legUnderWay,
  plainLegToReceive,
  recipientOf,
  shipperSigns,
} from '../../src/rules/handoffs.js';

/** A parcel of a shipper with a leg for each of these stages; its couriers are named by their place. */
function parcelOf(stages: readonly (LegStage | null)[], cosignedPickup = false, status = 'active'): PackageDetail {
  const legs = stages.map((stage, legIndex) => ({
    legIndex,
    stage,
    agentPubkey: `courier ${legIndex}`,
    status: stage === 'completed' ? 'completed' : 'pending',
  }));
  // Only what the rule reads.
  const read = { shipperPubkey: 'shipper', swarm: { status, legs }, terms: { cosignedPickup } };
  return read as unknown as PackageDetail;
}

const signs = (stages: readonly (LegStage | null)[], cosigned = false) =>
  shipperSigns(parcelOf(stages, cosigned))?.what ?? '-';

test('[P-41] a parcel goes to the courier of the next leg, and after the last one to the shipper', () => {
  const parcel = parcelOf(['completed', null, null]);
  const under = legUnderWay(parcel.swarm);
  expect(under?.legIndex).toBe(1);
  expect(recipientOf(parcel, { legIndex: 1 })).toEqual({ role: 'courier', pubkey: 'courier 2' });
  expect(recipientOf(parcel, { legIndex: 2 })).toEqual({ role: 'shipper', pubkey: 'shipper' });
  expect(legToReceive(parcel, 'courier 2')?.legIndex).toBe(1);
  expect(legToReceive(parcel, 'shipper')?.legIndex).toBe(2);
  expect(legToReceive(parcel, 'courier 0')).toBeUndefined();
  expect(legUnderWay(parcelOf([null], false, 'settled').swarm)).toBeUndefined();
});

test('[P-41] of a leg without terms its recipient is told while the leg is under way, and nobody else', () => {
  const plain = { ...parcelOf(['completed', null, null]), terms: null };
  const told = (parcel: PackageDetail) =>
    ['courier 0', 'courier 1', 'courier 2', 'shipper'].map((own) => plainLegToReceive(parcel, own)?.legIndex ?? '-');
  expect(told(plain)).toEqual(['-', '-', 1, '-']);
  expect(told({ ...parcelOf(['completed', 'completed', null]), terms: null })).toEqual(['-', '-', '-', 2]);
  expect(told({ ...plain, finality: 'reverted' })).toEqual(['-', '-', '-', '-']);
  expect(told(parcelOf(['completed', 'carried', 'accepted']))).toEqual(['-', '-', '-', '-']);
  expect(told({ ...parcelOf([null], false, 'settled'), terms: null })).toEqual(['-', '-', '-', '-']);
});

test('[T-8, T-97] a shipper signs a pickup where the terms say so, and no arrival of what nobody has picked up', () => {
  const byStage = (cosigned: boolean) => LEG_STAGES.map((stage) => `${stage} ${signs([stage], cosigned)}`);
  const arrives = ['carried arrival', 'claimed arrival', 'disputed -', 'ruled -', 'vacant -', 'completed -'];
  expect(byStage(false)).toEqual(['pending -', 'accepted -', ...arrives]);
  expect(byStage(true)).toEqual(['pending -', 'accepted pickup', ...arrives]);
  expect([signs([null]), signs(['carried', 'accepted']), signs(['completed', 'accepted'], true)]).toEqual([
    'arrival',
    '-',
    '-',
  ]);
  expect(LEG_STAGES.filter(isPickedUp)).toEqual(['carried', 'claimed', 'disputed', 'ruled', 'completed']);
});
