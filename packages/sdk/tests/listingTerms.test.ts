import type { TermsArgs } from '@legwork/program-client';
import { parseSol } from '@legwork/protocol/contract';
import { estimatedDurationMin, greatCircleKm } from '@legwork/protocol/rules';
import { address, generateKeyPairSigner } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { createLegworkClient, signListing, TransactionRefusedError } from '../src/index.js';
import type { PackageDraft as AnyDraft } from '../src/index.js';
import { startOutsideService } from './support/outsideService.js';
import { config } from './support/serviceConfig.js';
import { listInstruction, SOME_ADDRESS, wire } from './support/transactions.js';

const PACKAGE_ID = '01900000-0000-7000-8000-000000000001';
const NOBODY = address('11111111111111111111111111111111');
const DEADLINE = BigInt(Date.parse('2030-01-01T00:00:00.000Z') / 1000);
type PackageDraft = Omit<Extract<AnyDraft, { maxBudgetSol: number }>, 'private'>;

const draft: PackageDraft = {
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
const minutes = estimatedDurationMin(greatCircleKm({ lat: 52.5, lng: 13.4 }, { lat: 52.4, lng: 13.5 }));
const shipper = await generateKeyPairSigner();
const { address: arbiter } = await generateKeyPairSigner();
const { address: other } = await generateKeyPairSigner();
/** The `standard` terms of the draft. */
const standard: TermsArgs = {
  receiver: NOBODY,
  arbiter,
  stake: 50_000_000n,
  carry: 7_200 + 2 * 60 * minutes,
  handoff: 2_700,
  review: 86_400,
  arbitration: 259_200,
  flags: 1,
};

/** A service with this arbiter that builds a listing with these terms, whatever was asked. */
async function serviceThatBuilds(terms: TermsArgs | undefined, asked: PackageDraft, arbiterPubkey: string | null) {
  const built = wire(shipper.address, [listInstruction(shipper.address, PACKAGE_ID, asked, DEADLINE, terms)]);
  const service = await startOutsideService(({ path }) => {
    if (path === '/config') return { json: { ...config, arbiterPubkey } };
    const addresses = { onChainPackage: SOME_ADDRESS, onChainVault: SOME_ADDRESS };
    const lifetime = { blockhash: 'x', lastValidBlockHeight: 1, termsHash: 'x' };
    return { status: 201, json: { packageId: PACKAGE_ID, transaction: built, ...addresses, ...lifetime } };
  });
  const askedFor = () => JSON.parse(service.received.at(-1)?.body || '{}').terms as unknown;
  return { client: createLegworkClient({ url: service.url }), askedFor };
}

describe('the terms of a listing', () => {
  test('are standard ones with a co-signed pickup where the service has an arbiter and the draft names none', async () => {
    const { client, askedFor } = await serviceThatBuilds(standard, draft, arbiter);
    await expect(signListing(client, shipper, draft)).resolves.toMatchObject({ packageId: PACKAGE_ID });
    expect(askedFor()).toEqual({ preset: 'standard', cosignedPickup: true });
  });

  test.each<[string, PackageDraft, string | null]>([
    ['where the service has no arbiter', draft, null],
    ['for a draft that says so', { ...draft, terms: 'plain' }, arbiter],
    ['for a budget that is no stake', { ...draft, maxBudgetSol: 0.001 }, arbiter],
    ['for the arbiter itself', draft, shipper.address],
  ])('are none %s', async (_, asked, arbiterPubkey) => {
    const { client, askedFor } = await serviceThatBuilds(undefined, asked, arbiterPubkey);
    await expect(signListing(client, shipper, asked)).resolves.toMatchObject({ packageId: PACKAGE_ID });
    expect(askedFor()).toBeUndefined();
  });

  test('are those of the draft, field by field', async () => {
    const terms = { preset: 'guarded', receiverPubkey: other, stakeSol: 0.1, reviewSec: 300 } as const;
    const asked = { ...draft, terms, requirements: { minScore: 80, blocked: [other] } };
    const built = { ...standard, receiver: other, stake: parseSol(0.1), review: 300, flags: 0 };
    const { client, askedFor } = await serviceThatBuilds(built, asked, arbiter);
    await expect(signListing(client, shipper, asked)).resolves.toMatchObject({ packageId: PACKAGE_ID });
    expect(askedFor()).toEqual(terms);
  });

  test.each<[string, RegExp, TermsArgs | undefined]>([
    ['no terms', /terms of the listing is none/, undefined],
    ['a receiver', /receiver/, { ...standard, receiver: other }],
    ['another arbiter', /arbiter/, { ...standard, arbiter: other }],
    ['another stake', /stake/, { ...standard, stake: 49_999_999n }],
    ['another carry clock', /carry/, { ...standard, carry: standard.carry - 1 }],
    ['another handoff clock', /handoff/, { ...standard, handoff: 300 }],
    ['a shorter review', /review/, { ...standard, review: 300 }],
    ['another arbitration clock', /arbitration/, { ...standard, arbitration: 300 }],
    ['a pickup that is not co-signed', /flags/, { ...standard, flags: 0 }],
  ])('[T-1] are not signed when the service builds %s', async (_, message, built) => {
    const { client } = await serviceThatBuilds(built, draft, arbiter);
    const signing = signListing(client, shipper, draft);
    await expect(signing).rejects.toThrow(message);
    await expect(signing).rejects.toThrow(TransactionRefusedError);
  });

  test('are not signed when the service binds a plain draft, or leaves its requirements out', async () => {
    const plain = { ...draft, terms: 'plain' } as const;
    const bound = await serviceThatBuilds(standard, plain, arbiter);
    await expect(signListing(bound.client, shipper, plain)).rejects.toThrow(/terms of the listing is some/);
    const loose = await serviceThatBuilds(undefined, plain, arbiter);
    const picky = { ...plain, requirements: { minScore: 80 } };
    await expect(signListing(loose.client, shipper, picky)).rejects.toThrow(/terms hash/);
  });

  test.each([
    ['that no arbiter rules', { preset: 'standard' as const }, null],
    ['whose arbiter is the shipper', { arbiterPubkey: shipper.address }, arbiter],
    ['whose stake is above the budget', { stakeSol: 0.26 }, arbiter],
  ])('[T-3] are refused before anything is built: those %s', async (_, terms, arbiterPubkey) => {
    const asked = { ...draft, terms };
    const { client, askedFor } = await serviceThatBuilds(standard, asked, arbiterPubkey);
    await expect(signListing(client, shipper, asked)).rejects.toThrow(RangeError);
    expect(askedFor()).toBeUndefined();
  });
});
