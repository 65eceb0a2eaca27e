import {
  confirmWithCode,
  createLegworkClient,
  followTurns,
  joinMove,
  joinOffered,
  makeMove,
  namedHashes,
  offerMove,
  offerText,
  type PackageDetail,
  receiverCode,
  signPickup,
  type TurnPolicy,
} from '@legwork/sdk';
import { resultHash } from '@legwork/protocol/rules';
import { address } from '@solana/kit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { at, carryTo, CHAIN, courier, formedWithTerms, legNow, move, newKey } from '../operations/turns/scene.js';
import { bidInput, draft, untilPackage } from '../support/market.js';
import { type Party, withService } from '../support/service.js';
import { listPackage } from '../support/listed.js';

const arbiterPubkey = await newKey();
const service = withService({ settings: () => ({ ARBITER_PUBKEY: arbiterPubkey }) });

const WHOLE_WAY = [['zoo', 'ostkreuz', 0.1]] as const;
const stageOf = async (parcel: PackageDetail, index = 0) => (await legNow(service.current, parcel.id, index)).stage;
const legIdOf = async (parcel: PackageDetail, index = 0) => (await legNow(service.current, parcel.id, index)).id;

/** Lets the clock of the first leg run until 100 seconds are left of it. */
async function untilJustBefore(parcel: PackageDetail): Promise<void> {
  const { since, until } = await legNow(service.current, parcel.id, 0);
  await service.current.advanceTime(((until?.getTime() ?? 0) - (since?.getTime() ?? 0)) / 1000 - 100);
}

/** Follows the turns of a party until the test ends. */
function follow(party: Party, policy: TurnPolicy): AbortController {
  const stopping = new AbortController();
  const ended = followTurns(party.client, party.signer, policy, { signal: stopping.signal, everyMs: 500 });
  onTestFinished(async () => {
    stopping.abort();
    await ended;
  });
  return stopping;
}

/** A package with the usual terms of the service, given to one courier. */
async function usualPackage(): Promise<{ shipper: Party; carrier: Party; parcel: PackageDetail }> {
  const [shipper, carrier] = [await service.current.party(3), await courier(service.current)];
  const listed = await listPackage(shipper.client, shipper.signer, draft());
  await carrier.client.submitBid(bidInput(carrier, listed.id, 'zoo', 'ostkreuz', 0.1));
  const parcel = await untilPackage(service.current, listed.id, ({ status }) => status === 'in_transit');
  return { shipper, carrier, parcel };
}

describe('listPackage', () => {
  test('asks for the standard terms of a service with an arbiter, and for none where it is told so (T-50)', async () => {
    const shipper = await service.current.party(3);
    const { terms } = await listPackage(shipper.client, shipper.signer, draft());
    expect(terms).toMatchObject({ arbiterPubkey, stakeLamports: 100_000_000n, cosignedPickup: true });
    const plain = await listPackage(shipper.client, shipper.signer, draft({ terms: 'plain' }));
    expect(plain.terms).toBeNull();
    const picky = draft({ terms: { preset: 'guarded', reviewSec: 600 }, requirements: { minScore: 50 } });
    expect(await listPackage(shipper.client, shipper.signer, picky)).toMatchObject({
      terms: { stakeLamports: 200_000_000n, reviewSec: 600, cosignedPickup: false },
      requirements: { minScore: 50 },
    });
  });
});

