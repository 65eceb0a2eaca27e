import { resultHash } from '@legwork/protocol/rules';
import { readHandoff, signHandoff, submitHandoff } from '@legwork/sdk';
import { describe, expect, test } from 'vitest';
import { untilPackage } from '../../support/market.js';
import { refusalOf } from '../../support/sdkRefusal.js';
import { type Party, withService } from '../../support/service.js';
import { land } from '../../support/transactions.js';
import { until } from '../../support/until.js';
import { at, carryTo, formedWithTerms, legNow, move, movedIn, moveWithText, signedWith, type Cast } from './scene.js';

const service = withService();

async function reclaim({ parcel, shipper }: Cast): Promise<void> {
  const { transaction } = await shipper.client.buildReclaimTx({ packageId: parcel.id });
  await land(service.current, await signedWith(transaction, [shipper.signer]));
  await untilPackage(service.current, parcel.id, ({ status }) => status === 'failed');
}

const paidBack = async (packageId: string, to: Party) => {
  const { movements } = await movedIn(service.current, packageId);
  return movements
    .filter((one) => one.what === 'stake_returned' && one.to === to.pubkey)
    .map(({ lamports }) => lamports);
};

describe('out of a package with terms gets', () => {
  test('its shipper at once while nobody has picked anything up; stakes return (T-38, T-39)', async () => {
    const cast = await formedWithTerms(service.current);
    const first = at(cast.couriers, 0);
    await move(service.current, cast, 0, first, 'accept');
    await reclaim(cast);
    expect(await paidBack(cast.parcel.id, first)).toEqual([100_000_000n]);
    const { vaultLamports } = await movedIn(service.current, cast.parcel.id);
    expect(vaultLamports).toBe(0n);
  });

  test('its shipper at once without a trace in the record of the courier that won (T-38, T-100, M-12)', async () => {
    const cast = await formedWithTerms(service.current, [['zoo', 'ostkreuz', 0.1]]);
    const victim = at(cast.couriers, 0);
    await move(service.current, cast, 0, victim, 'accept');
    await reclaim(cast);
    const { client, pubkey: agentPubkey } = victim;
    expect(await client.getReputation({ agentPubkey })).toMatchObject({ legsAccepted: 0, legsCompleted: 0 });
    expect((await client.getAgent({ agentPubkey })).history).toMatchObject({ legsLost: 0 });
  });

  test('not its shipper while a claim waits; who claimed is paid first (T-37)', async () => {
    const cast = await formedWithTerms(service.current);
    const first = at(cast.couriers, 0);
    await carryTo(service.current, cast, 0);
    await moveWithText(service.current, cast, 0, first, 'claim', 'nobody comes');
    expect(await refusalOf(reclaim(cast))).toMatchObject({ code: 'invalid_status' });
  });

  test('shipper and courier as they agree (T-23)', async () => {
    const cast = await formedWithTerms(service.current);
    const { shipper, couriers, parcel } = cast;
    const first = at(couriers, 0);
    await carryTo(service.current, cast, 0);
    await move(service.current, cast, 0, shipper, 'agree', { percent: 40, with: [first] });
    const settled = await untilPackage(
      service.current,
      parcel.id,
      ({ swarm }) => swarm?.legs[0]?.stage === 'completed',
    );
    const leg = at(settled.swarm?.legs ?? [], 0);
    expect(leg.paid).toBe((leg.agreedPayment * 40n) / 100n);
  });
});

describe('who receives', () => {
  test('is the receiver that the terms name, and its courier pays the fee (T-60)', async () => {
    const receiver = await service.current.party(0);
    const cast = await formedWithTerms(service.current, [['zoo', 'ostkreuz', 0.1]], {
      receiverPubkey: receiver.pubkey,
    });
    await carryTo(service.current, cast, 0);
    const { id: legId } = await legNow(service.current, cast.parcel.id, 0);
    expect(await cast.shipper.client.buildConfirmTx({ legId })).toMatchObject({ recipientPubkey: receiver.pubkey });
    await move(service.current, cast, 0, receiver, 'confirm', { payer: at(cast.couriers, 0) });
    await untilPackage(service.current, cast.parcel.id, ({ status }) => status === 'delivered');
  });

  test('signs the first pickup too, if the terms say so (T-8)', async () => {
    const cast = await formedWithTerms(service.current, [['zoo', 'ostkreuz', 0.1]], { cosignedPickup: true });
    const first = at(cast.couriers, 0);
    await move(service.current, cast, 0, first, 'accept');
    const { id: legId } = await legNow(service.current, cast.parcel.id, 0);
    const { signers } = await first.client.buildTurnTx({ legId, action: 'take', pubkey: first.pubkey });
    expect(signers).toEqual([first.pubkey, cast.shipper.pubkey]);
    await move(service.current, cast, 0, first, 'take', { with: [cast.shipper] });
    expect((await legNow(service.current, cast.parcel.id, 0)).stage).toBe('carried');
  });
});

