import type { PackageDetail } from '@legwork/protocol/contract';
import { packageTermsHash, taskTermsHash } from '@legwork/protocol/rules';
import { beforeAll, describe, expect, test } from 'vitest';
import { draft } from '../support/market.js';
import { post } from '../support/refusal.js';
import { type Party, withService } from '../support/service.js';
import { relayInstruction } from '../support/transactions.js';
import { goal } from './digitalTasks/scene.js';
import { listDigitalTask, listPackage } from '../support/listed.js';

const service = withService();
const SALT = /^[0-9a-f]{32}$/;
let shipper: Party;

beforeAll(async () => {
  shipper = await service.current.party(3);
});

/** The hash of what the service shows of a package. */
function shownHash(parcel: Omit<PackageDetail, 'salt'> & { salt?: string | null }): string {
  const { originLat, originLng, destLat, destLng } = parcel;
  const origin = { lat: originLat, lng: originLng };
  return packageTermsHash({ ...parcel, origin, destination: { lat: destLat, lng: destLng } }).hex;
}

describe('the salt of a listing', () => {
  test('is made by the SDK, shown, and anybody recomputes the hash with it (M-78)', async () => {
    const parcel = await listPackage(shipper.client, shipper.signer, draft());
    const task = await listDigitalTask(shipper.client, shipper.signer, goal());
    for (const { salt } of [parcel, task]) expect(salt).toMatch(SALT);
    expect([shownHash(parcel), shownHash({ ...parcel, salt: null }) === parcel.termsHash]).toEqual([
      parcel.termsHash,
      false,
    ]);
    const instructions = task.legs.map(({ instruction }) => instruction);
    expect(taskTermsHash({ ...task, instructions }).hex).toBe(task.termsHash);
  });

  test('is made by the service for what the coordinator funds (M-78)', async () => {
    const shipperPubkey = shipper.pubkey;
    const parcel = await shipper.client.postSponsored({ ...draft(), shipperPubkey });
    const task = await shipper.client.postSponsoredDigitalTask({ ...goal(), shipperPubkey });
    for (const { salt } of [parcel, task]) expect(salt).toMatch(SALT);
    expect(shownHash(parcel)).toBe(parcel.termsHash);
  });

  test('is in the transaction only if it was asked for (M-30, M-78)', async () => {
    const { client, pubkey: shipperPubkey } = shipper;
    const asked = { ...draft(), shipperPubkey };
    const origin = { lat: asked.originLat, lng: asked.originLng };
    const terms = { ...asked, origin, destination: { lat: asked.destLat, lng: asked.destLng } };
    for (const salt of [undefined, '0123456789abcdef'.repeat(2)]) {
      const built = await client.buildListTx({ ...asked, ...(salt !== undefined && { salt }) });
      const { data } = relayInstruction(service.current, built.transaction, 'listPackage');
      expect(Buffer.from(data.termsHash).toString('hex')).toBe(packageTermsHash({ ...terms, salt }).hex);
    }
  });

  test.each(['', '0123', 'A'.repeat(32), `${'a'.repeat(31)}g`, 5])(
    'is refused as %j, with what it must be (M-78)',
    async (salt) => {
      for (const path of ['/packages/build-tx', '/digital-tasks/build-tx']) {
        const asked = path.startsWith('/packages') ? draft() : goal();
        const refused = await post(service.current, path, { ...asked, shipperPubkey: shipper.pubkey, salt });
        expect(refused.status).toBe(400);
        expect(await refused.json()).toMatchObject({ errors: [{ field: 'salt' }] });
      }
    },
  );
});