describe('makeMove', () => {
  test('stores what claim, dispute and ruling rest on, and the ledger names its hash (T-14, T-15, T-20, T-113)', async () => {
    const cast = await formedWithTerms(service.current, WHOLE_WAY);
    const { parcel, shipper, arbiter } = cast;
    const carrier = at(cast.couriers, 0);
    const legId = await legIdOf(parcel);
    await makeMove(carrier.client, carrier.signer, { legId, action: 'accept' });
    const taken = await makeMove(carrier.client, carrier.signer, { legId, action: 'take', packageId: parcel.id });
    expect(taken.stage).toBe('carried');
    await makeMove(carrier.client, carrier.signer, { legId, action: 'claim', text: 'at the door' });
    await makeMove(shipper.client, shipper.signer, { legId, action: 'dispute', text: 'at no door' });
    const { items } = await arbiter.client.listEvidence({ legId });
    expect(items.map(({ text }) => text)).toEqual(['at the door', 'at no door']);
    const { onChainLeg, formation } = await legNow(service.current, parcel.id, 0);
    const named = () =>
      namedHashes(service.current.rpc, {
        programId: address(service.current.server.programId),
        address: address(onChainLeg),
        turn: { formation: formation ?? 0 },
      });
    const contradicting = { evidence: resultHash('at the door').hex, reason: resultHash('at no door').hex };
    expect(await named()).toEqual({ ...contradicting, ruling: undefined });
    // A text stored before it is signed is a draft, and nobody else's.
    for (const times of [1, 2, 3, 4, 5]) await arbiter.client.putEvidence({ legId, text: `a draft, the ${times}th` });
    expect((await arbiter.client.listEvidence({ legId })).items.map(({ text }) => text)).toEqual([
      'at the door',
      'at no door',
      'a draft, the 5th',
    ]);
    expect((await shipper.client.listEvidence({ legId })).items).toHaveLength(2);
    const ruling = { legId, packageId: parcel.id, action: 'rule', percent: 30, text: 'it shows another door' } as const;
    const ruled = await makeMove(arbiter.client, arbiter.signer, ruling);
    // The coordinator ends the leg at once.
    expect(['ruled', 'completed']).toContain(ruled.stage);
    expect(await named()).toEqual({ ...contradicting, ruling: resultHash('it shows another door').hex });
    const { client: stranger } = await service.current.party(0);
    const textsFor = async (client: Party['client']) =>
      (await client.listEvidence({ legId })).items.map(({ text }) => text);
    // Whoever ruled without the service gives it the text afterwards, and no other.
    await arbiter.client.putEvidence({ legId, text: 'it shows another door' });
    await expect(arbiter.client.putEvidence({ legId, text: 'a second thought' })).rejects.toMatchObject({
      status: 409,
    });
    expect(await textsFor(stranger)).toEqual(['it shows another door']);
    expect(await textsFor(carrier.client)).toEqual(['at the door', 'at no door', 'it shows another door']);
    await untilPackage(service.current, parcel.id, ({ status }) => status === 'delivered');
  });

  test('refuses what is not for this key, as the service says', async () => {
    const { parcel, couriers, shipper } = await formedWithTerms(service.current, CHAIN);
    const legId = await legIdOf(parcel, 1);
    const second = at(couriers, 1);
    const early = makeMove(second.client, second.signer, { legId, packageId: parcel.id, action: 'take' });
    await expect(early).rejects.toMatchObject({ code: 'not_your_turn' });
    const foreign = makeMove(shipper.client, shipper.signer, { legId, packageId: parcel.id, action: 'accept' });
    await expect(foreign).rejects.toThrow(/not of/);
  });

  test('vacates, takes over and carries out silence (T-10, T-32, T-33)', async () => {
    const cast = await formedWithTerms(service.current, CHAIN);
    const { parcel, couriers } = cast;
    const [second, third] = [at(couriers, 1), at(couriers, 2)];
    await carryTo(service.current, cast, 0);
    const over = { legId: await legIdOf(parcel, 0), packageId: parcel.id };
    await makeMove(second.client, second.signer, { ...over, action: 'confirm' });
    expect(await stageOf(parcel, 1)).toBe('carried');
    await makeMove(third.client, third.signer, {
      legId: await legIdOf(parcel, 2),
      packageId: parcel.id,
      action: 'vacate',
    });
    expect(await stageOf(parcel, 2)).toBe('vacant');
  });
});

