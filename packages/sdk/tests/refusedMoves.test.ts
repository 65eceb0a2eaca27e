import { generateKeyPairSigner } from '@solana/kit';
import type { Address, Base64EncodedWireTransaction } from '@solana/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildMove, createLegworkClient, LedgerRefusedError, makeMove, TransactionRefusedError } from '../src/index.js';
import type { Move } from '../src/index.js';
import { HASH, legOf, MoveInstructions, moveOf } from './support/moveInstructions.js';
import { startOutsideService } from './support/outsideService.js';
import { packageJson, ParcelLedger } from './support/parcelOnLedger.js';
import type { Parcel } from './support/parcelOnLedger.js';
import { config } from './support/serviceConfig.js';
import { SOME_ADDRESS, wire } from './support/transactions.js';

const OTHER_HASH = 'cd'.repeat(32);

let ledger: ParcelLedger;
let moves: MoveInstructions;
let pending: Parcel;
/** Leg 1 is carried. */
let carried: Parcel;
let disputed: Parcel;

beforeAll(async () => {
  ledger = await ParcelLedger.start();
  moves = new MoveInstructions(ledger);
  pending = await ledger.inTransit(1, { cosignedPickup: true });
  carried = await ledger.inTransit(1);
  disputed = await ledger.inTransit(1);
  for (const parcel of [carried, disputed]) await ledger.accept(parcel, 0, true);
  await ledger.claim(disputed, 0, true);
});

afterAll(() => ledger.close());

describe('a move that is not for a key to make', () => {
  test.each<[string, () => readonly [Parcel, Address, Move]]>([
    ['another courier accepts', () => [pending, SOME_ADDRESS, moveOf(pending, 'accept')]],
    ['a stranger rules', () => [disputed, SOME_ADDRESS, moveOf(disputed, 'rule', { percent: 0 })]],
    ['a stranger agrees', () => [carried, SOME_ADDRESS, moveOf(carried, 'agree', { percent: 0 })]],
    ['a claim names no evidence', () => [carried, legOf(carried).courier, moveOf(carried, 'claim')]],
    ['a ruling names no percentage', () => [disputed, disputed.arbiter.address, moveOf(disputed, 'rule')]],
  ])('is refused before it is built: %s', async (_, lie) => {
    const [parcel, mover, move] = lie();
    const building = buildMove(await moves.serviceOf(parcel, ''), mover, move);
    await expect(building).rejects.toThrow(TransactionRefusedError);
  });

  test('[T-32] the next courier never ends a review by a signature that would say that it has the parcel', async () => {
    const parcel = await ledger.inTransit(2);
    await ledger.accept(parcel, 0, true);
    await ledger.accept(parcel, 1);
    await ledger.claim(parcel, 0);
    const next = legOf(parcel, 1).courier;
    const client = await moves.serviceOf(parcel, wire(next, [await moves.confirming(parcel, next)]));
    await expect(buildMove(client, next, moveOf(parcel, 'crank'))).rejects.toThrow(/takes the parcel over/);
  });

  test('makeMove signs nothing that needs a second signature', async () => {
    const courier = pending.couriers[0];
    if (courier === undefined) throw new Error('there is a courier');
    const client = await moves.serviceOf(pending, wire(courier.address, [moves.accepting(pending, { take: true })]));
    await expect(makeMove(client, courier, moveOf(pending, 'take'))).rejects.toThrow(/needs the signature of/);
  });

  test('makeMove believes no word of the service that a move landed', async () => {
    const parcel = await ledger.inTransit(1);
    const [courier] = parcel.couriers;
    if (courier === undefined) throw new Error('there is a courier');
    const { value: lifetime } = await ledger.rpc.getLatestBlockhash().send();
    // Nothing can be claimed that was not picked up.
    const transaction = wire(courier.address, [moves.claiming(parcel)], lifetime);
    const built = { legId: parcel.legIds[0], action: 'claim', signers: [courier.address], blockhash: 'x' };
    const service = await startOutsideService(({ path, body, method }) => {
      if (path === '/config') return { json: { ...config, programId: ledger.program, rpcUrl: ledger.ledger.rpcUrl } };
      if (path.startsWith('/packages/')) return { json: packageJson(parcel) };
      if (path === '/turns/build-tx') return { json: { ...built, lastValidBlockHeight: 1_000_000, transaction } };
      const sent = JSON.parse(body).transaction as Base64EncodedWireTransaction;
      const options = { encoding: 'base64', skipPreflight: true } as const;
      void ledger.rpc.sendTransaction(sent, options).send();
      return { json: { legId: built.legId, stage: 'claimed', until: null, signature: method } };
    });
    const client = createLegworkClient({ url: service.url, signer: courier });
    const making = makeMove(client, courier, moveOf(parcel, 'claim', { hash: HASH }));
    await expect(making).rejects.toThrow(LedgerRefusedError);
  });

  test('makeMove names no other evidence than it was given', async () => {
    const courier = carried.couriers[0] ?? (await generateKeyPairSigner());
    const lie = { json: { legId: carried.legIds[0], hash: OTHER_HASH }, status: 201 };
    const service = await startOutsideService(() => lie);
    const client = createLegworkClient({ url: service.url, signer: courier });
    const making = makeMove(client, courier, { ...moveOf(carried, 'claim'), text: 'at the door' });
    await expect(making).rejects.toThrow(/stored/);
  });
});
