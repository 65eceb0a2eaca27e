import { confirmLeg } from '@legwork/sdk';
import { describe, expect, test } from 'vitest';
import { bidInput, untilPackage } from '../../support/market.js';
import { refusalOf } from '../../support/sdkRefusal.js';
import { type Party, withService } from '../../support/service.js';
import { untilQuiet } from '../../support/snapshot.js';
import { courier, legNow, move, signedWith } from '../turns/scene.js';
import { experienced, listedPrivately, type PrivateCast, readBy, wonBy } from './scene.js';

const service = withService();

type Listed = Omit<PrivateCast, 'couriers'>;

const listedOne = (isPlain = false): Promise<Listed> => listedPrivately(service.current, { isPlain, isOpen: false });

const listed = (count: number, isPlain = false): Promise<Listed[]> =>
  Promise.all(Array.from({ length: count }, () => listedOne(isPlain)));

const bid = (one: Party, { parcel }: Listed) => one.client.submitBid(bidInput(one, parcel.id, 'zoo', 'ostkreuz', 0.01));

/** Wins the package, and accepts it. */
async function accepted(one: Party, { parcel }: Listed): Promise<void> {
  await wonBy(service.current, one, parcel.id);
  await move(service.current, { parcel }, 0, one, 'accept');
}

/** Its shipper reclaims it. */
async function takenBack({ shipper: { client, signer }, parcel: { id } }: Listed): Promise<void> {
  const { transaction } = await client.buildReclaimTx({ packageId: id });
  const signed = await signedWith(transaction, [signer]);
  await service.current.rpc.sendTransaction(signed, { encoding: 'base64' }).send();
  await untilPackage(service.current, id, ({ status }) => status === 'failed');
}

/** Wins a package with terms, accepts it, reads where it is, and leaves in time. */
async function readAndLeave(one: Party, of: Listed): Promise<void> {
  await accepted(one, of);
  expect(await readBy(one, of.parcel.id)).toBe('pickup');
  await move(service.current, of, 0, one, 'vacate');
}

describe('a key that has completed less than three legs', () => {
  test.each(['with terms', 'without'])(
    'wins nothing private %s, however little it asks, unless the shipper opens it (S-150)',
    async (terms) => {
      const isPlain = terms === 'without';
      const shut = await listedOne(isPlain);
      const open = await listedPrivately(service.current, { isPlain });
      const thief = isPlain ? await service.current.party(0) : await courier(service.current);
      const least = (packageId: string) =>
        thief.client.submitBid(bidInput(thief, packageId, 'zoo', 'ostkreuz', 0.00089088));
      const refused = await refusalOf(least(shut.parcel.id));
      expect(refused).toMatchObject({ status: 409, code: 'requirements_not_met' });
      expect(refused.message).toMatch(/completed 0 legs; at least 3 .* minCompleted/);
      await least(open.parcel.id);
      await untilPackage(service.current, open.parcel.id, ({ status }) => status === 'in_transit');
    },
  );

  test('wins it where the shipper asks for less, and not where it asks for more (S-150)', async () => {
    const one = await experienced(service.current, 1);
    const shut = await listedOne();
    expect((await refusalOf(bid(one, shut))).message).toMatch(/completed 1 legs; at least 3/);
    const open = await listedPrivately(service.current);
    await accepted(one, open);
    expect(await readBy(one, open.parcel.id)).toBe('pickup');
  });
});

