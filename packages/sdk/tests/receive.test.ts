import type { Address, KeyPairSigner } from '@solana/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { confirmLeg, createLegworkClient, receive, TransactionRefusedError } from '../src/index.js';
import type { LegworkClient } from '../src/index.js';
import { MoveInstructions } from './support/moveInstructions.js';
import { startOutsideService } from './support/outsideService.js';
import { packageJson, ParcelLedger, PAYMENT, STAKE } from './support/parcelOnLedger.js';
import type { Parcel } from './support/parcelOnLedger.js';
import { config } from './support/serviceConfig.js';
import { wire } from './support/transactions.js';

let ledger: ParcelLedger;
let moves: MoveInstructions;

beforeAll(async () => {
  ledger = await ParcelLedger.start();
  moves = new MoveInstructions(ledger);
});

afterAll(() => ledger.close());

/** The answers of a service that may lie. */
interface Told {
  /** Of the package. */
  readonly parcel?: object;
  /** Of each leg. */
  readonly leg?: object;
  /** The values that it names where the program takes something else. */
  readonly built?: Partial<{ formation: number; courier: Address }> | Parcel;
}

/** A service that builds a confirmation whenever it is asked to, and keeps what reaches it signed. */
async function serviceOf(parcel: Parcel, recipient: KeyPairSigner, told: Told = {}) {
  const signed: string[] = [];
  const { value: lifetime } = await ledger.rpc.getLatestBlockhash().send();
  const confirming = await (told.built !== undefined && 'legs' in told.built
    ? moves.confirming(told.built, recipient.address)
    : moves.confirming(parcel, recipient.address, told.built));
  const transaction = wire(recipient.address, [confirming], lifetime);
  const [legId] = parcel.legIds;
  const built = { legId, transaction, blockhash: lifetime.blockhash, lastValidBlockHeight: 1_000_000 };
  const said = packageJson(parcel);
  const legs = said.swarm.legs.map((leg) => ({ ...leg, ...told.leg }));
  const shown = { ...said, swarm: { ...said.swarm, legs }, ...told.parcel };
  const service = await startOutsideService(({ path, body, method }) => {
    if (path === '/config') return { json: { ...config, programId: ledger.program, rpcUrl: ledger.ledger.rpcUrl } };
    if (path.startsWith('/packages/')) return { json: shown };
    if (path.endsWith('/build-confirm-tx')) {
      return { json: { ...built, legIndex: 0, isFinal: true, recipientPubkey: recipient.address } };
    }
    if (path === '/turns/build-tx') return { json: { ...built, action: 'confirm', signers: [recipient.address] } };
    if (method === 'POST') signed.push(body);
    const state = { status: 'completed', finality: 'confirmed', swarmStatus: 'active', settleSignature: null };
    return { json: { legId, ...state } };
  });
  return { client: createLegworkClient({ url: service.url, signer: recipient }), signed };
}

const balanceOf = async (of: Address) => (await ledger.rpc.getBalance(of, { commitment: 'confirmed' }).send()).value;

/** The payment to the courier of the first leg once this has ended, and how it ended. */
async function paidBy(parcel: Parcel, confirming: Promise<unknown>) {
  const courier = parcel.couriers[0]?.address ?? parcel.listing;
  const before = await balanceOf(courier);
  const refusal = await confirming.then(
    () => undefined,
    (error: unknown) => error,
  );
  return { refusal, lamports: (await balanceOf(courier)) - before };
}

function personOf(parcel: Parcel, index: number): KeyPairSigner {
  const courier = parcel.couriers[index];
  if (courier === undefined) throw new RangeError('the parcel has no such courier');
  return courier;
}

const confirmFirst = (client: LegworkClient, parcel: Parcel, recipient: KeyPairSigner) =>
  confirmLeg(client, ledger.rpc, recipient, parcel.legIds[0] ?? '');

const PLAIN = { isPlain: true };
const NO_TERMS: Told = { parcel: { terms: null }, leg: { stage: null } };

