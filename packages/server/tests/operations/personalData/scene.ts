import { randomBytes } from 'node:crypto';
import { confirmLeg, type PackageDetail } from '@legwork/sdk';
import { sql } from 'kysely';
import { bidInput, draft, type Place, untilPackage } from '../../support/market.js';
import { refusalOf } from '../../support/sdkRefusal.js';
import type { Party, TestService } from '../../support/service.js';
import { at, courier, legNow } from '../turns/scene.js';
import { listPackage } from '../../support/listed.js';
import { until } from '../../support/until.js';

/** Words that are found wherever they are. */
export const word = (what: string) => `${what}-${randomBytes(6).toString('hex')}`;

export const SECRETS = {
  pickup: { address: word('yard'), contact: word('ada'), note: word('bell') },
  dropoff: { address: word('attic'), contact: word('bob') },
};

export interface PrivateCast {
  shipper: Party;
  receiver: Party;
  arbiter: Party;
  couriers: Party[];
  parcel: PackageDetail;
}

/** How a package with private parts is listed: with terms and open to newcomers, unless told. */
interface Wish {
  isPlain?: boolean;
  isOpen?: boolean;
}

/** A package with private parts, and those who take part in it. Nobody has bid. */
export async function listedPrivately(
  service: TestService,
  { isPlain = false, isOpen = true }: Wish = {},
): Promise<Omit<PrivateCast, 'couriers'>> {
  const [shipper, receiver, arbiter] = await Promise.all([service.party(3), service.party(1), service.party(1)]);
  const own = { arbiterPubkey: arbiter.pubkey, receiverPubkey: receiver.pubkey, cosignedPickup: false };
  const parcel = await listPackage(shipper.client, shipper.signer, {
    ...draft(),
    private: SECRETS,
    terms: isPlain ? 'plain' : own,
    ...(isOpen && { requirements: { minCompleted: 0 } }),
  });
  return { shipper, receiver, arbiter, parcel };
}

const LEGS: readonly (readonly [Place, Place, number])[] = [
  ['zoo', 'hauptbahnhof', 0.03],
  ['hauptbahnhof', 'alexanderplatz', 0.05],
  ['alexanderplatz', 'ostkreuz', 0.04],
];

/** The same in transit: three couriers, of whom with terms nobody has accepted yet. */
export async function formedPrivately(service: TestService, wish: Wish = {}): Promise<PrivateCast> {
  const listed = await listedPrivately(service, wish);
  const couriers = await Promise.all(LEGS.map(() => courier(service)));
  for (const [index, [from, to, costSol]] of LEGS.entries()) {
    const one = at(couriers, index);
    await one.client.submitBid(bidInput(one, listed.parcel.id, from, to, costSol));
  }
  const parcel = await untilPackage(service, listed.parcel.id, ({ status }) => status === 'in_transit');
  return { ...listed, couriers, parcel };
}

/** A courier that has completed so many legs, each of a package of its own that somebody else listed. */
export async function experienced(service: TestService, legs: number): Promise<Party> {
  const [one, shipper] = await Promise.all([courier(service), service.party(5)]);
  for (let done = 0; done < legs; done += 1) {
    const { id } = await listPackage(shipper.client, shipper.signer, { ...draft(), terms: 'plain' });
    await one.client.submitBid(bidInput(one, id, 'zoo', 'ostkreuz', 0.01));
    await untilPackage(service, id, ({ status }) => status === 'in_transit');
    await confirmLeg(shipper.client, service.rpc, shipper.signer, (await legNow(service, id, 0)).id);
  }
  const completed = async () => (await one.client.getReputation({ agentPubkey: one.pubkey })).legsCompleted;
  await until(`${legs} legs count`, async () => (await completed()) >= legs);
  return one;
}

/** Has the courier win the whole way of the package. */
export async function wonBy(service: TestService, one: Party, packageId: string): Promise<void> {
  await one.client.submitBid(bidInput(one, packageId, 'zoo', 'ostkreuz', 0.01));
  await untilPackage(service, packageId, ({ status }) => status === 'in_transit');
}

/** The key's reading: the names of the parts, or the code of its refusal. */
export async function readBy({ client }: Party, packageId: string): Promise<string> {
  const read = client.getPrivateParts({ packageId });
  const parts = await read.catch(() => undefined);
  if (parts === undefined) return (await refusalOf(read)).code;
  const { pickup, dropoff } = parts;
  return [pickup && 'pickup', dropoff && 'dropoff'].filter(Boolean).join(' ');
}

/** The tables whose rows hold the text, as it is or in bytes. */
export async function tablesWith({ db }: TestService, text: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`.execute(
    db,
  );
  const forms = [text, Buffer.from(text).toString('hex')].map((form) => `%${form}%`);
  const found = await Promise.all(
    rows.map(async ({ name }) => {
      const seen = await sql<{ found: boolean }>`
        select exists (select from ${sql.table(name)} as one where one::text like any (${forms})) as found`.execute(db);
      return seen.rows[0]?.found ? [name] : [];
    }),
  );
  return found.flat().sort();
}
