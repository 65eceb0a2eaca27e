import { createUuid } from '@legwork/protocol/contract';
import { base58 } from '@scure/base';
import { beforeAll, describe, expect, test } from 'vitest';
import { draft, formedPackage } from '../../support/market.js';
import { attempt, post, type Refusal, refusedWith } from '../../support/refusal.js';
import { type Party, withService } from '../../support/service.js';
import { untilQuiet } from '../../support/snapshot.js';
import {
  cancellationOf,
  land,
  type ListingChanges,
  listingOf,
  relayInstruction,
  signed,
  transfer,
} from '../../support/transactions.js';
import { listPackage } from '../../support/listed.js';

const service = withService();

interface Draft {
  packageId: string;
  transaction: string;
}

let shipper: Party;
let friend: Party;
let poor: Party;
let mine: Draft;
let others: Draft;

const build = (party: Party): Promise<Draft> => party.client.buildListTx({ ...draft(), shipperPubkey: party.pubkey });

/** The listing of a draft of the shipper's, signed by it. */
const listing = async (of: Draft, changes: ListingChanges = {}) => {
  const signers = changes.funder ? ([changes.funder, shipper.signer] as const) : ([shipper.signer] as const);
  return signed(service.current, signers, [listingOf(service.current, shipper.signer, of.transaction, changes)]);
};

/** The listing of a draft, changed and landed on the ledger. */
const landed = async (changes: ListingChanges = {}) => {
  const of = await build(shipper);
  return { of, signature: await land(service.current, await listing(of, changes)) };
};

const terms = async () => relayInstruction(service.current, mine.transaction, 'listPackage').data;

beforeAll(async () => {
  [shipper, friend, poor] = await Promise.all([
    service.current.party(6),
    service.current.party(2),
    service.current.party(0),
  ]);
  [mine, others] = await Promise.all([build(shipper), build(friend)]);
});

async function answerTo(body: unknown) {
  // Everything on the ledger already is mirrored, so that only the request could change something.
  await untilQuiet(service.current);
  return attempt(service.current, [shipper.pubkey, friend.pubkey, poor.pubkey], () =>
    post(service.current, '/packages', body),
  );
}

const wrong = (field: string, says?: RegExp): Refusal => ({
  status: 422,
  code: 'wrong_transaction',
  fields: [field],
  ...(says && { says }),
});

const invalid = (...fields: string[]): Refusal => ({ status: 400, code: 'invalid_input', fields });
const someSignature = () => base58.encode(crypto.getRandomValues(new Uint8Array(64)));

describe('a listing', () => {
  test('of no draft is refused', async () => {
    const refusal: Refusal = { status: 404, code: 'not_found', fields: ['packageId'], says: /build-tx/ };
    expect(await answerTo({ packageId: createUuid(), signature: someSignature() })).toEqual(refusedWith(refusal));
    expect(await answerTo({ packageId: createUuid(), transaction: await listing(mine) })).toEqual(refusedWith(refusal));
  });

  test('with neither or both of signature and transaction is refused (S-89)', async () => {
    const { packageId } = mine;
    expect(await answerTo({ packageId })).toEqual(
      refusedWith({ ...invalid('signature'), says: /is required, or transaction: give the signature/ }),
    );
    const both = { packageId, signature: someSignature(), transaction: await listing(mine) };
    expect(await answerTo(both)).toEqual(
      refusedWith({ ...invalid('signature'), says: /either signature or transaction/ }),
    );
  });

  test.each([
    ['packageId', 'mine', 'packageId'],
    ['packageId', null, 'packageId'],
    ['signature', '', 'signature'],
    ['signature', '1'.repeat(63), 'signature'],
    ['signature', base58.encode(new Uint8Array(63).fill(9)), 'signature'],
    ['signature', base58.encode(new Uint8Array(65).fill(9)), 'signature'],
    ['signature', '2'.repeat(64), 'signature'],
    ['signature', 'z'.repeat(88), 'signature'],
    ['signature', '0'.repeat(88), 'signature'],
    ['signature', 7, 'signature'],
    ['status', 'listed', 'status'],
  ])('with %s %j is refused', async (field, value, named) => {
    expect(await answerTo({ packageId: mine.packageId, signature: someSignature(), [field]: value })).toEqual(
      refusedWith(invalid(named)),
    );
  });

  test.each([
    ['no base64', '!!!!'],
    ['empty', ''],
    ['larger than any transaction', 'A'.repeat(1648)],
    ['null', null],
  ])('with a transaction that is %s is refused', async (_what, transaction) => {
    expect(await answerTo({ packageId: mine.packageId, transaction })).toEqual(refusedWith(invalid('transaction')));
  });
});