describe('evidence', () => {
  test('is of parties only, a few pieces each, and read by nobody else (T-63, T-64)', async () => {
    const cast = await formedWithTerms(service.current);
    const [first, stranger] = [at(cast.couriers, 0), await service.current.party(0)];
    const { id: legId } = await legNow(service.current, cast.parcel.id, 0);
    const put = (by: Party, text: string) => by.client.putEvidence({ legId, text });
    expect(await refusalOf(put(stranger, 'I was there'))).toMatchObject({ code: 'not_your_turn' });
    expect(await refusalOf(put(cast.arbiter, 'I was there'))).toMatchObject({ code: 'not_your_turn' });
    const texts = ['one', 'two', 'three', 'four'];
    for (const text of [...texts, 'one']) await put(first, text);
    expect(await refusalOf(put(first, 'five'))).toMatchObject({ code: 'invalid_status' });
    expect(await refusalOf(stranger.client.listEvidence({ legId }))).toMatchObject({ code: 'not_your_turn' });
    expect(await refusalOf(cast.arbiter.client.listEvidence({ legId }))).toMatchObject({ code: 'not_your_turn' });
    const { items } = await cast.shipper.client.listEvidence({ legId });
    expect(items.map(({ text }) => text)).toEqual(texts);
  });

  test('of a leg that is over is what its handoff notes, from who signed that, until it is erased (T-63)', async () => {
    const cast = await formedWithTerms(service.current, [['zoo', 'ostkreuz', 0.1]]);
    const { shipper, parcel } = cast;
    await carryTo(service.current, cast, 0);
    const { id: legId } = await legNow(service.current, parcel.id, 0);
    const ahead = await readHandoff(shipper.client, shipper.signer.address, { packageId: parcel.id, legIndex: 0 });
    const noted = new Uint8Array(Buffer.from(resultHash('wet at one corner').hex, 'hex'));
    const signed = await signHandoff(shipper.signer, ahead, { noted });
    await submitHandoff(shipper.client, shipper.signer, signed);
    await untilPackage(service.current, parcel.id, ({ status }) => status === 'delivered');
    const put = (by: Party, text: string) => by.client.putEvidence({ legId, text });
    for (const [by, text] of [
      [shipper, 'dry'],
      [at(cast.couriers, 0), 'wet at one corner'],
      [await service.current.party(0), 'wet at one corner'],
    ] as const) {
      expect(await refusalOf(put(by, text))).toMatchObject({ code: 'invalid_status', fields: ['legId'] });
    }
    for (const _ of 'ab') await put(shipper, 'wet at one corner');
    const { items } = await at(cast.couriers, 0).client.listEvidence({ legId });
    expect(items).toMatchObject([{ text: 'wet at one corner', authorPubkey: shipper.pubkey }]);
    await until('its end is final', async () => {
      const refused = await refusalOf(shipper.client.erasePackageData({ packageId: parcel.id })).catch(() => undefined);
      return refused === undefined;
    });
    expect(await refusalOf(put(shipper, 'wet at one corner'))).toMatchObject({
      code: 'invalid_status',
      message: expect.stringContaining('it was erased') as string,
    });
  });
});

test('nobody makes the moves of another, nor of a leg that is not there', async () => {
  const cast = await formedWithTerms(service.current, [['zoo', 'ostkreuz', 0.1]]);
  const stranger = await service.current.party(1);
  expect(await refusalOf(move(service.current, cast, 0, stranger, 'crank'))).toMatchObject({ code: 'not_your_turn' });
  const legId = '0198c5f0-7a10-7c3e-9a55-3f1c0e9d2b12';
  const { pubkey } = stranger;
  expect(await refusalOf(stranger.client.buildTurnTx({ legId, action: 'accept', pubkey }))).toMatchObject({
    code: 'not_found',
  });
});

// Last: from here on the ledger is days ahead of everybody's clocks.
test("the shipper reclaims at the deadline once the parcel is carried; the stake of who has it is the funder's (T-39)", async () => {
  const cast = await formedWithTerms(service.current);
  await carryTo(service.current, cast, 0);
  expect(await refusalOf(reclaim(cast))).toMatchObject({ code: 'invalid_status' });
  await service.current.advanceTime(73 * 3600);
  await reclaim(cast);
  const { movements } = await movedIn(service.current, cast.parcel.id);
  expect(movements.filter(({ what }) => what === 'stake_forfeited')).toMatchObject([
    { to: cast.shipper.pubkey, lamports: 100_000_000n },
  ]);
});
