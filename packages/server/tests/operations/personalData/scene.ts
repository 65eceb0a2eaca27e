import { randomBytes } from 'node:crypto';
import { listPackage, type PackageDetail } from '@legwork/sdk';
import { sql } from 'kysely';
import { bidInput, draft, type Place, untilPackage } from '../../support/market.js';
import { refusalOf } from '../../support/sdkRefusal.js';
import type { Party, TestService } from '../../support/service.js';
import { at, courier } from '../turns/scene.js';

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

/** A package with private parts, and those who take part in it; with terms unless told. Nobody has bid. */
export async function listedPrivately(service: TestService, isPlain = false): Promise<Omit<PrivateCast, 'couriers'>> {
  const [shipper, receiver, arbiter] = await Promise.all([service.party(3), service.party(1), service.party(1)]);
  const own = { arbiterPubkey: arbiter.pubkey, receiverPubkey: receiver.pubkey, cosignedPickup: false };
  const parcel = await listPackage(shipper.client, shipper.signer, {
    ...draft(),
    private: SECRETS,
    terms: isPlain ? 'plain' : own,
  });
  return { shipper, receiver, arbiter, parcel };
}

const LEGS: readonly (readonly [Place, Place, number])[] = [
  ['zoo', 'hauptbahnhof', 0.03],
  ['hauptbahnhof', 'alexanderplatz', 0.05],
  ['alexanderplatz', 'ostkreuz', 0.04],
];

/** The same in transit: three couriers, of whom with terms nobody has accepted yet. */
export async function formedPrivately(service: TestService, isPlain = false): Promise<PrivateCast> {
  const listed = await listedPrivately(service, isPlain);
  const couriers = await Promise.all(LEGS.map(() => courier(service)));
  for (const [index, [from, to, costSol]] of LEGS.entries()) {
    const one = at(couriers, index);
    await one.client.submitBid(bidInput(one, listed.parcel.id, from, to, costSol));
  }
  const parcel = await untilPackage(service, listed.parcel.id, ({ status }) => status === 'in_transit');
  return { ...listed, couriers, parcel };
}

/** What a key reads: the names of the parts, or the code of its refusal. */
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
