import { createNonce, createUuid } from '@legwork/protocol/contract';
import { base58 } from '@scure/base';
import type { PackageDetail } from '@legwork/sdk';
import { generateKeyPairSigner } from '@solana/kit';
import { beforeAll, describe, expect, test } from 'vitest';
import { getConfirmLegInstruction } from '@legwork/program-client';
import { address } from '@solana/kit';
import { confirmAll, formedPackage, untilPackage } from '../../support/market.js';
import { attempt, post, postSigned, type Refusal, refusedWith, type SigningChanges } from '../../support/refusal.js';
import { type Party, withService } from '../../support/service.js';
import { untilQuiet } from '../../support/snapshot.js';
import { land, relayInstruction, signed, transfer } from '../../support/transactions.js';

const service = withService();

let shipper: Party;
let stranger: Party;
let couriers: [Party, Party, Party];
let parcel: PackageDetail;
let delivered: { shipper: Party; parcel: PackageDetail };
/** Transactions on the ledger that the service was not told of. */
const landed = { leg0: '', transfer: '', failed: '' };

const legOf = (index: number, of: PackageDetail = parcel) => of.swarm?.legs[index]?.id ?? '';
const someSignature = () => base58.encode(crypto.getRandomValues(new Uint8Array(64)));

/** The confirm_leg of a leg by its recipient, on the ledger only. `build-confirm-tx` serves the leg whose turn it is. */
async function confirmLeg0(by: Party): Promise<string> {
  const built = await by.client.buildConfirmTx({ legId: legOf(0) });
  const { accounts, data } = relayInstruction(service.current, built.transaction, 'confirmLeg');
  return confirmOnLedger(by, {
    package: accounts.package.address,
    swarm: accounts.swarm.address,
    vault: accounts.vault.address,
    leg: accounts.leg.address,
    courier: accounts.courier.address,
    reputation: accounts.reputation.address,
    ...(accounts.nextLeg && { nextLeg: accounts.nextLeg.address }),
    formation: data.formation,
  });
}

async function confirmOnLedger(
  by: Party,
  fields: Omit<Parameters<typeof getConfirmLegInstruction>[0], 'recipient'>,
): Promise<string> {
  const programAddress = address(service.current.server.programId);
  const instruction = getConfirmLegInstruction({ recipient: by.signer, ...fields }, { programAddress });
  return land(service.current, await signed(service.current, [by.signer], [instruction]));
}

beforeAll(async () => {
  stranger = await service.current.party(1);
  const [market, done] = await Promise.all([
    formedPackage(service.current, [
      ['zoo', 'hauptbahnhof', 0.03],
      ['hauptbahnhof', 'alexanderplatz', 0.05],
      ['alexanderplatz', 'ostkreuz', 0.04],
    ]),
    formedPackage(service.current, [['zoo', 'ostkreuz', 0.1]]),
  ]);
  ({ shipper, parcel } = market);
  couriers = market.couriers as typeof couriers;
  await confirmAll(service.current, done);
  delivered = {
    shipper: done.shipper,
    parcel: await untilPackage(service.current, done.parcel.id, ({ status }) => status === 'delivered'),
  };
  landed.transfer = await land(
    service.current,
    await signed(service.current, [couriers[1].signer], [transfer(couriers[1].signer, stranger.signer)]),
  );
  // A confirmation by a wallet that is not the recipient: the program refuses it.
  landed.failed = await confirmLeg0(stranger);
  await untilQuiet(service.current);
});

async function answerTo(send: () => Promise<Response>) {
  // Everything on the ledger already is mirrored, so that only the request could change something.
  await untilQuiet(service.current);
  return attempt(
    service.current,
    [shipper, stranger, ...couriers].map(({ pubkey }) => pubkey),
    send,
  );
}

const confirm =
  (by: Party, legId: string, body: unknown, changes: SigningChanges = {}) =>
  () =>
    postSigned(service.current, by, `/swarms/legs/${legId}/confirm`, body, changes);

const wrong: Refusal = { status: 422, code: 'wrong_transaction', fields: ['signature'] };
const invalid = (field: string): Refusal => ({ status: 400, code: 'invalid_input', fields: [field] });

