import { generateKeyPairSigner } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import {
  createLegworkClient,
  LegworkNetworkError,
  signListing,
  submitListing,
  TransactionRefusedError,
} from '../src/index.js';
import type { PackageDraft } from '../src/index.js';
import { startOutsideService } from './support/outsideService.js';
import { config } from './support/serviceConfig.js';
import { listInstruction, SOME_ADDRESS, wire } from './support/transactions.js';

const PACKAGE_ID = '01900000-0000-7000-8000-000000000001';
const OTHER_ID = '01900000-0000-7000-8000-000000000002';
const draft: Omit<Extract<PackageDraft, { maxBudgetSol: number }>, 'private'> = {
  originLat: 52.5,
  originLng: 13.4,
  destLat: 52.4,
  destLng: 13.5,
  description: 'a violin',
  weightKg: 2.5,
  volumeLitres: 30,
  maxBudgetSol: 0.25,
  deadline: '2030-01-01T00:00:00.000Z',
};
const DEADLINE = BigInt(Date.parse('2030-01-01T00:00:00.000Z') / 1000);
const shipper = await generateKeyPairSigner();

/** A draft as it reaches the service. */
type Asked = Parameters<typeof listInstruction>[2];

/** A service that answers build-tx with this transaction, whatever was asked, or with one for what was. */
async function serviceThatBuilds(transaction: string | ((asked: Asked) => string), termsDocument = 1) {
  const service = await startOutsideService(({ path, body }) => {
    if (path === '/config') return { json: { ...config, termsDocument, privateParts: termsDocument > 1 } };
    const addresses = { onChainPackage: SOME_ADDRESS, onChainVault: SOME_ADDRESS };
    const lifetime = { blockhash: 'x', lastValidBlockHeight: 1, termsHash: 'x' };
    const built = typeof transaction === 'string' ? transaction : transaction(JSON.parse(body) as Asked);
    return { status: 201, json: { packageId: PACKAGE_ID, transaction: built, ...addresses, ...lifetime } };
  });
  return createLegworkClient({ url: service.url });
}

