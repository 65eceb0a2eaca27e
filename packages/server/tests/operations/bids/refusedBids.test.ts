import { readFile } from 'node:fs/promises';
import { createNonce, createUuid, parseKeypairFile } from '@legwork/protocol/contract';
import { listPackage } from '@legwork/sdk';
import { getAssignInstruction } from '@solana-program/system';
import { address, createKeyPairSignerFromBytes, generateKeyPairSigner } from '@solana/kit';
import { beforeAll, describe, expect, test } from 'vitest';
import { BAD_AMOUNTS, invalid } from '../../support/badValues.js';
import { bidInput, confirmAll, draft, formedPackage, untilPackage } from '../../support/market.js';
import { attempt, post, postSigned, type Refusal, refusedWith, type SigningChanges } from '../../support/refusal.js';
import { type Party, withService } from '../../support/service.js';
import { untilQuiet } from '../../support/snapshot.js';
import { land, signed } from '../../support/transactions.js';

const service = withService();

let shipper: Party;
let courier: Party;
/** Packages by their status. */
const packages = { draft: '', listed: '', in_transit: '', delivered: '', overdue: '' };

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
  await untilPackage(service.current, done.parcel.id, ({ status }) => status === 'delivered');
  Object.assign(packages, {
    draft: built.packageId,
    listed: listed.id,
    in_transit: moving.parcel.id,
    delivered: done.parcel.id,
    overdue,
  });
  await untilQuiet(service.current);
});

const answerTo = (send: () => Promise<Response>) => attempt(service.current, [shipper.pubkey, courier.pubkey], send);

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
    expect(await answerTo(() => postSigned(service.current, courier, '/bids', body))).toEqual(
      refusedWith(invalid(['costSol'], says)),
    );
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
    expect(await answerTo(bid(changes))).toEqual(refusedWith(invalid([field])));
  });

  test('below 90 % of the great circle is told the least distance, and that one passes', async () => {
    const problem = await answerTo(bid({ distanceKm: 8 }));
    expect(problem).toEqual(refusedWith(invalid(['distanceKm'], /90 % of the great-circle distance/)));
    const least = Number(/at least ([\d.]+)/.exec(String(problem.detail))?.[1]);
    expect(await answerTo(bid({ distanceKm: least - 0.001 }))).toEqual(refusedWith(invalid(['distanceKm'])));
    // The rule of payments is the next one after that of distances.
    const passing = await answerTo(bid({ distanceKm: least, costSol: 0.000000001 }));
    expect(passing).toEqual(refusedWith({ status: 422, code: 'unreceivable_payment', fields: ['costSol'] }));
  });

  test('a lamport above the budget is refused', async () => {
    expect(await answerTo(bid({ costSol: 0.500000001 }))).toEqual(
      refusedWith({ status: 422, code: 'bid_above_budget', fields: ['costSol'], says: /at most 0\.5 SOL/ }),
    );
  });

  test('below the rent minimum is told how many lamports are missing', async () => {
    const minimum = await service.current.rpc.getMinimumBalanceForRentExemption(0n).send();
    expect(await answerTo(bid({ costSol: 0.000000001 }))).toEqual(
      refusedWith({
        status: 422,
        code: 'unreceivable_payment',
        fields: ['costSol'],
        says: new RegExp(`is ${minimum - 1n} lamports .*bid at least`),
      }),
    );
  });

  test.each([
    ['draft', 404, 'not_found', /draft that is not listed/],
    ['in_transit', 409, 'invalid_status', /in_transit; bids are taken while it is listed/],
    ['delivered', 409, 'invalid_status', /delivered; bids are taken while it is listed/],
    ['overdue', 409, 'deadline_passed', /deadline passed at \d{4}-/],
  ] as const)('on a package that is %s is refused', async (which, status, code, says) => {
    expect(await answerTo(bid({ packageId: packages[which] }))).toEqual(
      refusedWith({ status, code, fields: ['packageId'], says }),
    );
  });

  test('on a package that is not there is refused', async () => {
    expect(await answerTo(bid({ packageId: createUuid() }))).toEqual(
      refusedWith({ status: 404, code: 'not_found', fields: ['packageId'] }),
    );
  });

  test('by the shipper of the package is refused', async () => {
    const own = bidInput(shipper, packages.listed, 'zoo', 'ostkreuz', 0.1);
    const send = () => postSigned(service.current, shipper, '/bids', own);
    expect(await answerTo(send)).toEqual(refusedWith({ status: 403, code: 'self_dealing', fields: ['agentPubkey'] }));
  });

  test('by the coordinator is refused, signed as it is', async () => {
    const path = service.current.ledger.keypairs.coordinator.path;
    const signer = await createKeyPairSignerFromBytes(parseKeypairFile(await readFile(path, 'utf8')));
    const party = { ...courier, signer, pubkey: signer.address };
    const own = bidInput(party, packages.listed, 'zoo', 'ostkreuz', 0.1);
    expect(await answerTo(() => postSigned(service.current, party, '/bids', own))).toEqual(
      refusedWith(invalid(['agentPubkey'], /this service/)),
    );
  });

  test('by an account that was given to a program is refused, as no leg could be assigned to it', async () => {
    const agent = await service.current.party(1);
    const programAddress = address(service.current.server.programId);
    const assign = getAssignInstruction({ account: agent.signer, programAddress });
    // The account given away can pay no fee any more: somebody else does.
    await land(service.current, await signed(service.current, [shipper.signer, agent.signer], [assign]));
    const body = bidInput(agent, packages.listed, 'zoo', 'ostkreuz', 0.1);
    const answer = await answerTo(() => postSigned(service.current, agent, '/bids', body));
    expect(answer).toEqual(refusedWith(invalid(['agentPubkey'], /bid with the key of a plain wallet/)));
  });

  test('in the name of another agent is refused', async () => {
    const refusal: Refusal = { status: 403, code: 'pubkey_mismatch', fields: ['agentPubkey'] };
    expect(await answerTo(bid({ agentPubkey: shipper.pubkey }))).toEqual(refusedWith(refusal));
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
    expect(await answerTo(send)).toEqual(refusedWith({ status: 401, code, fields: [], says }));
  });

  test('without a signature is refused', async () => {
    const send = () => post(service.current, '/bids', bidInput(courier, packages.listed, 'zoo', 'ostkreuz', 0.1));
    expect(await answerTo(send)).toEqual(
      refusedWith({ status: 401, code: 'missing_header', fields: [], says: /X-Pubkey/ }),
    );
  });

  test('sent again with the same nonce is refused and not stored twice', async () => {
    const nonce = createNonce(Date.now());
    // Far from the origin: it is stored, and no chain needs it.
    const far = bid({ pickupLat: 10, pickupLng: 10, dropoffLat: 10, dropoffLng: 10 }, { nonce });
    expect((await far()).status).toBe(201);
    await untilQuiet(service.current);
    expect(await answerTo(far)).toEqual(refusedWith({ status: 401, code: 'replayed_nonce', fields: [] }));
  });
});