describe('a confirmation', () => {
  test.each<[who: string, party: () => Party]>([
    ['the courier who hands over', () => couriers[0]],
    ['the courier after the next', () => couriers[2]],
    ['the shipper', () => shipper],
    ['a stranger', () => stranger],
  ])('by %s is refused, and the answer names who confirms (S-84)', async (_who, party) => {
    expect(await answerTo(confirm(party(), legOf(0), { signature: someSignature() }))).toEqual(
      refusedWith({
        status: 403,
        code: 'wrong_recipient',
        fields: ['X-Pubkey'],
        says: new RegExp(`courier of leg 1, ${couriers[1].pubkey}`),
      }),
    );
  });

  test('of the last leg by a courier is refused, and the answer names the shipper (S-84)', async () => {
    expect(await answerTo(confirm(couriers[2], legOf(2), { signature: someSignature() }))).toEqual(
      refusedWith({
        status: 403,
        code: 'wrong_recipient',
        fields: ['X-Pubkey'],
        says: new RegExp(`the shipper, ${shipper.pubkey}`),
      }),
    );
  });

  test.each<[what: string, by: () => Party, index: number]>([
    ['the second leg before the first', () => couriers[2], 1],
    ['the last leg before the others', () => shipper, 2],
  ])('of %s is refused', async (_what, by, index) => {
    expect(await answerTo(confirm(by(), legOf(index), { signature: someSignature() }))).toEqual(
      refusedWith({
        status: 409,
        code: 'leg_out_of_order',
        fields: ['legId'],
        says: new RegExp(`leg 0 \\(${legOf(0)}\\) is next`),
      }),
    );
    expect(await answerTo(() => post(service.current, `/swarms/legs/${legOf(index)}/build-confirm-tx`, {}))).toEqual(
      refusedWith({
        status: 409,
        code: 'leg_out_of_order',
        fields: ['legId'],
      }),
    );
  });

  test.each<[what: string, signature: () => string | null | undefined]>([
    ['of a transfer', () => landed.transfer],
    ["of another package's confirmation", () => delivered.parcel.swarm?.legs[0]?.confirmSignature],
    ['of the formation', () => parcel.swarm?.formSignature],
    ['of the listing', () => parcel.listSignature],
    ['of a settlement', () => delivered.parcel.settleSignature],
  ])('with the signature %s is refused', async (_what, signature) => {
    expect(signature()).toBeTruthy();
    expect(await answerTo(confirm(couriers[1], legOf(0), { signature: signature() }))).toEqual(
      refusedWith({ ...wrong, says: /build-confirm-tx/ }),
    );
  });

  test('with the signature of a transaction that failed is refused, with the reason', async () => {
    expect(await answerTo(confirm(couriers[1], legOf(0), { signature: landed.failed }))).toEqual(
      refusedWith({
        status: 422,
        code: 'transaction_failed',
        fields: ['signature'],
        says: /UnauthorizedRecipient.*build-confirm-tx/,
      }),
    );
  });

  test('with a signature that the ledger does not know is refused', async () => {
    expect(await answerTo(confirm(couriers[1], legOf(0), { signature: someSignature() }))).toEqual(
      refusedWith({
        status: 409,
        code: 'not_confirmed_on_chain',
        fields: ['signature'],
        says: /wait until it is/,
      }),
    );
  });

  test.each<[what: string, body: unknown, field: string]>([
    ['without a signature', {}, 'signature'],
    ['with null', { signature: null }, 'signature'],
    ['with 63 bytes', { signature: base58.encode(new Uint8Array(63).fill(255)) }, 'signature'],
    ['with 65 bytes', { signature: base58.encode(new Uint8Array(65).fill(1)) }, 'signature'],
    ['with 88 characters that are more than 64 bytes', { signature: 'z'.repeat(88) }, 'signature'],
    ['with 64 characters that are fewer than 64 bytes', { signature: '2'.repeat(64) }, 'signature'],
    ['with hexadecimal text', { signature: '0f'.repeat(64) }, 'signature'],
    ['with a transaction too', { signature: someSignature(), transaction: 'AAAA' }, 'signature'],
    ['with a transaction that is not base64', { transaction: 'ä' }, 'transaction'],
    ['with an unknown field', { signature: someSignature(), paymentLamports: 1 }, 'paymentLamports'],
  ])('%s is refused', async (_what, body, field) => {
    expect(await answerTo(confirm(couriers[1], legOf(0), body))).toEqual(refusedWith(invalid(field)));
  });

  test.each<[what: string, transaction: () => Promise<string>, says: RegExp]>([
    [
      'that is none',
      async () => 'AAAA',
      /^transaction: is no transaction: send the one that was built for you, signed/,
    ],
    [
      'that nobody signed',
      async () => (await couriers[1].client.buildConfirmTx({ legId: legOf(0) })).transaction,
      /is not fully signed: the signature of .* is missing/,
    ],
    [
      'of a transfer',
      () => signed(service.current, [couriers[1].signer], [transfer(couriers[1].signer, stranger.signer)]),
      /does not confirm this leg.*build-confirm-tx/,
    ],
  ])('with a transaction %s is refused, and nothing is sent (S-83)', async (_what, transaction, says) => {
    const body = { transaction: await transaction() };
    expect(await answerTo(confirm(couriers[1], legOf(0), body))).toEqual(
      refusedWith({ ...wrong, fields: ['transaction'], says }),
    );
  });

  test('of a leg that is not there is refused', async () => {
    const body = { signature: someSignature() };
    expect(await answerTo(confirm(couriers[1], createUuid(), body))).toEqual(
      refusedWith({ status: 404, code: 'not_found', fields: ['legId'] }),
    );
    expect(await answerTo(confirm(couriers[1], parcel.id, body))).toEqual(
      refusedWith({ status: 404, code: 'not_found', fields: ['legId'] }),
    );
    expect(await answerTo(confirm(couriers[1], '0', body))).toEqual(refusedWith(invalid('legId')));
  });

  test.each<[what: string, changes: () => Promise<SigningChanges>, code: Refusal['code']]>([
    ['signed by another key', async () => ({ signer: await generateKeyPairSigner() }), 'bad_signature'],
    ['signed by the courier who would be paid', async () => ({ signer: couriers[0].signer }), 'bad_signature'],
    ['signed for another leg', async () => ({ signedPath: `/swarms/legs/${legOf(1)}/confirm` }), 'bad_signature'],
    ['signed for another transaction', async () => ({ signedBody: '{"signature":"1"}' }), 'bad_signature'],
    ['signed two minutes ago', async () => ({ nonce: createNonce(Date.now() - 120_000) }), 'stale_nonce'],
  ])('%s is refused', async (_what, changes, code) => {
    const send = confirm(couriers[1], legOf(0), { signature: someSignature() }, await changes());
    expect(await answerTo(send)).toEqual(refusedWith({ status: 401, code, fields: [] }));
  });

  test('without the headers of a signature is refused', async () => {
    const send = () => post(service.current, `/swarms/legs/${legOf(0)}/confirm`, { signature: someSignature() });
    expect(await answerTo(send)).toEqual(refusedWith({ status: 401, code: 'missing_header', fields: [] }));
  });
});

