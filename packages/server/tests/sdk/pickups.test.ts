import {
  findHandoff,
  handoffCode,
  joinPickup,
  legOnLedger,
  makeMove,
  type PackageDetail,
  readHandoff,
  readHandoffCode,
  shareHandoff,
  signHandoff,
  signPickup,
} from '@legwork/sdk';
import { describe, expect, test } from 'vitest';
import { at, CHAIN, formedWithTerms, legNow, move, newKey } from '../operations/turns/scene.js';
import { untilPackage } from '../support/market.js';
import { type Party, withService } from '../support/service.js';

const arbiterPubkey = await newKey();
const service = withService({ settings: () => ({ ARBITER_PUBKEY: arbiterPubkey }) });
const WHOLE_WAY = [['zoo', 'ostkreuz', 0.1]] as const;

/** A package whose first courier has accepted, and whose shipper signs the pickup too. */
async function waiting(bids: typeof CHAIN | typeof WHOLE_WAY = WHOLE_WAY) {
  const cast = await formedWithTerms(service.current, bids, { cosignedPickup: true });
  const { id: legId } = await legNow(service.current, cast.parcel.id, 0);
  const carrier = at(cast.couriers, 0);
  await makeMove(carrier.client, carrier.signer, { legId, packageId: cast.parcel.id, action: 'accept' });
  return { ...cast, carrier, leg: { legId, packageId: cast.parcel.id } };
}

async function pickedUp(shipper: Party, carrier: Party, leg: { legId: string; packageId: string }): Promise<void> {
  await signPickup(shipper.client, shipper.signer, leg);
  await joinPickup(carrier.client, carrier.signer, leg);
}

const evidence = async ({ client }: Party, { legId }: { legId: string }) =>
  (await client.listEvidence({ legId })).items;
const untilCarried = ({ id }: PackageDetail, index = 0) =>
  untilPackage(service.current, id, ({ swarm }) => swarm?.legs[index]?.stage === 'carried');

