import { handoffText, type ParcelWord, wholeSecond } from '@legwork/program-client';
import { type Receipt, ReceiptError, receiptHash, verifyChain } from '@legwork/program-client/receipts';
import {
  address,
  createKeyPairSignerFromPrivateKeyBytes,
  getBase16Encoder,
  getBase58Decoder,
  type KeyPairSigner,
  signBytes,
} from '@solana/kit';
import { expect, test } from 'vitest';

const PROGRAM = address('7YkLmNbQ3hVJt5u3M9c2RrXwE8a4fKpZsD6gTqWvUy1B');
const LISTING = address('Ed25519SigVerify111111111111111111111111111');
const NONCE = new Uint8Array(8).fill(7);

/** Numbers that look random, the same ones for a seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const people = await Promise.all(
  Array.from({ length: 9 }, (_, index) => createKeyPairSignerFromPrivateKeyBytes(new Uint8Array(32).fill(index + 1))),
);
function person(index: number): KeyPairSigner {
  const found = people[index];
  if (found === undefined) throw new RangeError(`there are ${people.length} people`);
  return found;
}

interface Hop {
  readonly said: ParcelWord;
  readonly legIndex: number;
  readonly from: KeyPairSigner;
  readonly to: KeyPairSigner;
  /** The sha256 of the noted defect, hex. */
  readonly hash?: string;
}

async function receiptOf({ said, legIndex, from, to, hash }: Hop, before: Receipt | undefined): Promise<Receipt> {
  const second = 1_795_000_000 + legIndex * 3_600 + (said === 'picked up' ? 0 : 1_800);
  const signedAt = new Date(second * 1_000);
  const noted = hash === undefined ? undefined : getBase16Encoder().encode(hash);
  const text = handoffText({ listing: LISTING, legIndex, formation: 1, said, noted, signedAt, nonce: NONCE });
  const signer = said === 'picked up' ? from : to;
  const signature = await signBytes(signer.keyPair.privateKey, new TextEncoder().encode(text));
  return {
    v: 'legwork.receipt/1',
    program: PROGRAM,
    listing: LISTING,
    document: 'ab'.repeat(32),
    legIndex,
    formation: 1,
    said,
    from: from.address,
    to: to.address,
    condition: hash === undefined ? 'as described' : 'noted',
    hash: hash ?? null,
    at: wholeSecond(signedAt),
    signed: { signer: signer.address, signature: getBase58Decoder().decode(signature), text },
    previous: before === undefined ? null : await receiptHash(before),
    landed: null,
  };
}

async function chainOf(hops: readonly Hop[]): Promise<Receipt[]> {
  const chain: Receipt[] = [];
  for (const hop of hops) chain.push(await receiptOf(hop, chain.at(-1)));
  return chain;
}

/** A relay of so many couriers from shipper (0) to receiver (8), with something noted at one handoff, or lost after one. */
function relay(couriers: number, { notedAt, lostAfter }: { notedAt?: number; lostAfter?: number } = {}): Hop[] {
  const hops = Array.from({ length: couriers + 1 }, (_, place): Hop => {
    const said = place === 0 ? 'picked up' : place === couriers ? 'received' : 'taken over';
    const [from, to] = [person(place), place === couriers ? person(8) : person(place + 1)];
    const noted = notedAt !== undefined && place >= notedAt;
    return { said, legIndex: Math.max(0, place - 1), from, to, ...(noted && { hash: `${place}${'c'.repeat(63)}` }) };
  });
  return lostAfter === undefined ? hops : hops.slice(0, lostAfter + 1);
}