describe('a leg that is confirmed', () => {
  test('is answered again, changes nothing more, and takes no other transaction and no replay', async () => {
    landed.leg0 = await confirmLeg0(couriers[1]);
    const nonce = createNonce(Date.now());
    const send = confirm(couriers[1], legOf(0), { signature: landed.leg0 }, { nonce });
    expect(await (await send()).json()).toMatchObject({ status: 'completed', swarmStatus: 'active' });
    await untilQuiet(service.current);

    expect(await answerTo(send)).toEqual(refusedWith({ status: 401, code: 'replayed_nonce', fields: [] }));
    const again = await confirm(couriers[1], legOf(0).toUpperCase(), { signature: landed.leg0 })();
    expect(again.status).toBe(200);
    expect(await again.json()).toMatchObject({ legId: legOf(0), status: 'completed' });
    for (const signature of [landed.transfer, landed.failed, someSignature()]) {
      const refusal = { ...wrong, says: new RegExp(landed.leg0) };
      expect(await answerTo(confirm(couriers[1], legOf(0), { signature }))).toEqual(refusedWith(refusal));
    }
    expect(await answerTo(() => post(service.current, `/swarms/legs/${legOf(0)}/build-confirm-tx`, {}))).toEqual(
      refusedWith({
        status: 409,
        code: 'leg_out_of_order',
        fields: ['legId'],
      }),
    );
  });

  test('does not confirm the next one by its transaction', async () => {
    expect(await answerTo(confirm(couriers[2], legOf(1), { signature: landed.leg0 }))).toEqual(
      refusedWith({ ...wrong, says: /build-confirm-tx/ }),
    );
  });

  test('and settled takes neither another transaction nor another wallet', async () => {
    const leg = legOf(0, delivered.parcel);
    expect(await answerTo(confirm(delivered.shipper, leg, { signature: landed.leg0 }))).toEqual(refusedWith(wrong));
    const own = delivered.parcel.swarm?.legs[0]?.confirmSignature;
    expect(await answerTo(confirm(stranger, leg, { signature: own }))).toEqual(
      refusedWith({
        status: 403,
        code: 'wrong_recipient',
        fields: ['X-Pubkey'],
      }),
    );
    expect(await answerTo(() => post(service.current, `/swarms/legs/${leg}/build-confirm-tx`, {}))).toEqual(
      refusedWith({
        status: 409,
        code: 'invalid_status',
        fields: ['legId'],
        says: /settled/,
      }),
    );
  });
});
