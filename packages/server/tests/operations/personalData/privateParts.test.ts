import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageTermsHash, privateHashes } from '@legwork/protocol/rules';
import { confirmLeg } from '@legwork/sdk';
import { describe, expect, test } from 'vitest';
import { draft, PLACES, untilPackage } from '../../support/market.js';
import { refusalOf } from '../../support/sdkRefusal.js';
import { type Party, withService } from '../../support/service.js';
import { at, legNow, move, moveWithText } from '../turns/scene.js';
import { formedPrivately, listedPrivately, readBy, SECRETS, tablesWith } from './scene.js';
import { listPackage } from '../../support/listed.js';

const lines: string[] = [];
const service = withService({
  logTo: { write: (line: string) => lines.push(line) },
  settings: (usual) => ({ ...usual, LOG_LEVEL: 'trace', METRICS_PORT: '0' }),
});

describe('private parts', () => {
  test('are read by those whom they are for, at each stage of a package with terms (S-142)', async () => {
    const { shipper, receiver, arbiter, couriers, parcel } = await formedPrivately(service.current);
    const [first, second, last] = [at(couriers, 0), at(couriers, 1), at(couriers, 2)];
    const stranger = await service.current.party(0);
    const cast = { shipper, receiver, arbiter, first, second, last, stranger };
    const readers = async () =>
      Object.fromEntries(
        await Promise.all(Object.entries(cast).map(async ([name, one]) => [name, await readBy(one, parcel.id)])),
      ) as Record<keyof typeof cast, string>;
    const nobody = {
      shipper: 'pickup dropoff',
      receiver: 'pickup dropoff',
      arbiter: 'not_your_turn',
      first: 'not_your_turn',
      second: 'not_your_turn',
      last: 'not_your_turn',
      stranger: 'not_your_turn',
    };
    expect(await readers()).toEqual(nobody);
    await move(service.current, { parcel }, 0, first, 'accept');
    expect(await readers()).toEqual({ ...nobody, first: 'pickup' });
    await move(service.current, { parcel }, 1, second, 'accept');
    await move(service.current, { parcel }, 2, last, 'accept');
    const accepted = { ...nobody, first: 'pickup' };
    expect(await readers()).toEqual(accepted);
    await move(service.current, { parcel }, 0, first, 'take');
    expect(await readers()).toEqual(accepted);
    await moveWithText(service.current, { parcel }, 0, first, 'claim', 'handed over');
    await moveWithText(service.current, { parcel }, 0, receiver, 'dispute', 'it is not here');
    expect(await readers()).toEqual({ ...accepted, arbiter: 'pickup dropoff' });
    await move(service.current, { parcel }, 0, arbiter, 'rule', { percent: 100 });
    expect(await readers()).toEqual(accepted);
    // The paid claim left the parcel with nobody who takes it over: the second courier takes it.
    await untilPackage(service.current, parcel.id, ({ swarm }) => swarm?.legs[0]?.stage === 'completed');
    await move(service.current, { parcel }, 1, second, 'take');
    expect(await readers()).toEqual(accepted);
    await move(service.current, { parcel }, 1, last, 'confirm');
    expect(await readers()).toEqual({ ...accepted, last: 'dropoff' });
  });

  test('are read without terms by the first courier once the swarm is formed, by the last one once the leg before is confirmed (S-142)', async () => {
    const { shipper, couriers, parcel } = await formedPrivately(service.current, { isPlain: true });
    const [first, second, last] = [at(couriers, 0), at(couriers, 1), at(couriers, 2)];
    const readers = () => Promise.all([shipper, first, second, last].map((one) => readBy(one, parcel.id)));
    expect(await readers()).toEqual(['pickup dropoff', 'pickup', 'not_your_turn', 'not_your_turn']);
    const receivedBy = async (index: number, recipient: Party) => {
      const { id } = await legNow(service.current, parcel.id, index);
      await confirmLeg(recipient.client, service.current.rpc, recipient.signer, id);
    };
    await receivedBy(0, second);
    expect(await readers()).toEqual(['pickup dropoff', 'pickup', 'not_your_turn', 'not_your_turn']);
    await receivedBy(1, last);
    expect(await readers()).toEqual(['pickup dropoff', 'pickup', 'not_your_turn', 'dropoff']);
    await receivedBy(2, shipper);
    await untilPackage(service.current, parcel.id, ({ status }) => status === 'delivered');
    expect(await readers()).toEqual(['pickup dropoff', 'not_your_turn', 'not_your_turn', 'not_your_turn']);
  });

  test('are read by nobody but shipper and receiver while the package is listed (S-142)', async () => {
    const { shipper, receiver, arbiter, parcel } = await listedPrivately(service.current);
    const readers = [shipper, receiver, arbiter].map((one) => readBy(one, parcel.id));
    expect(await Promise.all(readers)).toEqual(['pickup dropoff', 'pickup dropoff', 'not_your_turn']);
  });

  test('come as they were given, with the salts of their hashes, which are in the signed terms (S-140)', async () => {
    const { shipper, parcel } = await listedPrivately(service.current);
    const { pickup, dropoff } = await shipper.client.getPrivateParts({ packageId: parcel.id });
    expect({ pickup, dropoff }).toMatchObject(SECRETS);
    const shown = parcel.privateHashes;
    expect(shown).toEqual(privateHashes({ pickup: pickup ?? undefined, dropoff: dropoff ?? undefined }));
    const origin = { lat: parcel.originLat, lng: parcel.originLng };
    const destination = { lat: parcel.destLat, lng: parcel.destLng };
    expect(packageTermsHash({ ...parcel, origin, destination }).hex).toBe(parcel.termsHash);
    expect(packageTermsHash({ ...parcel, origin, destination, privateHashes: null }).hex).not.toBe(parcel.termsHash);
  });

  test('make the public place of the same end a round one (S-140)', async () => {
    const { zoo, ostkreuz } = PLACES;
    const { parcel } = await listedPrivately(service.current);
    expect([parcel.originLat, parcel.originLng, parcel.destLat, parcel.destLng]).toEqual([52.51, 13.33, 52.5, 13.47]);
    const shipper = await service.current.party(3);
    const half = { ...draft(), private: { dropoff: SECRETS.dropoff } };
    const other = await listPackage(shipper.client, shipper.signer, half);
    expect([other.originLat, other.destLat]).toEqual([zoo.lat, 52.5]);
    expect(other.privateHashes).toMatchObject({ pickup: null });
    expect(ostkreuz.lat).not.toBe(52.5);
  });

  test('leave a line for each key that read a part, for the shipper alone (S-143)', async () => {
    const { shipper, receiver, arbiter, couriers, parcel } = await formedPrivately(service.current, { isPlain: true });
    const [first] = couriers;
    const packageId = parcel.id;
    const readings = async () => (await shipper.client.listPrivateReadings({ packageId })).items;
    expect(await readings()).toEqual([]);
    for (const one of [first, first, shipper, arbiter]) if (one) await readBy(one, packageId);
    const read = await readings();
    const told = read.map(({ part, readerPubkey, readAs, times }) => ({ part, readerPubkey, readAs, times }));
    expect(told).toEqual([
      { part: 'pickup', readerPubkey: first?.pubkey, readAs: 'courier', times: 2 },
      { part: 'dropoff', readerPubkey: shipper.pubkey, readAs: 'shipper', times: 1 },
      { part: 'pickup', readerPubkey: shipper.pubkey, readAs: 'shipper', times: 1 },
    ]);
    expect(read.every(({ firstAt, lastAt }) => firstAt <= lastAt)).toBe(true);
    for (const one of [receiver, arbiter, at(couriers, 0)]) {
      expect(await refusalOf(one.client.listPrivateReadings({ packageId }))).toMatchObject({ code: 'not_your_turn' });
    }
  });

  test('stand in no other answer, event, log, metric or table (S-141)', async () => {
    const { shipper, couriers, parcel } = await formedPrivately(service.current, { isPlain: true });
    const { client } = shipper;
    const packageId = parcel.id;
    for (const one of couriers) await readBy(one, packageId);
    const answers = [
      await client.getPackage({ packageId }),
      await client.listPackages({}),
      await client.listEvents({}),
      await client.listRelays({}),
      await client.getDecision({ packageId }),
      await client.getPackageMoney({ packageId }),
      await client.listBids({ packageId }),
      await client.lookup({ text: packageId }),
      await client.listPrivateReadings({ packageId }),
      await (await fetch(service.current.server.metricsUrl ?? '')).text(),
      lines,
    ];
    const everything = JSON.stringify(answers, (_key, value: unknown) =>
      typeof value === 'bigint' ? `${value}` : value,
    );
    expect(lines.length).toBeGreaterThan(10);
    for (const secret of [...Object.values(SECRETS.pickup), SECRETS.dropoff.address]) {
      expect(everything).not.toContain(secret);
      expect(await tablesWith(service.current, secret)).toEqual([]);
    }
  });

  test('are not to be kept by a cache on the way (S-142)', async () => {
    const { url } = service.current.server;
    const answer = await fetch(`${url}/packages/${(await listedPrivately(service.current)).parcel.id}/private`);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([401, 'no-store']);
  });
});