describe('moves that two sign', () => {
  test('the first pickup lands with the signatures of courier and shipper (T-8)', async () => {
    const { shipper, carrier, parcel } = await usualPackage();
    const legId = await legIdOf(parcel);
    const pickup = { legId, packageId: parcel.id, action: 'take' } as const;
    await makeMove(carrier.client, carrier.signer, { legId, action: 'accept' });
    await expect(makeMove(carrier.client, carrier.signer, pickup)).rejects.toThrow(/needs the signature/);
    expect(await joinOffered(shipper.client, shipper.signer, pickup)).toBeUndefined();
    const offer = await offerMove(carrier.client, carrier.signer, pickup);
    await carrier.client.putEvidence({ legId, text: offerText(offer) });
    // Couriers did so before there were texts.
    const { made, code } = await signPickup(shipper.client, shipper.signer, pickup);
    expect([made?.stage, code]).toEqual(['carried', undefined]);
  });

  test('shipper and courier end a leg as they agree (T-23)', async () => {
    const cast = await formedWithTerms(service.current, WHOLE_WAY);
    const { parcel, shipper } = cast;
    const carrier = at(cast.couriers, 0);
    await carryTo(service.current, cast, 0);
    const agreed = { legId: await legIdOf(parcel), packageId: parcel.id, action: 'agree', percent: 40 } as const;
    const offer = await offerMove(shipper.client, shipper.signer, agreed);
    await joinMove(carrier.client, carrier.signer, offer);
    const delivered = await untilPackage(service.current, parcel.id, ({ status }) => status === 'delivered');
    expect(delivered.swarm?.legs[0]).toMatchObject({ percent: 40 });
  });
});

describe('the code of a receiver', () => {
  test('delivers for the consignee, and the courier pays the fee (T-31)', async () => {
    const { code, pubkey } = await receiverCode();
    const cast = await formedWithTerms(service.current, WHOLE_WAY, { receiverPubkey: pubkey });
    const carrier = at(cast.couriers, 0);
    await carryTo(service.current, cast, 0);
    const legId = await legIdOf(cast.parcel);
    const other = (await receiverCode()).code;
    const wrong = confirmWithCode(carrier.client, carrier.signer, legId, other, { packageId: cast.parcel.id });
    await expect(wrong).rejects.toMatchObject({ code: 'not_your_turn' });
    await confirmWithCode(carrier.client, carrier.signer, legId, code);
    await untilPackage(service.current, cast.parcel.id, ({ status }) => status === 'delivered');
    const { value } = await service.current.rpc.getBalance(address(pubkey)).send();
    expect(value).toBe(0n);
  });
});

