import { createNonce, createUuid, parseKeypairFile } from '@agent-relay/protocol';
import { listPackage } from '@agent-relay/sdk';
import { base58 } from '@scure/base';
import { createKeyPairSignerFromBytes, generateKeyPairSigner } from '@solana/kit';
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { bidInput, confirmAll, draft, formedPackage, untilPackage } from '../support/market.js';
import { expectRefused, post, postSigned, type Refusal, type SigningChanges } from '../support/refusal.js';
import { type Party, withService } from '../support/service.js';
import { snapshot, untilQuiet } from '../support/snapshot.js';

const service = withService();

let shipper: Party;
let courier: Party;
/** Packages by their status. */
const packages = { draft: '', listed: '', in_transit: '', delivered: '', overdue: '' };
let vault = '';

/** A listed package whose deadline passes under it. */
async function overduePackage(): Promise<string> {
  const { id } = await listPackage(shipper.client, shipper.signer, draft());
  const longAgo = new Date(Date.now() - 60_000);
  await service.current.db.updateTable('packages').set({ deadline: longAgo }).where('id', '=', id).execute();
  return id;
}

beforeAll(async () => {
  [shipper, courier] = await Promise.all([service.current.party(3), service.current.party(0)]);
  const [listed, built, moving, done, overdue] = await Promise.all([
    listPackage(shipper.client, shipper.signer, draft()),
    shipper.client.buildListTx({ ...draft(), shipperPubkey: shipper.pubkey }),
    formedPackage(service.current, [['zoo', 'ostkreuz', 0.1]]),
    formedPackage(service.current, [['zoo', 'ostkreuz', 0.1]]),
    overduePackage(),
  ]);
  await confirmAll(service.current, done);
  await untilPackage(service.current, done.item.id, ({ status }) => status === 'delivered');
  Object.assign(packages, {
    draft: built.packageId,
    listed: listed.id,
    in_transit: moving.item.id,
    delivered: done.item.id,
    overdue,
  });
  vault = listed.onChainVault;
  await untilQuiet(service.current);
});

const refused = (send: () => Promise<Response>, refusal: Refusal) =>
  expectRefused(service.current, [shipper.pubkey, courier.pubkey], send, refusal);

/** `invalid_input` that names these fields. */
const invalid = (fields: readonly string[], says?: RegExp): Refusal => ({
  status: 400,
  code: 'invalid_input',
  fields,
  ...(says && { says }),
});

/** Amounts that are no budget and no price, as JSON text. */
const BAD_AMOUNTS: [text: string, says: RegExp][] = [
  ['0', /at least one lamport/],
  ['-0', /at least one lamport/],
  ['-0.5', /negative/],
  ['null', /expected number/],
  ['"NaN"', /expected number/],
  ['"0.5"', /expected number/],
  ['[0.5]', /expected number/],
  ['0.0000000001', /nine decimals/],
  ['0.1234567891', /nine decimals/],
  ['9007199.254740992', /largest amount is 9007199\.254740991 SOL/],
  ['1e300', /largest amount/],
  ['1e999', /number/],
];

/** Keys that are no wallet's. */
const BAD_KEYS: [what: string, key: () => string, says: RegExp][] = [
  ['empty', () => '', /base58/],
  ['not base58', () => '0OIl'.repeat(10), /base58/],
  ['31 bytes', () => base58.encode(new Uint8Array(31).fill(7)), /32 bytes/],
  ['33 bytes', () => base58.encode(new Uint8Array(33).fill(7)), /32 bytes/],
  ['endless', () => 'A'.repeat(5000), /32 bytes/],
  ['off the curve', () => vault, /not a point on the ed25519 curve/],
  ['the system program', () => '11111111111111111111111111111111', /belongs to a program/],
  ['a sysvar', () => 'SysvarC1ock11111111111111111111111111111111', /a sysvar/],
  ['the relay program', () => service.current.server.programId, /this service/],
  ['the coordinator', () => service.current.server.coordinatorPubkey, /this service/],
  ['of small order', () => base58.encode(Uint8Array.from([1, ...new Uint8Array(31)])), /small order/],
];