describe('private parts that somebody changed', () => {
  test('in the database to those of another package are shown to nobody (S-141)', async () => {
    const [one, other] = [await listedPrivately(service.current), await listedPrivately(service.current)];
    const { sealed } = await service.current.db
      .selectFrom('private_parts')
      .select('sealed')
      .where('package_id', '=', other.parcel.id)
      .executeTakeFirstOrThrow();
    await service.current.db
      .updateTable('private_parts')
      .set({ sealed })
      .where('package_id', '=', one.parcel.id)
      .execute();
    expect(await readBy(one.shipper, one.parcel.id)).toBe('invalid_status');
    expect((await one.shipper.client.listPrivateReadings({ packageId: one.parcel.id })).items).toEqual([]);
  });

  test('cannot be read once the key is gone, and the refusal says which (S-141)', async () => {
    const { shipper, parcel } = await listedPrivately(service.current);
    const { key } = await service.current.db
      .selectFrom('private_parts')
      .select('key')
      .where('package_id', '=', parcel.id)
      .executeTakeFirstOrThrow();
    const file = join(service.current.keys, `${key}.key`);
    await rm(file);
    const refused = await refusalOf(shipper.client.getPrivateParts({ packageId: parcel.id }));
    expect(refused).toMatchObject({ code: 'invalid_status' });
    expect(refused.message).toContain(key);
    await writeFile(file, 'short');
    expect(await readBy(shipper, parcel.id)).toBe('internal_error');
    await rm(file);
  });
});

