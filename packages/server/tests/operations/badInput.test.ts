import { createUuid } from '@legwork/protocol/contract';
import { base58 } from '@scure/base';
import { beforeAll, describe, expect, test } from 'vitest';
import { BAD_AMOUNTS, invalid } from '../support/badValues.js';
import { draft } from '../support/market.js';
import { attempt, post, type Refusal, refusedWith } from '../support/refusal.js';
import { type Party, withService } from '../support/service.js';
import { changesBetween, snapshot, untilQuiet } from '../support/snapshot.js';
import { listPackage } from '../support/listed.js';

const service = withService();

let shipper: Party;
let courier: Party;
let draftId = '';
let vault = '';

beforeAll(async () => {
  [shipper, courier] = await Promise.all([service.current.party(2), service.current.party(0)]);
  const listed = await listPackage(shipper.client, shipper.signer, draft());
  vault = listed.onChainVault;
  const built = await shipper.client.buildListTx({ ...draft(), shipperPubkey: shipper.pubkey });
  draftId = built.packageId;
  await untilQuiet(service.current);
});

const answerTo = (send: () => Promise<Response>) => attempt(service.current, [shipper.pubkey, courier.pubkey], send);

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
    expect(await answerTo(build('maxBudgetSol', text))).toEqual(refusedWith(invalid(['maxBudgetSol'], says)));
  });

  test.each(['NaN', 'Infinity', '0x10', '.5'])('is refused with a budget of %s, which is no JSON', async (text) => {
    expect(await answerTo(build('maxBudgetSol', text))).toEqual(
      refusedWith({ status: 400, code: 'malformed_body', fields: [], says: /JSON/ }),
    );
  });

  test.each([
    ['originLat', '90.000001', /at most 90/],
    ['originLat', '-90.5', /at least -90/],
    ['originLng', '180.1', /at most 180/],
    ['originLng', '-181', /at least -180/],
    ['destLat', '1e308', /at most 90/],
    ['destLat', '"52.5"', /must be a number, not a string/],
    ['destLng', 'null', /must be a number, not null/],
    ['destLng', '1e999', /number/],
    ['weightKg', '0', /must be above 0/],
    ['weightKg', '-1', /must be above 0/],
    ['volumeLitres', '1e10', /must be at most/],
    ['volumeLitres', '{}', /must be a number, not an object/],
    ['description', '""', /must not be empty/],
    ['description', JSON.stringify('a'.repeat(4001)), /must have at most 4000 characters/],
    ['description', '"a\\u0000b"', /control characters/],
    ['description', '"a\\u001bb"', /control characters/],
    ['description', '"a parcel \\u202egpj"', /direction/],
    ['description', '"\\udb40\\udc41 in tags"', /tag characters/],
    ['description', '"\\u200b\\ufeff"', /must not be blank/],
    ['description', '"half a pair \\ud83d"', /well-formed/],
    ['description', '"\\udc4d the other half"', /well-formed/],
    ['deadline', '"tomorrow"', /ISO 8601 datetime, such as/],
    ['deadline', '"2026-13-01T00:00:00Z"', /ISO 8601 datetime, such as/],
    ['deadline', '"2020-01-01T00:00:00Z"', /10 minutes to 180 days/],
    ['deadline', '"9999-12-31T23:59:59Z"', /10 minutes to 180 days/],
    ['deadline', '1893456000', /must be a string, not 1893456000/],
    ['maxBudgetSOL', '0.5', /is not a field here; there is .*maxBudgetSol/],
    ['status', '"listed"', /is not a field here/],
    ['toString', '1', /is not a field here/],
  ])('is refused with %s %s', async (field, text, says) => {
    expect(await answerTo(build(field, text))).toEqual(refusedWith(invalid([field], says)));
  });

  test.each(BAD_KEYS)('is refused for a shipper whose key is %s', async (_what, key, says) => {
    expect(await answerTo(build('shipperPubkey', JSON.stringify(key())))).toEqual(
      refusedWith(invalid(['shipperPubkey'], says)),
    );
  });

  test('is refused with every wrong field named at once', async () => {
    const wrong = { ...draft(), shipperPubkey: 'me', originLat: 91, maxBudgetSol: -1, color: 'red' };
    const send = () => post(service.current, '/packages/build-tx', wrong);
    expect(await answerTo(send)).toEqual(refusedWith(invalid(['shipperPubkey', 'originLat', 'maxBudgetSol', 'color'])));
  });

  test('is refused without its fields, each called required', async () => {
    const fields = ['shipperPubkey', 'description', 'weightKg', 'volumeLitres'];
    const places = ['originLat', 'originLng', 'destLat', 'destLng'];
    const send = () => post(service.current, '/packages/build-tx', {});
    expect(await answerTo(send)).toEqual(refusedWith(invalid([...fields, ...places], /is required/)));
  });
});

describe('a registration', () => {
  const register = (body: unknown) => () => post(service.current, '/agents', body);

  test.each(BAD_KEYS)('is refused for an agent whose key is %s', async (_what, key, says) => {
    expect(await answerTo(register({ agentPubkey: key() }))).toEqual(refusedWith(invalid(['agentPubkey'], says)));
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
    expect(await answerTo(register({ agentPubkey: courier.pubkey, [field]: value }))).toEqual(
      refusedWith(invalid([named])),
    );
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
    expect(await answerTo(send(body, headers))).toEqual(refusedWith(refusal));
  });

  test('of nested objects is refused by the name of the field they are in', async () => {
    const nested = `{"description":${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}}`;
    expect(await answerTo(send(nested))).toMatchObject({
      status: 400,
      code: 'invalid_input',
      fields: expect.arrayContaining(['description']),
      changed: [],
    });
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
    expect(await answerTo(get(query))).toEqual(refusedWith(invalid([field])));
  });

  test.each(['draft', 'unknown'] as const)('does not hold a package that is %s', async (which) => {
    const id = which === 'draft' ? draftId : createUuid();
    const send = () => fetch(`${service.current.server.url}/packages/${id}`);
    expect(await answerTo(send)).toEqual(refusedWith({ status: 404, code: 'not_found', fields: ['packageId'] }));
  });
});

test('a snapshot sees a changed row and a changed balance', async () => {
  const before = await snapshot(service.current, [courier.pubkey]);
  await service.current.rpc.requestAirdrop(courier.signer.address, 1_000_000n as never).send();
  await shipper.client.buildListTx({ ...draft(), shipperPubkey: shipper.pubkey });
  const after = await snapshot(service.current, [courier.pubkey]);
  expect(changesBetween(before, after)).toEqual(expect.arrayContaining(['packages', courier.pubkey]));
});
