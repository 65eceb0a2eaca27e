import {
  getAcceptInstruction,
  getConfirmLegInstruction,
  getRuleInstruction,
  reputationAddress,
} from '@legwork/program-client';
import { createNoopSigner, generateKeyPairSigner, getBase64Encoder, getTransactionDecoder } from '@solana/kit';
import type { Address, Instruction } from '@solana/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  confirmWithCode,
  createLegworkClient,
  joinMove,
  offerMove,
  offerText,
  readOffer,
  receiverCode,
  TransactionRefusedError,
} from '../src/index.js';
import type { MoveOffer } from '../src/index.js';
import { startOutsideService } from './support/outsideService.js';
import { packageJson, ParcelLedger } from './support/parcelOnLedger.js';
import type { Parcel } from './support/parcelOnLedger.js';
import { config } from './support/serviceConfig.js';
import { SOME_ADDRESS, wire } from './support/transactions.js';

let ledger: ParcelLedger;
/** Its pickup is signed by both. */
let parcel: Parcel;
let carried: Parcel;

beforeAll(async () => {
  ledger = await ParcelLedger.start();
  parcel = await ledger.inTransit(1, { cosignedPickup: true });
  carried = await ledger.inTransit(1);
  await ledger.accept(carried, 0, true);
});

afterAll(() => ledger.close());

/** A service that builds this transaction, whatever was asked, and refuses all that is handed in; with what was. */
async function serviceOf(of: Parcel, transaction: string) {
  const handedIn: string[] = [];
  const service = await startOutsideService(({ path, body }) => {
    if (path === '/config') return { json: { ...config, programId: ledger.program, rpcUrl: ledger.ledger.rpcUrl } };
    if (path.startsWith('/packages/')) return { json: packageJson(of) };
    const built = { legId: of.legIds[0], action: 'take', signers: [SOME_ADDRESS], blockhash: 'x' };
    if (path === '/turns/build-tx') return { json: { ...built, lastValidBlockHeight: 1, transaction } };
    handedIn.push(String(JSON.parse(body).transaction));
    return { status: 409, json: { code: 'invalid_status', detail: 'not now' } };
  });
  return { client: createLegworkClient({ url: service.url }), handedIn };
}

const to = () => ({ programAddress: ledger.program });
const courierOf = (of: Parcel) => of.couriers[0] ?? parcel.shipper;

function taking(formation = 1): Instruction {
  const { listing, swarm, legs, shipper } = parcel;
  const accounts = { listing, swarm, leg: legs[0] ?? listing, lister: createNoopSigner(shipper.address), formation };
  return getAcceptInstruction({ ...accounts, courier: createNoopSigner(courierOf(parcel).address), take: true }, to());
}

function agreeing(percent: number): Instruction {
  const { listing, swarm, legs, shipper, vault, arbiter } = carried;
  const accounts = { listing, swarm, leg: legs[0] ?? listing, config: ledger.config, vault, fee: arbiter.address };
  const [signer, worker] = [createNoopSigner(shipper.address), createNoopSigner(courierOf(carried).address)];
  return getRuleInstruction({ ...accounts, signer, worker, other: shipper.address, formation: 1, percent }, to());
}

async function receiving(recipient: Address): Promise<Instruction> {
  const { listing, swarm, legs, vault } = carried;
  const courier = courierOf(carried).address;
  const accounts = { package: listing, swarm, leg: legs[0] ?? listing, vault, courier };
  const reputation = await reputationAddress(ledger.program, courier);
  return getConfirmLegInstruction(
    { ...accounts, reputation, recipient: createNoopSigner(recipient), formation: 1 },
    to(),
  );
}

const take = () => ({ legId: parcel.legIds[0] ?? '', packageId: parcel.id, action: 'take' as const });

/** The courier's half of the pickup. */
async function offered(): Promise<MoveOffer> {
  const courier = courierOf(parcel);
  const { client } = await serviceOf(parcel, wire(courier.address, [taking()]));
  return offerMove(client, courier, take());
}

function signaturesOf(base64: string) {
  return Object.entries(getTransactionDecoder().decode(getBase64Encoder().encode(base64)).signatures);
}