describe('signing a listing', () => {
  test("signs one that locks the draft's budget for the draft's terms", async () => {
    const built = wire(shipper.address, [listInstruction(shipper.address, PACKAGE_ID, draft, DEADLINE)]);
    const listing = await signListing(await serviceThatBuilds(built), shipper, draft);
    expect(listing.packageId).toBe(PACKAGE_ID);
    expect(listing.transaction).not.toBe(built);
  });

  test('makes a salt where the service takes one, another each time, and gives that of the draft (M-78)', async () => {
    const salts: (string | undefined)[] = [];
    const builds = (asked: Asked) => {
      salts.push(asked.salt);
      return wire(shipper.address, [listInstruction(shipper.address, PACKAGE_ID, asked, DEADLINE)]);
    };
    const own = { ...draft, salt: '0'.repeat(32) };
    for (const given of [draft, draft, own]) await signListing(await serviceThatBuilds(builds, 2), shipper, given);
    await signListing(await serviceThatBuilds(builds), shipper, draft);
    expect(new Set(salts).size).toBe(4);
    expect(salts[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(salts.slice(2)).toEqual([own.salt, undefined]);
  });

  test('refuses one whose hash was made without the salt, or with another (M-78)', async () => {
    for (const salt of [undefined, '0'.repeat(32)]) {
      const built = wire(shipper.address, [listInstruction(shipper.address, PACKAGE_ID, { ...draft, salt }, DEADLINE)]);
      const signing = signListing(await serviceThatBuilds(built, 2), shipper, draft);
      await expect(signing).rejects.toThrow(/terms hash/);
    }
  });

  test('rounds the places whose exact address is private before anything is sent, and wants it in the hash (S-140)', async () => {
    const exact = { ...draft, originLat: 52.507412, originLng: 13.332634, destLat: 52.503123 };
    const secret = { ...exact, private: { pickup: { address: 'Second court', contact: 'Ada' } } };
    const sent: Asked[] = [];
    const builds = (change: Partial<Asked>) => (asked: Asked) => {
      sent.push(asked);
      return wire(shipper.address, [listInstruction(shipper.address, PACKAGE_ID, { ...asked, ...change }, DEADLINE)]);
    };
    await signListing(await serviceThatBuilds(builds({}), 2), shipper, secret);
    expect(sent[0]).toMatchObject({ originLat: 52.51, originLng: 13.33, destLat: 52.503123, private: secret.private });
    expect(sent[0]?.private?.pickup?.salt).toMatch(/^[0-9a-f]{32}$/);
    const other = { salt: '0'.repeat(32), address: 'First court' };
    const changes: readonly object[] = [
      { private: undefined },
      { private: { pickup: other } },
      { originLat: 52.507412 },
    ];
    for (const change of changes) {
      const signing = signListing(await serviceThatBuilds(builds(change), 2), shipper, secret);
      await expect(signing).rejects.toThrow(/terms hash/);
    }
    const before = sent.length;
    await expect(signListing(await serviceThatBuilds(builds({}), 1), shipper, secret)).rejects.toThrow(RangeError);
    expect(sent).toHaveLength(before);
  });

  test.each<[string, RegExp, Parameters<typeof listInstruction>]>([
    ['another budget', /budget/, [shipper.address, PACKAGE_ID, { ...draft, maxBudgetSol: 0.250000001 }, DEADLINE]],
    ['other terms', /terms hash/, [shipper.address, PACKAGE_ID, { ...draft, destLat: 52.41 }, DEADLINE]],
    ['another deadline', /deadline/, [shipper.address, PACKAGE_ID, draft, DEADLINE + 1n]],
    ['another package', /package id/, [shipper.address, OTHER_ID, draft, DEADLINE]],
    ['another shipper', /shipper/, [SOME_ADDRESS, PACKAGE_ID, draft, DEADLINE]],
  ])('refuses one for %s', async (_, message, listing) => {
    const client = await serviceThatBuilds(wire(shipper.address, [listInstruction(...listing)]));
    const signing = signListing(client, shipper, draft);
    await expect(signing).rejects.toThrow(message);
    await expect(signing).rejects.toThrow(TransactionRefusedError);
  });
});

describe('submitting a listing', () => {
  test('sends the same bytes again while no answer comes, and then says so', async () => {
    const service = await startOutsideService(() => 'cut');
    const client = createLegworkClient({ url: service.url });
    const submitting = submitListing(client, { packageId: PACKAGE_ID, transaction: 'AAAA' });
    await expect(submitting).rejects.toThrow(LegworkNetworkError);
    const sent = service.received.filter(({ method }) => method === 'POST');
    expect(sent).toHaveLength(3);
    expect(new Set(sent.map(({ body }) => body)).size).toBe(1);
  });

  test('that the ledger refuses is looked up by its signature, because it may have landed in its time', async () => {
    const built = wire(shipper.address, [listInstruction(shipper.address, PACKAGE_ID, draft, DEADLINE)]);
    const listing = await signListing(await serviceThatBuilds(built), shipper, draft);
    const refusal = { code: 'transaction_failed', detail: 'blockhash not found' };
    const service = await startOutsideService(({ body }) =>
      body.includes('"transaction"')
        ? { status: 422, json: refusal }
        : { status: 409, json: { code: 'not_confirmed_on_chain', detail: 'unknown' } },
    );
    const submitting = submitListing(createLegworkClient({ url: service.url }), listing);
    await expect(submitting).rejects.toMatchObject({ code: 'transaction_failed', detail: 'blockhash not found' });
    expect(service.received.map(({ body }) => Object.keys(JSON.parse(body)))).toEqual([
      ['packageId', 'transaction'],
      ['packageId', 'signature'],
    ]);
  });

  test('takes any other refusal as final', async () => {
    const problem = { code: 'wrong_transaction', detail: 'not the one that was built' };
    const service = await startOutsideService(() => ({ status: 422, json: problem }));
    const client = createLegworkClient({ url: service.url });
    const submitting = submitListing(client, { packageId: PACKAGE_ID, transaction: 'AAAA' });
    await expect(submitting).rejects.toMatchObject({ code: 'wrong_transaction' });
    expect(service.received).toHaveLength(1);
  });
});