describe('the transaction of a listing', () => {
  test.each<[what: string, transaction: () => Promise<string>, says: RegExp]>([
    [
      'is none',
      async () => Buffer.from('no transaction').toString('base64'),
      /is no transaction: send the one that was built/,
    ],
    [
      'is all zeros',
      async () => Buffer.alloc(300).toString('base64'),
      /is no transaction: send the one that was built/,
    ],
    [
      'is cut off',
      async () =>
        Buffer.from(await listing(mine), 'base64')
          .subarray(0, 150)
          .toString('base64'),
      /is no transaction: send the one that was built/,
    ],
    ['is not signed', async () => mine.transaction, /is not fully signed: the signature of/],
    [
      'is a transfer',
      async () => signed(service.current, [shipper.signer], [transfer(shipper.signer, poor.signer)]),
      /does not list/,
    ],
    ['lists another draft', async () => listing(await build(shipper)), /does not list/],
    [
      'cancels',
      async () =>
        signed(service.current, [shipper.signer], [cancellationOf(service.current, shipper.signer, mine.transaction)]),
      /does not list/,
    ],
    [
      'locks a lamport less',
      async () => listing(mine, { maxBudget: 499_999_999n }),
      /budget in lamports is 499999999 instead of 500000000/,
    ],
    ['locks a lamport more', async () => listing(mine, { maxBudget: 500_000_001n }), /instead of 500000000/],
    ['has other terms', async () => listing(mine, { termsHash: new Uint8Array(32) }), /terms hash is 0{64} instead of/],
    [
      'has another deadline',
      async () => listing(mine, { deadline: (await terms()).deadline + 1n }),
      /deadline in unix seconds/,
    ],
    ['is paid by another wallet', async () => listing(mine, { funder: friend.signer }), /funder is/],
  ])('is refused when it %s', async (_what, transaction, says) => {
    expect(await answerTo({ packageId: mine.packageId, transaction: await transaction() })).toEqual(
      refusedWith(wrong('transaction', says)),
    );
  });

  test("is refused when it is another shipper's", async () => {
    expect(await answerTo({ packageId: others.packageId, transaction: await listing(mine) })).toEqual(
      refusedWith(wrong('transaction')),
    );
  });

  test.each([
    ['has no SOL', () => poor, 0.1],
    ['has less than the budget', () => shipper, 100],
  ])('is refused by the ledger when the wallet %s, and says so', async (_, payer, maxBudgetSol) => {
    const { client, pubkey, signer } = payer();
    const { packageId, transaction } = await client.buildListTx({ ...draft(), shipperPubkey: pubkey, maxBudgetSol });
    const listed = await signed(service.current, [signer], [listingOf(service.current, signer, transaction)]);
    const says = /holds too little SOL/;
    expect(await answerTo({ packageId, transaction: listed })).toEqual(
      refusedWith({ status: 422, code: 'transaction_failed', fields: ['transaction'], says }),
    );
  });

  test('is refused by the ledger when the signature is forged', async () => {
    const bytes = Buffer.from(await listing(mine), 'base64');
    crypto.getRandomValues(bytes.subarray(1, 65));
    const body = { packageId: mine.packageId, transaction: bytes.toString('base64') };
    expect(await answerTo(body)).toEqual(
      refusedWith({ status: 422, code: 'transaction_failed', fields: ['transaction'], says: /signature/i }),
    );
  });
});