describe('a draft', () => {
  /** The body as text, with one field written as given. */
  const body = (field: string, text: string) => {
    const { [field]: _replaced, ...rest } = { ...draft(), shipperPubkey: shipper.pubkey } as Record<string, unknown>;
    return `${JSON.stringify(rest).slice(0, -1)},${JSON.stringify(field)}:${text}}`;
  };
  const build = (field: string, text: string) => () => post(service.current, '/packages/build-tx', body(field, text));

  test.each(BAD_AMOUNTS)('is refused with a budget of %s', async (text, says) => {
    await refused(build('maxBudgetSol', text), invalid(['maxBudgetSol'], says));
  });

  test.each(['NaN', 'Infinity', '0x10', '.5'])('is refused with a budget of %s, which is no JSON', async (text) => {
    await refused(build('maxBudgetSol', text), { status: 400, code: 'malformed_body', fields: [], says: /JSON/ });
  });

  test.each([
    ['originLat', '90.000001', /<=90/],
    ['originLat', '-90.5', />=-90/],
    ['originLng', '180.1', /<=180/],
    ['originLng', '-181', />=-180/],
    ['destLat', '1e308', /<=90/],
    ['destLat', '"52.5"', /expected number/],
    ['destLng', 'null', /expected number/],
    ['destLng', '1e999', /number/],
    ['weightKg', '0', />0/],
    ['weightKg', '-1', />0/],
    ['volumeLitres', '1e10', /<=/],
    ['volumeLitres', '{}', /expected number/],
    ['description', '""', /./],
    ['description', JSON.stringify('a'.repeat(4001)), /4000/],
    ['description', '"a\\u0000b"', /control characters/],
    ['description', '"a\\u001bb"', /control characters/],
    ['description', '"half a pair \\ud83d"', /well-formed/],
    ['description', '"\\udc4d the other half"', /well-formed/],
    ['deadline', '"tomorrow"', /datetime/],
    ['deadline', '"2026-13-01T00:00:00Z"', /datetime/],
    ['deadline', '"2020-01-01T00:00:00Z"', /10 minutes to 180 days/],
    ['deadline', '"9999-12-31T23:59:59Z"', /10 minutes to 180 days/],
    ['deadline', '1893456000', /expected string/],
    ['maxBudgetSOL', '0.5', /is not a field here; there is .*maxBudgetSol/],
    ['status', '"listed"', /is not a field here/],
    ['toString', '1', /is not a field here/],
  ])('is refused with %s %s', async (field, text, says) => {
    await refused(build(field, text), invalid([field], says));
  });

  test.each(BAD_KEYS)('is refused for a shipper whose key is %s', async (_what, key, says) => {
    await refused(build('shipperPubkey', JSON.stringify(key())), invalid(['shipperPubkey'], says));
  });

  test('is refused with every wrong field named at once', async () => {
    const wrong = { ...draft(), shipperPubkey: 'me', originLat: 91, maxBudgetSol: -1, color: 'red' };
    const send = () => post(service.current, '/packages/build-tx', wrong);
    await refused(send, invalid(['shipperPubkey', 'originLat', 'maxBudgetSol', 'color']));
  });

  test('is refused without its fields, each called required', async () => {
    const fields = ['shipperPubkey', 'description', 'weightKg', 'volumeLitres', 'maxBudgetSol'];
    const places = ['originLat', 'originLng', 'destLat', 'destLng'];
    const send = () => post(service.current, '/packages/build-tx', {});
    await refused(send, invalid([...fields, ...places], /is required/));
  });
});

describe('a registration', () => {
  const register = (body: unknown) => () => post(service.current, '/agents', body);

  test.each(BAD_KEYS)('is refused for an agent whose key is %s', async (_what, key, says) => {
    await refused(register({ agentPubkey: key() }), invalid(['agentPubkey'], says));
  });

  test.each([
    ['displayName', '', 'displayName'],
    ['displayName', 'a\u0007b', 'displayName'],
    ['displayName', 'a'.repeat(81), 'displayName'],
    ['capabilities', 'courier', 'capabilities'],
    ['capabilities', ['ok', 'a\u0000'], 'capabilities.1'],
    ['capabilities', Array.from({ length: 21 }, () => 'x'), 'capabilities'],
    ['airdropped_at', null, 'airdropped_at'],
  ])('is refused with %s %j', async (field, value, named) => {
    await refused(register({ agentPubkey: courier.pubkey, [field]: value }), invalid([named]));
  });
});