describe('private parts that are refused', () => {
  test.each<[string, object, string]>([
    ['without a salt of the terms', { salt: undefined }, 'salt'],
    ['with a part without a salt', { private: { pickup: { address: 'x' } } }, 'private.pickup.salt'],
    ['without an address', { private: { pickup: { salt: 'a'.repeat(32), contact: 'x' } } }, 'private.pickup.address'],
    ['without a part', { private: {} }, 'private'],
    ['of more than 2 KiB', { private: { pickup: part('é'.repeat(490)), dropoff: part('é'.repeat(490)) } }, 'private'],
  ])('%s are told so (S-140)', async (_, changes, field) => {
    const { client, pubkey: shipperPubkey } = await service.current.party(0);
    const asked = { ...draft(), shipperPubkey, salt: 'b'.repeat(32), private: { pickup: part('x') }, ...changes };
    const refused = await refusalOf(client.buildListTx(asked));
    expect(refused).toMatchObject({ code: 'invalid_input' });
    expect(refused.fields).toEqual([field]);
  });
});

function part(address: string) {
  return { salt: 'a'.repeat(32), address };
}

describe('a service without a folder for keys', () => {
  const keyless = withService({
    settings: (usual) => ({ ...usual, PERSONAL_DATA_KEYS: '' }),
  });

  test('takes no private parts, and the SDK sends it none (S-140)', async () => {
    const { client, signer, pubkey: shipperPubkey } = await keyless.current.party(3);
    const salted = { ...draft(), shipperPubkey, salt: 'b'.repeat(32) };
    const refused = await refusalOf(client.buildListTx({ ...salted, private: { pickup: part('x') } }));
    expect(refused.fields).toEqual(['private']);
    await expect(listPackage(client, signer, { ...draft(), private: SECRETS })).rejects.toThrow(RangeError);
    expect(await tablesWith(keyless.current, SECRETS.pickup.address)).toEqual([]);
    expect((await listPackage(client, signer, draft())).privateHashes).toBeNull();
  });
});