describe('followTurns', () => {
  test('carries a chain from hand to hand, and is told that it may go once the ledger shows it (T-46)', async () => {
    const { parcel, couriers, shipper } = await formedWithTerms(service.current, CHAIN);
    const went: string[] = [];
    for (const one of couriers) {
      follow(one, {
        hasParcel: () => true,
        carried: async ({ own }) => {
          went.push(`${own?.legIndex} ${await stageOf(parcel, own?.legIndex)}`);
        },
      });
    }
    await untilPackage(service.current, parcel.id, ({ swarm }) => swarm?.legs[2]?.stage === 'carried');
    await expect.poll(() => went).toEqual(['0 carried', '1 carried', '2 carried']);
    await makeMove(shipper.client, shipper.signer, { legId: await legIdOf(parcel, 2), action: 'confirm' });
    await untilPackage(service.current, parcel.id, ({ status }) => status === 'delivered');
  });

  test('claims with what the policy shows, and goes on where a stopped one left off (T-14)', async () => {
    const { parcel, couriers } = await formedWithTerms(service.current, WHOLE_WAY);
    const carrier = at(couriers, 0);
    const first = follow(carrier, { hasParcel: () => true });
    await untilPackage(service.current, parcel.id, ({ swarm }) => swarm?.legs[0]?.stage === 'carried');
    first.abort();
    follow(carrier, { hasParcel: () => true, evidence: () => 'at the door' });
    await untilPackage(service.current, parcel.id, ({ swarm }) => swarm?.legs[0]?.stage === 'claimed');
    const { evidenceHash } = await legNow(service.current, parcel.id, 0);
    expect(evidenceHash).toBe(resultHash('at the door').hex);
  });

  test('leaves what it does not want, and what nobody brings, without a loss (T-10)', async () => {
    const unwanted = await formedWithTerms(service.current, WHOLE_WAY);
    follow(at(unwanted.couriers, 0), { accepts: () => false, hasParcel: () => true });
    await untilPackage(service.current, unwanted.parcel.id, ({ swarm }) => swarm?.legs[0]?.stage === 'vacant');
    const { parcel, couriers } = await formedWithTerms(service.current, WHOLE_WAY);
    follow(at(couriers, 0), { hasParcel: () => false });
    await untilPackage(service.current, parcel.id, ({ swarm }) => swarm?.legs[0]?.stage === 'accepted');
    await untilJustBefore(parcel);
    const vacant = await untilPackage(service.current, parcel.id, ({ swarm }) => swarm?.legs[0]?.stage === 'vacant');
    expect(vacant.swarm?.legs[0]?.forfeitedLamports ?? 0n).toBe(0n);
  });

  test('sends a pickup that the shipper has signed, once its policy says that the parcel is there (T-8, A-131)', async () => {
    const { shipper, carrier, parcel } = await usualPackage();
    let isThere = false;
    const asked: string[] = [];
    follow(carrier, {
      hasParcel: () => asked.push('hasParcel') > 0 && isThere,
      handoff: () => void asked.push('handoff'),
    });
    await untilPackage(service.current, parcel.id, ({ swarm }) => swarm?.legs[0]?.stage === 'accepted');
    const { code } = await signPickup(shipper.client, shipper.signer, {
      legId: await legIdOf(parcel),
      packageId: parcel.id,
    });
    expect(code).toMatch(/^legwork-handoff:/u);
    const before = asked.length;
    await expect.poll(() => asked.length).toBeGreaterThan(before + 1);
    expect([asked.includes('handoff'), await stageOf(parcel)]).toEqual([false, 'accepted']);
    isThere = true;
    await untilPackage(service.current, parcel.id, ({ swarm }) => swarm?.legs[0]?.stage === 'carried');
  });

  test('leaves a pickup in time that the shipper does not sign, and keeps its stake (T-10)', async () => {
    const { carrier, parcel } = await usualPackage();
    follow(carrier, { hasParcel: () => true });
    await untilPackage(service.current, parcel.id, ({ swarm }) => swarm?.legs[0]?.stage === 'accepted');
    const legId = await legIdOf(parcel);
    await untilJustBefore(parcel);
    const left = await untilPackage(service.current, parcel.id, ({ swarm }) => swarm?.legs[0]?.stage === 'vacant');
    expect(left.swarm?.legs[0]?.forfeitedLamports ?? 0n).toBe(0n);
    expect((await carrier.client.listEvidence({ legId })).items).toEqual([]);
  });

  test('tells what it could not do, and tries again', async () => {
    const nobody = await service.current.party(0);
    const failures: unknown[] = [];
    const wrong = createLegworkClient({ url: 'http://127.0.0.1:1', patienceMs: 0 });
    const stopping = new AbortController();
    const options = { signal: stopping.signal, everyMs: 20, rpc: service.current.rpc };
    const policy = { hasParcel: () => true, failed: (error: unknown) => void failures.push(error) };
    const ended = followTurns(wrong, nobody.signer, policy, options);
    await expect.poll(() => failures.length).toBeGreaterThan(1);
    stopping.abort();
    await ended;
  });
});

test('a move that landed is not made again: the same one is answered (S-165)', async () => {
  const cast = await formedWithTerms(service.current, WHOLE_WAY);
  const carrier = at(cast.couriers, 0);
  const { signature } = await move(service.current, cast, 0, carrier, 'accept');
  const again = makeMove(carrier.client, carrier.signer, { legId: await legIdOf(cast.parcel), action: 'accept' });
  expect(await again).toMatchObject({ signature, stage: 'accepted' });
});