describe('a body', () => {
  const send =
    (body: string, headers: Record<string, string> = {}) =>
    () =>
      post(service.current, '/packages/build-tx', body, headers);
  const deep = 10_000;

  test.each<[what: string, body: string, headers: Record<string, string>, refusal: Refusal]>([
    [
      'of another type',
      '{}',
      { 'content-type': 'text/plain' },
      { status: 415, code: 'unsupported_media_type', fields: [] },
    ],
    ['that is cut off', '{"shipperPubkey":"', {}, { status: 400, code: 'malformed_body', fields: [] }],
    [
      'of a megabyte',
      `{"description":"${'a'.repeat(1_048_576)}"}`,
      {},
      { status: 413, code: 'body_too_large', fields: [] },
    ],
    [
      'that names __proto__',
      '{"__proto__":{"status":"listed"}}',
      {},
      { status: 400, code: 'malformed_body', fields: [] },
    ],
    ['of nested lists', `${'['.repeat(deep)}${']'.repeat(deep)}`, {}, invalid([''])],
    ['that is a list', '[{}]', {}, invalid([''])],
    ['that is null', 'null', {}, invalid([''])],
  ])('%s is refused', async (_what, body, headers, refusal) => {
    await refused(send(body, headers), refusal);
  });

  test('of nested objects is refused by the name of the field they are in', async () => {
    const nested = `{"description":${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}}`;
    const problem = await (await send(nested)()).json();
    expect((problem as { errors: { field: string }[] }).errors.map(({ field }) => field)).toContain('description');
  });
});

describe('a list', () => {
  const get = (query: string) => () => fetch(`${service.current.server.url}/packages?${query}`);

  test.each([
    ['limit=0', 'limit'],
    ['limit=201', 'limit'],
    ['limit=x', 'limit'],
    ['limit=', 'limit'],
    ['limit=-1', 'limit'],
    ['cursor=', 'cursor'],
    ['cursor=me', 'cursor'],
    [`cursor=${'A'.repeat(201)}`, 'cursor'],
    [`cursor=${Buffer.from("' or 1=1 --").toString('base64url')}`, 'cursor'],
    ['cursor=%00', 'cursor'],
    ['status=draft', 'status'],
    ['shipper=0', 'shipper'],
    ['order=id', 'order'],
  ])('with ?%s is refused', async (query, field) => {
    await refused(get(query), invalid([field]));
  });

  test.each(['draft', 'unknown'] as const)('does not hold a package that is %s', async (which) => {
    const id = which === 'draft' ? packages.draft : createUuid();
    const send = () => fetch(`${service.current.server.url}/packages/${id}`);
    await refused(send, { status: 404, code: 'not_found', fields: ['packageId'] });
  });
});

