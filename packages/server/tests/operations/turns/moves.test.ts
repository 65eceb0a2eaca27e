import { makeMove } from '@legwork/sdk';
import { describe, expect, test } from 'vitest';
import { refusalOf } from '../../support/sdkRefusal.js';
import { untilPackage } from '../../support/market.js';
import { withService } from '../../support/service.js';
import { at, carryTo, formedWithTerms, legNow, move, movedIn, moveWithText } from './scene.js';

const service = withService();

const sumOf = (movements: readonly { what: string; amount: bigint }[], what: string) =>
  movements.filter((one) => one.what === what).reduce((sum, { amount }) => sum + amount, 0n);

describe('a package with terms', () => {
  test('is accepted, taken, handed over and received, and every stake returns (T-51, T-66, T-68)', async () => {
    const cast = await formedWithTerms(service.current);
    const { parcel, couriers, shipper } = cast;
    expect(parcel.terms).toMatchObject({ stakeLamports: 100_000_000n, reviewSec: 86_400, handoffSec: 2_700 });
    expect(parcel.swarm?.legs.map(({ stage, actor, formation }) => [stage, actor, formation])).toEqual([
      ['pending', 'courier', 1],
      ['pending', 'courier', 1],
      ['pending', 'courier', 1],
    ]);

    await carryTo(service.current, cast, 2);
    expect((await legNow(service.current, parcel.id, 2)).stage).toBe('carried');
    await move(service.current, cast, 2, shipper, 'confirm');
    const delivered = await untilPackage(service.current, parcel.id, ({ status }) => status === 'delivered');

    expect(delivered.swarm?.legs.map(({ stage, status }) => [stage, status])).toEqual([
      ['completed', 'completed'],
      ['completed', 'completed'],
      ['completed', 'completed'],
    ]);
    const { movements, vault } = await movedIn(service.current, parcel.id);
    expect(vault).toBe(0n);
    expect(sumOf(movements, 'stake')).toBe(300_000_000n);
    expect(sumOf(movements, 'stake_returned')).toBe(300_000_000n);
    expect(sumOf(movements, 'payment') + sumOf(movements, 'refund')).toBe(500_000_000n);
    expect(couriers).toHaveLength(3);
  });

  test('lists what each key can do, and builds nothing else (T-61, T-62)', async () => {
    const cast = await formedWithTerms(service.current);
    const { parcel, couriers, shipper } = cast;
    const [first, second] = [at(couriers, 0), at(couriers, 1)];
    expect((await first.client.listTurns({ pubkey: first.pubkey })).items).toMatchObject([
      { packageId: parcel.id, legIndex: 0, stage: 'pending', actions: ['accept', 'take', 'vacate'] },
    ]);
    expect((await shipper.client.listTurns({ pubkey: shipper.pubkey })).items).toEqual([]);
    expect(await refusalOf(move(service.current, cast, 0, second, 'accept'))).toMatchObject({
      status: 409,
      code: 'not_your_turn',
      fields: ['action'],
      message: expect.stringMatching(/can do nothing/) as string,
    });
    await carryTo(service.current, cast, 0);
    expect((await second.client.listTurns({ pubkey: second.pubkey })).items).toMatchObject([
      { legIndex: 0, stage: 'carried', awaited: null, actions: ['confirm'] },
    ]);
  });

  test('awaits the co-signature of its pickup, and pays nobody before that unless told so (T-61, T-97)', async () => {
    const cast = await formedWithTerms(service.current, [['zoo', 'ostkreuz', 0.05]], { cosignedPickup: true });
    const { parcel, couriers, shipper } = cast;
    const courier = at(couriers, 0);
    await move(service.current, cast, 0, courier, 'accept');
    const [turn] = (await shipper.client.listTurns({ pubkey: shipper.pubkey })).items;
    const leg = await legNow(service.current, parcel.id, 0);
    expect(turn).toMatchObject({ awaited: 'take', actions: ['take', 'confirm'], actor: 'courier' });
    expect(turn?.moves[1]).toMatchObject({ isFinal: true, paysLamports: leg.agreedPaymentLamports });
    expect(turn?.moves[1]?.does).toMatch(`to ${courier.pubkey} at once, although nobody has picked the parcel up`);

    const confirm = { legId: leg.id, action: 'confirm', pubkey: shipper.pubkey } as const;
    expect(await refusalOf(shipper.client.buildTurnTx(confirm))).toMatchObject({
      code: 'invalid_status',
      fields: ['evenBeforePickup'],
      message: expect.stringMatching(/nobody has picked the parcel up/) as string,
    });
    expect(await refusalOf(shipper.client.buildConfirmTx({ legId: leg.id }))).toMatchObject({ code: 'invalid_status' });
    const { client, signer } = shipper;
    const early = { legId: leg.id, packageId: parcel.id, action: 'confirm' } as const;
    await expect(makeMove(client, signer, early, { rpc: service.current.rpc })).rejects.toThrow(
      /nobody has picked up the parcel/,
    );
    expect(await refusalOf(shipper.client.buildTurnTx({ ...confirm, action: 'take' }))).toMatchObject({
      message: expect.stringMatching(/sent by .*, the courier/) as string,
    });
    const built = await shipper.client.buildTurnTx({ ...confirm, evenBeforePickup: true });
    expect(built.signers).toEqual([shipper.pubkey]);
  });

  test('is paid by silence once the review is over, by the keeper (T-33, T-57)', async () => {
    const cast = await formedWithTerms(service.current);
    const { parcel, couriers } = cast;
    await carryTo(service.current, cast, 2);
    const claimed = await moveWithText(service.current, cast, 2, at(couriers, 2), 'claim', 'at the door, 14:05');
    expect(claimed.stage).toBe('claimed');
    await service.current.advanceTime(86_400);
    const delivered = await untilPackage(service.current, parcel.id, ({ status }) => status === 'delivered');
    expect(delivered.swarm?.legs[2]).toMatchObject({
      stage: 'completed',
      paidLamports: delivered.swarm?.legs[2]?.agreedPaymentLamports,
    });
  });

  test('is ruled when its claim is disputed, and what a ruling leaves is paid; a ruling stands (T-22, T-36, T-67, S-168)', async () => {
    const cast = await formedWithTerms(service.current);
    const { parcel, couriers, shipper, arbiter } = cast;
    const last = at(couriers, 2);
    await carryTo(service.current, cast, 2);
    await moveWithText(service.current, cast, 2, last, 'claim', 'at the door');
    await moveWithText(service.current, cast, 2, shipper, 'dispute', 'nothing is at the door');
    const { id: legId } = await legNow(service.current, parcel.id, 2);
    expect((await arbiter.client.listEvidence({ legId })).items).toMatchObject([
      { authorPubkey: last.pubkey, text: 'at the door' },
      { authorPubkey: shipper.pubkey, text: 'nothing is at the door' },
    ]);
    await move(service.current, cast, 2, arbiter, 'rule', { percent: 30 });
    const again = () => arbiter.client.buildTurnTx({ legId, action: 'rule', pubkey: arbiter.pubkey, percent: 60 });
    const ruled = {
      code: 'invalid_status',
      message: expect.stringMatching(/ruled already by the arbiter, at \d{4}-.*: 30 % of the payment/) as string,
    };
    expect(await refusalOf(again())).toMatchObject(ruled);
    const delivered = await untilPackage(service.current, parcel.id, ({ status }) => status === 'delivered');
    const leg = at(delivered.swarm?.legs ?? [], 2);
    expect(await refusalOf(again())).toMatchObject(ruled);
    const other = { legId, packageId: parcel.id, action: 'rule', percent: 60 } as const;
    expect(await refusalOf(makeMove(arbiter.client, arbiter.signer, other))).toMatchObject(ruled);
    expect(leg.paid).toBe((leg.agreedPayment * 30n) / 100n);
    const { movements, vault } = await movedIn(service.current, parcel.id);
    expect(vault).toBe(0n);
    expect(sumOf(movements, 'arbiter_fee')).toBe(50_000_000n);
    expect(sumOf(movements, 'stake')).toBe(400_000_000n);
    expect(sumOf(movements, 'stake_returned')).toBe(350_000_000n);
    expect(await arbiter.client.getArbiter({ arbiterPubkey: arbiter.pubkey })).toEqual({
      arbiterPubkey: arbiter.pubkey,
      ruled: 1,
      silent: 0,
      open: 0,
      meanPercent: 30,
    });
  });

  test('pays half when the arbiter is silent (T-21)', async () => {
    const cast = await formedWithTerms(service.current);
    const { parcel, couriers, shipper } = cast;
    await carryTo(service.current, cast, 2);
    await moveWithText(service.current, cast, 2, at(couriers, 2), 'claim', 'here');
    await moveWithText(service.current, cast, 2, shipper, 'dispute', 'not here');
    await service.current.advanceTime(72 * 3600);
    const delivered = await untilPackage(service.current, parcel.id, ({ status }) => status === 'delivered');
    const leg = at(delivered.swarm?.legs ?? [], 2);
    expect(leg).toMatchObject({ percent: 50, paidLamports: leg.agreedPayment / 2n });
    const { movements } = await movedIn(service.current, parcel.id);
    expect(sumOf(movements, 'burnt')).toBe(50_000_000n);
  });
});