describe('a service that says of a package with terms that it has none', () => {
  test.each<[string, (parcel: Parcel) => Promise<void>]>([
    ['nobody has accepted', () => Promise.resolve()],
    ['nobody has picked up', (parcel) => ledger.accept(parcel, 0)],
    ['is carried', (parcel) => ledger.accept(parcel, 0, true)],
  ])('gets no confirmation of a leg that %s (A-105)', async (_, prepare) => {
    const parcel = await ledger.inTransit(1);
    await prepare(parcel);
    const { client, signed } = await serviceOf(parcel, parcel.shipper, NO_TERMS);
    const receiving = receive(client, parcel.shipper, { packageId: parcel.id, evenBeforePickup: true });
    const { refusal, lamports } = await paidBy(parcel, receiving);
    expect({ lamports, signed }).toEqual({ lamports: 0n, signed: [] });
    expect(refusal).toBeInstanceOf(TransactionRefusedError);
    expect(String(refusal)).toMatch(/terms of package .* are some on the ledger, and none by the service/);
  });

  test('gets none of its next courier either (A-105)', async () => {
    const parcel = await ledger.inTransit(2);
    await ledger.accept(parcel, 0);
    await ledger.accept(parcel, 1);
    const next = personOf(parcel, 1);
    const { client, signed } = await serviceOf(parcel, next, NO_TERMS);
    const { refusal, lamports } = await paidBy(parcel, receive(client, next, { packageId: parcel.id }));
    expect({ lamports, signed }).toEqual({ lamports: 0n, signed: [] });
    expect(refusal).toBeInstanceOf(TransactionRefusedError);
  });

  test.each<[string, (parcel: Parcel) => Promise<void>]>([
    ['nobody has accepted', () => Promise.resolve()],
    ['nobody has picked up', (parcel) => ledger.accept(parcel, 0)],
  ])('gets none by the number of a leg that %s (A-105)', async (_, prepare) => {
    const parcel = await ledger.inTransit(1);
    await prepare(parcel);
    const { client, signed } = await serviceOf(parcel, parcel.shipper, NO_TERMS);
    const { refusal, lamports } = await paidBy(parcel, confirmFirst(client, parcel, parcel.shipper));
    expect({ lamports, signed }).toEqual({ lamports: 0n, signed: [] });
    expect(refusal).toBeInstanceOf(TransactionRefusedError);
    expect(String(refusal)).toContain(`nobody has picked up the parcel of the leg at ${parcel.legs[0]}`);
  });
});

describe('a service that says of another stage than the ledger', () => {
  test.each<[string, (parcel: Parcel) => Promise<void>]>([
    ['nobody has accepted', () => Promise.resolve()],
    ['nobody has picked up', (parcel) => ledger.accept(parcel, 0)],
  ])('gets no confirmation of a leg that %s, carried as it may be (T-97)', async (_, prepare) => {
    const parcel = await ledger.inTransit(1);
    await prepare(parcel);
    const { client, signed } = await serviceOf(parcel, parcel.shipper, { leg: { stage: 'carried' } });
    const { refusal, lamports } = await paidBy(parcel, receive(client, parcel.shipper, { packageId: parcel.id }));
    expect({ lamports, signed }).toEqual({ lamports: 0n, signed: [] });
    expect(String(refusal)).toContain('nobody has picked up the parcel');
  });

  test('makes nobody believe that a parcel is received which the ledger says is under way (A-105)', async () => {
    const parcel = await ledger.inTransit(1);
    await ledger.accept(parcel, 0, true);
    const leg = { stage: 'completed', status: 'completed', confirmSignature: 'x' };
    const { client } = await serviceOf(parcel, parcel.shipper, { leg });
    const receiving = receive(client, parcel.shipper, { packageId: parcel.id });
    await expect(receiving).rejects.toThrow(`the leg at ${parcel.legs[0]} is confirmed, and the ledger does not`);
  });
});

describe('of a package without terms nothing is signed but the confirmation that the ledger takes now', () => {
  test.each<[string, (parcel: Parcel, other: Parcel) => Told, RegExp]>([
    ['another formation', () => ({ built: { formation: 2 } }), /its formation is 2 and should be 1/],
    [
      'another courier',
      (_, other) => ({ built: { courier: personOf(other, 0).address } }),
      /its courier is \w+ and should be \w+/,
    ],
    ['another leg', (_, other) => ({ built: other }), /confirms the leg at \w+, not the one at/],
    ['terms', (_, other) => ({ parcel: { terms: packageJson({ ...other, isPlain: false }).terms } }), /are none on/],
  ])('when the service names %s (A-105)', async (_, lie, message) => {
    const [parcel, other] = [await ledger.inTransit(1, PLAIN), await ledger.inTransit(1, PLAIN)];
    const { client, signed } = await serviceOf(parcel, parcel.shipper, lie(parcel, other));
    const { refusal, lamports } = await paidBy(
      parcel,
      receive(client, parcel.shipper, { packageId: parcel.id, evenBeforePickup: true }),
    );
    expect({ lamports, signed }).toEqual({ lamports: 0n, signed: [] });
    expect(refusal).toBeInstanceOf(TransactionRefusedError);
    expect(String(refusal)).toMatch(message);
  });

  test('and that one pays its courier exactly what was agreed', async () => {
    const parcel = await ledger.inTransit(1, PLAIN);
    const { client } = await serviceOf(parcel, parcel.shipper);
    const { refusal, lamports } = await paidBy(parcel, receive(client, parcel.shipper, { packageId: parcel.id }));
    expect({ refusal, lamports }).toEqual({ refusal: undefined, lamports: PAYMENT });
  });
});

test('of a carried leg with terms, its payment and its stake go to the courier who brought it', async () => {
  const parcel = await ledger.inTransit(1);
  await ledger.accept(parcel, 0, true);
  const { client } = await serviceOf(parcel, parcel.shipper);
  const { refusal, lamports } = await paidBy(parcel, confirmFirst(client, parcel, parcel.shipper));
  expect({ refusal, lamports }).toEqual({ refusal: undefined, lamports: PAYMENT + STAKE });
});