describe('a bid', () => {
  const bid =
    (changes: Record<string, unknown> = {}, signing: SigningChanges = {}) =>
    () =>
      postSigned(
        service.current,
        courier,
        '/bids',
        { ...bidInput(courier, packages.listed, 'zoo', 'ostkreuz', 0.1), ...changes },
        signing,
      );

  test.each(BAD_AMOUNTS)('is refused for %s SOL', async (text, says) => {
    const { costSol: _replaced, ...rest } = bidInput(courier, packages.listed, 'zoo', 'ostkreuz', 0.1);
    const body = `${JSON.stringify(rest).slice(0, -1)},"costSol":${text}}`;
    await refused(() => postSigned(service.current, courier, '/bids', body), invalid(['costSol'], says));
  });

  test.each([
    [{ pickupLat: 90.1 }, 'pickupLat'],
    [{ dropoffLng: -180.1 }, 'dropoffLng'],
    [{ distanceKm: -1 }, 'distanceKm'],
    [{ distanceKm: null }, 'distanceKm'],
    [{ estimatedDurationMin: -1 }, 'estimatedDurationMin'],
    [{ expiresInSec: 29 }, 'expiresInSec'],
    [{ expiresInSec: 86_401 }, 'expiresInSec'],
    [{ expiresInSec: 30.5 }, 'expiresInSec'],
    [{ packageId: '42' }, 'packageId'],
    [{ reasoning: 'a\u0000' }, 'reasoning'],
    [{ rho: 100 }, 'rho'],
  ])('is refused with %j', async (changes, field) => {
    await refused(bid(changes), invalid([field]));
  });

  test('below 90 % of the great circle is told the least distance, and that one passes', async () => {
    const problem = await refused(bid({ distanceKm: 8 }), invalid(['distanceKm'], /90 % of the great-circle distance/));
    const least = Number(/at least ([\d.]+)/.exec(problem.detail)?.[1]);
    await refused(bid({ distanceKm: least - 0.001 }), invalid(['distanceKm']));
    await refused(bid({ distanceKm: least, costSol: 0.6 }), {
      status: 422,
      code: 'bid_above_budget',
      fields: ['costSol'],
      says: /at most 0\.5 SOL/,
    });
  });

  test('a lamport above the budget is refused', async () => {
    await refused(bid({ costSol: 0.500000001 }), { status: 422, code: 'bid_above_budget', fields: ['costSol'] });
  });

  test('below the rent minimum is told how many lamports are missing', async () => {
    const minimum = await service.current.rpc.getMinimumBalanceForRentExemption(0n).send();
    await refused(bid({ costSol: 0.000000001 }), {
      status: 422,
      code: 'unreceivable_payment',
      fields: ['costSol'],
      says: new RegExp(`stay ${minimum - 1n} lamports`),
    });
  });

  test.each([
    ['draft', 404, 'not_found', /no listed package/],
    ['in_transit', 409, 'invalid_status', /in_transit; bids are taken while it is listed/],
    ['delivered', 409, 'invalid_status', /delivered; bids are taken while it is listed/],
    ['overdue', 409, 'deadline_passed', /deadline passed at \d{4}-/],
  ] as const)('on a package that is %s is refused', async (which, status, code, says) => {
    await refused(bid({ packageId: packages[which] }), { status, code, fields: ['packageId'], says });
  });

  test('on a package that is not there is refused', async () => {
    await refused(bid({ packageId: createUuid() }), { status: 404, code: 'not_found', fields: ['packageId'] });
  });

  test('by the shipper of the package is refused', async () => {
    const own = bidInput(shipper, packages.listed, 'zoo', 'ostkreuz', 0.1);
    const send = () => postSigned(service.current, shipper, '/bids', own);
    await refused(send, { status: 403, code: 'self_dealing', fields: ['agentPubkey'] });
  });

  test('by the coordinator is refused, signed as it is', async () => {
    const path = service.current.ledger.coordinatorKeypairPath ?? '';
    const signer = await createKeyPairSignerFromBytes(parseKeypairFile(await readFile(path, 'utf8')));
    const party = { ...courier, signer, pubkey: signer.address };
    const own = bidInput(party, packages.listed, 'zoo', 'ostkreuz', 0.1);
    await refused(() => postSigned(service.current, party, '/bids', own), invalid(['agentPubkey'], /this service/));
  });

  test('in the name of another agent is refused', async () => {
    const refusal: Refusal = { status: 403, code: 'pubkey_mismatch', fields: ['agentPubkey'] };
    await refused(bid({ agentPubkey: shipper.pubkey }), refusal);
  });

  test.each<[what: string, changes: () => Promise<SigningChanges>, code: Refusal['code'], says: RegExp]>([
    ['signed by another key', async () => ({ signer: await generateKeyPairSigner() }), 'bad_signature', /svc-auth-v1/],
    ['signed for another body', async () => ({ signedBody: '{}' }), 'bad_signature', /svc-auth-v1/],
    ['signed for another path', async () => ({ signedPath: '/packages' }), 'bad_signature', /svc-auth-v1/],
    ['signed two minutes ago', async () => ({ nonce: createNonce(Date.now() - 120_000) }), 'stale_nonce', /60/],
    ['signed two minutes ahead', async () => ({ nonce: createNonce(Date.now() + 120_000) }), 'stale_nonce', /60/],
    ['with a nonce of another form', async () => ({ nonce: 'once' }), 'malformed_nonce', /X-Nonce|nonce/],
  ])('%s is refused', async (_what, changes, code, says) => {
    const send = bid({}, await changes());
    await refused(send, { status: 401, code, fields: [], says });
  });

  test('without a signature is refused', async () => {
    const send = () => post(service.current, '/bids', bidInput(courier, packages.listed, 'zoo', 'ostkreuz', 0.1));
    await refused(send, { status: 401, code: 'missing_header', fields: [], says: /X-Pubkey/ });
  });

  test('sent again with the same nonce is refused and not stored twice', async () => {
    const nonce = createNonce(Date.now());
    // Far from the origin: it is stored, and no chain needs it.
    const far = bid({ pickupLat: 10, pickupLng: 10, dropoffLat: 10, dropoffLng: 10 }, { nonce });
    expect((await far()).status).toBe(201);
    await untilQuiet(service.current);
    await refused(far, { status: 401, code: 'replayed_nonce', fields: [] });
  });
});

test('a snapshot sees a changed row and a changed balance', async () => {
  const before = await snapshot(service.current, [courier.pubkey]);
  await service.current.rpc.requestAirdrop(courier.signer.address, 1_000_000n as never).send();
  const richer = await snapshot(service.current, [courier.pubkey]);
  expect(richer.accounts).not.toEqual(before.accounts);
  expect(richer.tables).toEqual(before.tables);
  await shipper.client.buildListTx({ ...draft(), shipperPubkey: shipper.pubkey });
  expect((await snapshot(service.current, [courier.pubkey])).tables['packages']).not.toBe(before.tables['packages']);
});