describe('the signature of a listing', () => {
  test('that the ledger does not know is refused', async () => {
    expect(await answerTo({ packageId: mine.packageId, signature: someSignature() })).toEqual(
      refusedWith({ status: 409, code: 'not_confirmed_on_chain', fields: ['signature'], says: /wait until it is/ }),
    );
  });

  test('of a transfer is refused', async () => {
    const wire = await signed(service.current, [shipper.signer], [transfer(shipper.signer, friend.signer)]);
    const signature = await land(service.current, wire);
    expect(await answerTo({ packageId: mine.packageId, signature })).toEqual(
      refusedWith(wrong('signature', /does not list/)),
    );
  });

  test("of another package's listing, or of a formation, is refused", async () => {
    const { parcel } = await formedPackage(service.current, [['zoo', 'ostkreuz', 0.1]]);
    await untilQuiet(service.current);
    for (const signature of [parcel.listSignature, parcel.swarm?.formSignature]) {
      expect(await answerTo({ packageId: mine.packageId, signature })).toEqual(
        refusedWith(wrong('signature', /does not list/)),
      );
    }
  });

  test('of a listing that failed is refused', async () => {
    const of = await build(poor);
    const instruction = listingOf(service.current, poor.signer, of.transaction);
    await service.current.rpc.requestAirdrop(poor.signer.address, 2_000_000n as never).send();
    const signature = await land(service.current, await signed(service.current, [poor.signer], [instruction]));
    expect(await answerTo({ packageId: of.packageId, signature })).toEqual(
      refusedWith({ status: 422, code: 'transaction_failed', fields: ['signature'], says: /failed on the ledger/ }),
    );
  });

  test.each<[what: string, changes: () => ListingChanges, says: RegExp]>([
    ['a smaller budget', () => ({ maxBudget: 5_000_000n }), /budget in lamports is 5000000 instead of 500000000/],
    ['a bigger budget', () => ({ maxBudget: 500_000_001n }), /budget/],
    ['other terms', () => ({ termsHash: new Uint8Array(32).fill(1) }), /terms hash/],
    ['another funder', () => ({ funder: friend.signer }), /funder/],
  ])('of a listing with %s, there on the ledger as it is, is refused', async (_what, changes, says) => {
    const { of, signature } = await landed(changes());
    expect(await answerTo({ packageId: of.packageId, signature })).toEqual(refusedWith(wrong('signature', says)));
  });

  test('of a listing that was cancelled since is refused', async () => {
    const { of, signature } = await landed();
    const cancel = cancellationOf(service.current, shipper.signer, of.transaction);
    await land(service.current, await signed(service.current, [shipper.signer], [cancel]));
    const refusal: Refusal = { status: 409, code: 'invalid_status', fields: ['signature'], says: /Cancelled/ };
    expect(await answerTo({ packageId: of.packageId, signature })).toEqual(refusedWith(refusal));
  });

  test('of a transaction that lists and cancels at once is refused', async () => {
    const of = await build(shipper);
    const both = [
      listingOf(service.current, shipper.signer, of.transaction),
      cancellationOf(service.current, shipper.signer, of.transaction),
    ];
    const signature = await land(service.current, await signed(service.current, [shipper.signer], both));
    const refusal: Refusal = { status: 409, code: 'invalid_status', fields: ['signature'], says: /Cancelled/ };
    expect(await answerTo({ packageId: of.packageId, signature })).toEqual(refusedWith(refusal));
  });

  test('of another listing does not change a package that is listed', async () => {
    const listed = await listPackage(shipper.client, shipper.signer, draft());
    await untilQuiet(service.current);
    const body = { packageId: listed.id.toUpperCase(), signature: someSignature() };
    const answer = await post(service.current, '/packages', body);
    expect(answer.status).toBe(201);
    expect(await answer.json()).toMatchObject({ id: listed.id, listSignature: listed.listSignature });
  });
});