describe('a courier that reads and does not carry', () => {
  test('three packages within 30 days, reads and wins nothing private any more, until it carries one (S-151)', async () => {
    const reader = await experienced(service.current, 3);
    const [first, second, third, fourth] = (await listed(4)) as [Listed, Listed, Listed, Listed];
    // Won before the third reading, it is not read after it.
    await accepted(reader, fourth);
    for (const of of [first, second, third]) await readAndLeave(reader, of);
    const refused = await refusalOf(reader.client.getPrivateParts({ packageId: fourth.parcel.id }));
    expect(refused).toMatchObject({ status: 409, code: 'agent_waits' });
    expect(refused.message).toMatch(/3 packages .* 30 days/);
    const fifth = await listedOne();
    expect(await refusalOf(bid(reader, fifth))).toMatchObject({ status: 409, code: 'agent_waits' });
    await move(service.current, fourth, 0, reader, 'take');
    expect(await readBy(reader, fourth.parcel.id)).toBe('pickup dropoff');
    // A package whose parts were read is still not carried.
    expect((await refusalOf(bid(reader, fifth))).code).toBe('agent_waits');
    await service.current.db
      .updateTable('courier_readings')
      .set({ first_at: new Date(Date.now() - 30 * 86_400_000) })
      .where('package_id', '=', first.parcel.id)
      .execute();
    await accepted(reader, fifth);
    expect(await readBy(reader, fifth.parcel.id)).toBe('pickup');
  });

  test('reads three packages at once at most, however its readings race (S-151)', async () => {
    const reader = await experienced(service.current, 3);
    const won = await listed(5);
    for (const of of won) await accepted(reader, of);
    const read = async () => (await Promise.all(won.map(({ parcel }) => readBy(reader, parcel.id)))).sort();
    const three = ['agent_waits', 'agent_waits', 'pickup', 'pickup', 'pickup'];
    expect(await read()).toEqual(three);
    // A courier can read again what it has read.
    expect(await read()).toEqual(three);
    const [held] = await readings(reader);
    const carried = won.find(({ parcel }) => parcel.id === held);
    if (carried) await move(service.current, carried, 0, reader, 'take');
    expect((await read()).filter((one) => one === 'agent_waits')).toHaveLength(1);
  });

  test('is told so without terms too, where what it has not brought counts at once (S-151)', async () => {
    const reader = await experienced(service.current, 3);
    const [first, second, third, fourth] = (await listed(4, true)) as [Listed, Listed, Listed, Listed];
    for (const { parcel } of [first, second, third]) {
      await wonBy(service.current, reader, parcel.id);
      expect(await readBy(reader, parcel.id)).toBe('pickup dropoff');
    }
    expect(await refusalOf(bid(reader, fourth))).toMatchObject({ code: 'agent_waits' });
    const { id } = await legNow(service.current, first.parcel.id, 0);
    await confirmLeg(first.shipper.client, service.current.rpc, first.shipper.signer, id);
    await untilPackage(service.current, first.parcel.id, ({ status }) => status === 'delivered');
    await wonBy(service.current, reader, fourth.parcel.id);
    expect(await readBy(reader, fourth.parcel.id)).toBe('pickup dropoff');
  });

  test('is not one whose shipper took the package back (S-151)', async () => {
    const reader = await experienced(service.current, 3);
    for (const of of await listed(4)) {
      await accepted(reader, of);
      expect(await readBy(reader, of.parcel.id)).toBe('pickup');
      await takenBack(of);
    }
  });

  test('is known also after the shipper erased what is personal (S-144, S-151)', async () => {
    const reader = await experienced(service.current, 3);
    const one = await listedOne();
    const { shipper, parcel } = one;
    await readAndLeave(reader, one);
    await takenBack(one);
    await untilQuiet(service.current);
    await shipper.client.erasePackageData({ packageId: parcel.id });
    expect((await shipper.client.listPrivateReadings({ packageId: parcel.id })).items).toEqual([]);
    expect(await readings(reader)).toEqual([parcel.id]);
  });
});

/** The packages that it read something of, first to last. */
async function readings({ pubkey }: Party): Promise<string[]> {
  const rows = await service.current.db
    .selectFrom('courier_readings')
    .select('package_id')
    .where('reader_pubkey', '=', pubkey)
    .orderBy('first_at')
    .execute();
  return rows.map((row) => row.package_id);
}
