import { expect, test } from 'vitest';
import { untilPackage } from '../support/market.js';
import { refusalOf } from '../support/sdkRefusal.js';
import { withService } from '../support/service.js';
import {
  at,
  bidForOpening,
  carryTo,
  courier,
  formedWithTerms,
  legNow,
  move,
  movedIn,
} from '../operations/turns/scene.js';

const service = withService();

/** Ends the time in which a vacant leg gathers bids. */
const closeGathering = (packageId: string) =>
  service.current.db
    .updateTable('legs')
    .set({ evaluate_at: new Date(0) })
    .where('evaluate_at', 'is not', null)
    .where('swarm_id', 'in', (eb) => eb.selectFrom('swarms').select('id').where('package_id', '=', packageId))
    .execute();

const untilStage = (packageId: string, index: number, stage: string) =>
  untilPackage(service.current, packageId, ({ swarm }) => swarm?.legs[index]?.stage === stage);

test('a courier who accepted and does not come loses its stake, another one takes the leg, and the package is delivered (T-26, T-57, T-58, T-59, T-71)', async () => {
  const cast = await formedWithTerms(service.current);
  const { parcel, couriers, shipper } = cast;
  const [first, silent, last] = [at(couriers, 0), at(couriers, 1), at(couriers, 2)];
  await carryTo(service.current, cast, 0);
  const { agreedPaymentLamports: former, id: formerLegId } = await legNow(service.current, parcel.id, 1);
  const { id: firstLeg } = await legNow(service.current, parcel.id, 0);
  const { hash } = await first.client.putEvidence({ legId: firstLeg, text: 'at the Hauptbahnhof, nobody is here' });
  await move(service.current, cast, 0, first, 'claim', { hash });
  await service.current.advanceTime(45 * 60 + 120);
  const opened = await untilStage(parcel.id, 1, 'vacant');
  expect(opened.swarm?.legs[1]).toMatchObject({ forfeitedLamports: 100_000_000n, agentPubkey: silent.pubkey });

  const [dear, cheap] = [await courier(service.current), await courier(service.current)];
  expect(await refusalOf(bidForOpening(cast, silent, 0.02))).toMatchObject({ code: 'agent_barred' });
  expect(await refusalOf(bidForOpening(cast, last, 0.02))).toMatchObject({ code: 'agent_barred' });
  expect(await refusalOf(bidForOpening(cast, dear, 0.4))).toMatchObject({ code: 'bid_above_budget' });
  await bidForOpening(cast, dear, 0.06);
  const bidId = await bidForOpening(cast, cheap, 0.05);
  await closeGathering(parcel.id);
  const healed = await untilStage(parcel.id, 1, 'pending');
  expect(healed.swarm?.legs[1]).toMatchObject({
    agentPubkey: cheap.pubkey,
    agreedPaymentLamports: 50_000_000n,
    formation: 2,
  });
  expect(former).toBeGreaterThan(0n);

  const { replacements } = await shipper.client.getDecision({ packageId: parcel.id });
  expect(replacements).toMatchObject([
    { formerLegId, bidId, legIndex: 1, paymentLamports: 50_000_000n, maxCostLamports: (former ?? 0n) + 100_000_000n },
  ]);
  expect(
    at(replacements, 0)
      .considered.map(({ agentPubkey }) => agentPubkey)
      .sort(),
  ).toEqual([dear.pubkey, cheap.pubkey].sort());

  await move(service.current, cast, 1, cheap, 'accept');
  await move(service.current, cast, 0, cheap, 'confirm');
  await move(service.current, cast, 1, last, 'confirm');
  await move(service.current, cast, 2, shipper, 'confirm');
  await untilPackage(service.current, parcel.id, ({ status }) => status === 'delivered');
  const { vaultLamports, movements } = await movedIn(service.current, parcel.id);
  expect(vaultLamports).toBe(0n);
  expect(movements.filter(({ what }) => what === 'stake_forfeited')).toMatchObject([{ lamports: 100_000_000n }]);
  const { history } = await silent.client.getAgent({ agentPubkey: silent.pubkey });
  expect(history).toMatchObject({ legsLost: 1, legsPending: 0, legsCompleted: 0 });
});

test('a courier who gives notice in time loses nothing, and its place is opened at once (T-10, T-56)', async () => {
  const cast = await formedWithTerms(service.current);
  const { parcel, couriers } = cast;
  const leaver = at(couriers, 1);
  await carryTo(service.current, cast, 0);
  await move(service.current, cast, 1, leaver, 'vacate');
  const { items } = await leaver.client.listOpenings({ packageId: parcel.id });
  expect(items).toMatchObject([{ packageId: parcel.id, legIndex: 1 }]);
  const { history } = await leaver.client.getAgent({ agentPubkey: leaver.pubkey });
  expect(history).toMatchObject({ legsLost: 0, legsPending: 0 });
  const { movements } = await movedIn(service.current, parcel.id);
  expect(movements.filter(({ what, to }) => what === 'stake_returned' && to === leaver.pubkey)).toHaveLength(1);
});

test('the shipper moves the pickup of an opening, and bids for the old place end (T-55)', async () => {
  const cast = await formedWithTerms(service.current);
  const { parcel, couriers, shipper } = cast;
  await carryTo(service.current, cast, 0);
  await move(service.current, cast, 1, at(couriers, 1), 'vacate');
  const one = await courier(service.current);
  await bidForOpening(cast, one, 0.04);
  const { id: legId } = await legNow(service.current, parcel.id, 1);
  const place = { pickupLat: 52.51, pickupLng: 13.4 };
  const moved = { packageId: parcel.id, legId, ...place };
  expect(await refusalOf(one.client.moveOpening(moved))).toMatchObject({ code: 'not_your_turn' });
  expect(await shipper.client.moveOpening(moved)).toMatchObject({ pickup: { lat: 52.51, lng: 13.4 } });
  const { items } = await one.client.listBids({ packageId: parcel.id });
  expect(items.find((bid) => bid.legId === legId)).toMatchObject({ status: 'excluded' });
});

// The last one: the ledger's clock runs far ahead from then on.
test('a leg that is left after the deadline takes no bids: nobody can be assigned to it (T-56)', async () => {
  const openedOf = async (after: 'deadline' | undefined) => {
    const cast = await formedWithTerms(service.current);
    const { parcel, couriers } = cast;
    const seconds = Math.ceil((parcel.deadline.getTime() - Date.now()) / 1000);
    if (after === 'deadline') await service.current.advanceTime(seconds + 60);
    await move(service.current, cast, 1, at(couriers, 1), 'vacate');
    const told = service.current.db.selectFrom('events').select('type').where('subject', '=', `package:${parcel.id}`);
    return (await told.execute()).map(({ type }) => type).filter((type) => type === 'LEG_OPENED').length;
  };
  expect(await openedOf(undefined)).toBe(1);
  expect(await openedOf('deadline')).toBe(0);
});