describe('[T-8] a pickup that both sign', () => {
  test('is offered by the courier, travels as text, and is handed in with both signatures', async () => {
    const offer = readOffer(offerText(await offered()));
    if (offer === undefined) throw new Error('the offer cannot be read');
    expect(signaturesOf(offer.transaction).filter(([, signature]) => signature !== null)).toHaveLength(1);
    const { client, handedIn } = await serviceOf(parcel, '');
    await expect(joinMove(client, parcel.shipper, offer)).rejects.toMatchObject({ code: 'invalid_status' });
    expect(signaturesOf(handedIn[0] ?? '').map(([signer]) => signer)).toEqual([
      courierOf(parcel).address,
      parcel.shipper.address,
    ]);
    expect(signaturesOf(handedIn[0] ?? '').every(([, signature]) => signature !== null)).toBe(true);
  });

  test.each<[string, () => MoveOffer | Promise<MoveOffer>]>([
    ['another courier of the leg', () => offerOf(wire(courierOf(parcel).address, [taking(2)]))],
    ['that the shipper would pay', () => offerOf(wire(parcel.shipper.address, [taking()]))],
    ['another move', () => offerOf(wire(courierOf(carried).address, [agreeing(0)]))],
    ['an agreement about another leg', () => ({ ...offerOf(wire(SOME_ADDRESS, [agreeing(100)])), action: 'agree' })],
  ])('is not joined by the shipper for %s', async (_, offer) => {
    const { client, handedIn } = await serviceOf(parcel, '');
    await expect(joinMove(client, parcel.shipper, await offer())).rejects.toThrow(TransactionRefusedError);
    expect(handedIn).toEqual([]);
  });

  test('is not joined by anybody else', async () => {
    const { client } = await serviceOf(parcel, '');
    const stranger = await generateKeyPairSigner();
    await expect(joinMove(client, stranger, await offered())).rejects.toThrow(/does not need the signature/);
  });

  test.each([
    '',
    'legwork-offer:',
    'legwork-offer:{}',
    'legwork-offer:{"legId":"a","transaction":"b","action":"claim"}',
  ])('is no offer: %j', (text) => expect(readOffer(text)).toBeUndefined());
});

describe('[T-23] an agreement', () => {
  test('is joined with the percentage that its text says, and no other', async () => {
    const courier = courierOf(carried);
    const { client } = await serviceOf(carried, wire(courier.address, [agreeing(80)]));
    const move = { legId: carried.legIds[0] ?? '', packageId: carried.id, action: 'agree' as const };
    const offer = await offerMove(client, courier, { ...move, percent: 80 });
    await expect(joinMove(client, carried.shipper, offer)).rejects.toMatchObject({ code: 'invalid_status' });
    const lie = joinMove(client, carried.shipper, { ...offer, percent: 20 });
    await expect(lie).rejects.toThrow(TransactionRefusedError);
  });

  test('is offered by nobody to himself', async () => {
    const single = { ...take(), legId: carried.legIds[0] ?? '', packageId: carried.id };
    const courier = courierOf(carried);
    const { listing, swarm, legs, shipper } = carried;
    const accounts = { listing, swarm, leg: legs[0] ?? listing, lister: shipper.address, formation: 1 };
    const alone = getAcceptInstruction({ ...accounts, courier: createNoopSigner(courier.address), take: true }, to());
    const { client } = await serviceOf(carried, wire(courier.address, [alone]));
    await expect(offerMove(client, courier, single)).rejects.toThrow(/no other signature/);
  });
});

describe('[T-31] the code of a receiver', () => {
  test('is a key of its own each time', async () => {
    const [one, other] = [await receiverCode(), await receiverCode()];
    expect(one.code).toMatch(/^legwork-receiver:[1-9A-HJ-NP-Za-km-z]{32,44}$/);
    expect(one.pubkey).not.toBe(other.pubkey);
    expect(one.code).not.toContain(one.pubkey);
  });

  test('signs for no package that names another receiver', async () => {
    const { code, pubkey } = await receiverCode();
    const courier = courierOf(carried);
    const { client, handedIn } = await serviceOf(carried, wire(courier.address, [await receiving(pubkey as Address)]));
    const call = confirmWithCode(client, courier, carried.legIds[0] ?? '', code, { packageId: carried.id });
    await expect(call).rejects.toThrow(/the code is not its/);
    expect(handedIn).toEqual([]);
  });

  test.each(['', 'legwork-receiver:', 'legwork-receiver:0OIl', 'legwork-receiver:abc', 'abc'])(
    'is none: %j',
    async (code) => {
      const { client } = await serviceOf(carried, '');
      await expect(confirmWithCode(client, courierOf(carried), carried.legIds[0] ?? '', code)).rejects.toThrow(
        TypeError,
      );
    },
  );
});

function offerOf(transaction: string): MoveOffer {
  return { ...take(), transaction };
}