test('in 1,000 relays with damage or loss the chain names the hop where it happened (S-210)', async () => {
  for (let seed = 0; seed < 1_000; seed += 1) {
    const random = numbers(seed);
    const couriers = 1 + random(7);
    const isLoss = random(2) === 1;
    const place = random(couriers) + (isLoss ? 0 : 1);
    const chain = await chainOf(relay(couriers, isLoss ? { lostAfter: place } : { notedAt: place }));
    const custody = await verifyChain(chain);
    // Between two handoffs the parcel is with the courier of the one before.
    const courier = person(isLoss ? place + 1 : place).address;
    const named = isLoss ? custody.holder : custody.firstNoted?.heldBy;
    expect([seed, named, custody.isEnded]).toEqual([seed, courier, !isLoss]);
  }
});

test('says who had it when, and that it arrived; no receipt is above 2 KB (S-210)', async () => {
  const chain = await chainOf(relay(7, { notedAt: 1 }));
  const custody = await verifyChain(chain);
  expect(custody.holders.map(({ holder }) => holder)).toEqual(people.map(({ address: one }) => one));
  expect(custody).toMatchObject({ holder: person(8).address, isEnded: true, unproven: [] });
  for (const receipt of chain) expect(JSON.stringify(receipt).length).toBeLessThanOrEqual(2_048);
});

test('a chain of which anything was changed, left out or put elsewhere does not hold (S-210)', async () => {
  const whole = await chainOf(relay(3, { notedAt: 2 }));
  const [first, second, third, fourth] = whole as [Receipt, Receipt, Receipt, Receipt];
  const { signed } = second;
  const changed = (change: Partial<Receipt>) => [first, { ...second, ...change }, third, fourth];
  const other = await receiptOf({ said: 'taken over', legIndex: 0, from: person(1), to: person(5) }, first);
  const chains: [number, string, readonly Receipt[]][] = [
    [0, 'there is none', []],
    [0, 'not the first', [second, third, fourth]],
    [1, 'does not follow', [first, third, fourth]],
    [1, 'another condition', changed({ condition: 'noted', hash: 'd'.repeat(64) })],
    [2, 'another condition', [first, second, { ...third, condition: 'as described', hash: null }, fourth]],
    [1, 'another time', changed({ at: '2026-11-28T12:40:05Z' })],
    [1, 'should have signed', changed({ to: person(5).address })],
    [1, 'nobody signed', changed({ signed: null })],
    [2, 'does not follow', changed({ condition: 'not said', signed: null })],
    [1, 'another leg', changed({ legIndex: 2 })],
    [
      1,
      'not of this text',
      changed({ signed: { ...signed, signature: third.signed?.signature ?? '' } as Receipt['signed'] }),
    ],
    [1, 'something else, another listing', changed({ signed: { ...signed, text: 'I took it' } as Receipt['signed'] })],
    [1, 'not the form', changed({ v: 'legwork.receipt/2' as Receipt['v'] })],
    [1, 'not the form', changed({ document: 'ab' })],
    [1, 'not the form', changed({ at: '2026-02-31T12:40:05Z' })],
    [1, 'not the form', [first, Object.assign({ note: 'x' }, second), third, fourth]],
    [1, 'not the form', [first, Object.assign({ ...second }, { signed: undefined }), third, fourth]],
    [1, 'not the form', changed({ formation: 1.5 })],
    [1, 'not the form', changed({ from: 'me' })],
    [2, 'does not follow', [first, other, third, fourth]],
    [2, 'did not have it', [first, other, { ...third, previous: await receiptHash(other) }]],
    [
      4,
      'follows the end',
      [...whole, await receiptOf({ said: 'taken over', legIndex: 2, from: person(8), to: person(2) }, fourth)],
    ],
  ];
  for (const [place, why, chain] of chains) {
    const error = await verifyChain(chain).catch((thrown: unknown) => thrown);
    expect([why, error]).toEqual([why, expect.any(ReceiptError)]);
    expect(error).toMatchObject({ place, message: expect.stringContaining(why) });
  }
  // Where it landed is no part of what was signed and chained.
  await verifyChain(whole.map((receipt) => ({ ...receipt, landed: { transaction: 'x', slot: '1' } })));
});