describe('a pickup that the shipper signs as a text', () => {
  test('is found by its courier and sent; signed again it is the same text (T-8, A-130)', async () => {
    const { shipper, carrier, leg, parcel } = await waiting();
    expect(await joinPickup(carrier.client, carrier.signer, leg)).toBeUndefined();
    const { code, made } = await signPickup(shipper.client, shipper.signer, leg);
    expect(made).toBeUndefined();
    expect(await signPickup(shipper.client, shipper.signer, leg)).toEqual({ code });
    expect((await evidence(shipper, leg)).map(({ text }) => text)).toEqual([code]);
    const landed = await joinPickup(carrier.client, carrier.signer, leg);
    expect(landed).toMatchObject({ stage: 'carried', open: null });
    // Sent once more with the code in hand, it is the transaction that landed.
    const read = (code && (await readHandoffCode(code))) || undefined;
    expect(read?.handoff.said).toBe('picked up');
    await untilCarried(parcel);
  });

  test('goes from screen to screen where the leg has no room for it, and posts the stake of a pending leg (A-130)', async () => {
    const cast = await formedWithTerms(service.current, WHOLE_WAY, { cosignedPickup: true });
    const { shipper, parcel } = cast;
    const carrier = at(cast.couriers, 0);
    const leg = { legId: (await legNow(service.current, parcel.id, 0)).id, packageId: parcel.id };
    for (const text of ['a', 'b', 'c', 'd']) await shipper.client.putEvidence({ legId: leg.legId, text });
    const code = await shareHandoff(shipper.client, shipper.signer, { ...leg, pickup: true });
    expect((await evidence(shipper, leg)).length).toBe(4);
    expect(await joinPickup(carrier.client, carrier.signer, leg)).toBeUndefined();
    expect(await joinPickup(carrier.client, carrier.signer, { ...leg, code })).toMatchObject({ stage: 'carried' });
  });

  test('passes over what others signed, and what is about another leg, word, courier or time (A-131)', async () => {
    const { shipper, carrier, leg, parcel, couriers } = await waiting(CHAIN);
    const other = await waiting();
    const ahead = await readHandoff(shipper.client, shipper.pubkey, { ...leg, legIndex: 0, pickup: true });
    const foreign = (await signPickup(other.shipper.client, other.shipper.signer, other.leg)).code ?? '';
    const code = async (change: object, by: Party = shipper, when = new Date()) =>
      handoffCode(await signHandoff(by.signer, { ...ahead, ...change }, { signedAt: when }));
    const wrong = [
      foreign,
      await code({}, carrier),
      await code({ said: 'received' }),
      await code({ formation: 9 }),
      await code({ legIndex: 1 }),
      await code({ nonce: new Uint8Array(8).fill(1) }),
      await code({}, shipper, new Date(Date.now() + 3_600_000)),
      (await code({})).replace('picked up', 'received'),
    ];
    for (const text of wrong.slice(0, 4)) await carrier.client.putEvidence({ legId: leg.legId, text });
    for (const text of wrong.slice(4)) await shipper.client.putEvidence({ legId: leg.legId, text });
    expect(await joinPickup(carrier.client, carrier.signer, leg)).toBeUndefined();
    for (const text of wrong) {
      const sent = joinPickup(carrier.client, carrier.signer, { ...leg, code: text });
      await expect(sent).rejects.toThrow(/no code by which .* hands the parcel/u);
    }
    expect((await legNow(service.current, parcel.id, 0)).stage).toBe('accepted');
    // The right one is good, whoever put it there.
    const next = at(couriers, 1);
    await next.client.putEvidence({ legId: leg.legId, text: await code({}) });
    expect(await joinPickup(carrier.client, carrier.signer, leg)).toMatchObject({ stage: 'carried' });
  });

  test('is signed by nobody else, for a pickup that is signed by both only, and not for the next courier (A-130, P-106)', async () => {
    const { shipper, carrier, leg, parcel } = await waiting();
    await expect(signPickup(carrier.client, carrier.signer, leg)).rejects.toThrow(/is signed by/u);
    const { signMessages: _, ...silent } = shipper.signer;
    await expect(signPickup(shipper.client, silent, leg)).rejects.toThrow(/signs no messages/u);
    const { code = '' } = await signPickup(shipper.client, shipper.signer, leg);
    await move(service.current, { parcel }, 0, carrier, 'vacate');
    await expect(joinPickup(carrier.client, carrier.signer, { ...leg, code })).rejects.toThrow(/not of|no code/u);
    const plain = await formedWithTerms(service.current, WHOLE_WAY, {});
    const { id: legId } = await legNow(service.current, plain.parcel.id, 0);
    const alone = signPickup(plain.shipper.client, plain.shipper.signer, { legId, packageId: plain.parcel.id });
    await expect(alone).rejects.toThrow(/signed by its courier alone/u);
  });
});

test('a takeover and a receipt are shared and found by who brings the parcel, if who may sign them did (A-130, A-131)', async () => {
  const { shipper, carrier, leg, parcel, couriers } = await waiting(CHAIN);
  const second = at(couriers, 1);
  const found = async ({ client, pubkey }: Party, of: typeof leg) =>
    findHandoff(client, await legOnLedger(client, pubkey, of), of);
  await pickedUp(shipper, carrier, leg);
  await move(service.current, { parcel }, 1, second, 'accept');
  expect(await found(carrier, leg)).toBeUndefined();
  // Neither the shipper nor the one who brings it takes it over.
  const ahead = await readHandoff(second.client, second.pubkey, { ...leg, legIndex: 0 });
  for (const one of [shipper, carrier]) {
    await expect(shareHandoff(one.client, one.signer, leg)).rejects.toThrow(/signed by somebody else/u);
    await one.client.putEvidence({ legId: leg.legId, text: handoffCode(await signHandoff(one.signer, ahead)) });
  }
  expect(await found(carrier, leg)).toBeUndefined();
  await shareHandoff(second.client, second.signer, leg, { noted: new Uint8Array(32).fill(3) });
  expect(await found(carrier, leg)).toMatchObject({ signer: second.pubkey, handoff: { said: 'taken over' } });

  const other = await waiting();
  await pickedUp(other.shipper, other.carrier, other.leg);
  await shareHandoff(other.shipper.client, other.shipper.signer, other.leg);
  const receipt = { signer: other.shipper.pubkey, handoff: { said: 'received' } };
  expect(await found(other.carrier, other.leg)).toMatchObject(receipt);
});
