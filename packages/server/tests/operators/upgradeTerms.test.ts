import { confirmLeg, createLegworkClient, listPackage } from '@legwork/sdk';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { migrate } from '../../src/db/migrate.js';
import { cancellation } from '../coordinator/scene.js';
import { hold, letGo } from '../support/holdIntents.js';
import { bidInput, confirmAll, draft, formedPackage, untilPackage } from '../support/market.js';
import { type Party, withService } from '../support/service.js';
import { land } from '../support/transactions.js';
import { BEFORE_TERMS } from './formerSchema.js';

/** The version before had no keys. */
let isFormer = true;
const service = withService({
  settings: (usual) => (isFormer ? { ...usual, PERSONAL_DATA_KEYS: '' } : usual),
});

const RELAY = [
  ['zoo', 'alexanderplatz', 0.1],
  ['alexanderplatz', 'ostkreuz', 0.08],
] as const;

type Formed = Awaited<ReturnType<typeof formedPackage>>;

const relay = () => formedPackage(service.current, RELAY);

/** The recipient of the leg signs for it. */
const confirm = (by: Party, { parcel }: Formed, index: number) =>
  confirmLeg(by.client, service.current.rpc, by.signer, parcel.swarm?.legs[index]?.id ?? '');

const firstOf = ([one]: readonly Party[]): Party => {
  if (one === undefined) throw new Error('nobody carries it');
  return one;
};

/** Two couriers bid, and nobody carries the last stretch. */
async function withBids() {
  const shipper = await service.current.party();
  const { id } = await listPackage(shipper.client, shipper.signer, draft());
  const courier = await service.current.party(1);
  const bid = bidInput(courier, id, 'zoo', 'alexanderplatz', 0.1);
  await courier.client.submitBid(bid);
  await courier.client.submitBid({ ...bid, costSol: 0.09 });
  return { shipper, courier, id };
}

/** The chain is chosen, and no transaction forms it yet. */
async function forming() {
  const shipper = await service.current.party();
  const { id } = await listPackage(shipper.client, shipper.signer, draft());
  await hold(service.current, id);
  const courier = await service.current.party(1);
  await courier.client.submitBid(bidInput(courier, id, 'zoo', 'ostkreuz', 0.2));
  await untilPackage(service.current, id, ({ status }) => status === 'swarm_forming');
  return { shipper, courier, id };
}

async function underWay(): Promise<Formed> {
  const formed = await relay();
  const { swarm } = formed.parcel;
  const next = formed.couriers.find(({ pubkey }) => pubkey === swarm?.legs[1]?.agentPubkey);
  await confirm(firstOf(next ? [next] : []), formed, 0);
  await untilPackage(service.current, formed.parcel.id, (parcel) => parcel.swarm?.completedLegs === 1);
  return formed;
}

/** Every leg is completed, and no transaction settles it yet. */
async function unsettled(): Promise<Formed> {
  const formed = await relay();
  await hold(service.current, formed.parcel.id);
  await confirmAll(service.current, formed);
  await untilPackage(service.current, formed.parcel.id, (parcel) => parcel.swarm?.completedLegs === 2);
  return formed;
}

async function delivered(): Promise<Formed> {
  const formed = await relay();
  await confirmAll(service.current, formed);
  await untilPackage(service.current, formed.parcel.id, ({ status }) => status === 'delivered');
  return formed;
}

async function cancelled(): Promise<string> {
  const shipper = await service.current.party();
  const { id } = await listPackage(shipper.client, shipper.signer, draft());
  const parcel = await shipper.client.getPackage({ packageId: id });
  await land(service.current, await cancellation(service.current, shipper, parcel));
  await untilPackage(service.current, id, ({ status }) => status === 'failed');
  return id;
}

let packages: {
  listed: Awaited<ReturnType<typeof withBids>>;
  forming: Awaited<ReturnType<typeof forming>>;
  underWay: Formed;
  unsettled: Formed;
  delivered: Formed;
  cancelledId: string;
};

/** The service's answers about all of them, and about their carriers. */
async function told(): Promise<unknown> {
  const { client } = await service.current.party(0);
  const { listed, forming: chosen, underWay: moving, unsettled: carried, delivered: done, cancelledId } = packages;
  const ids = [listed.id, chosen.id, moving.parcel.id, carried.parcel.id, done.parcel.id, cancelledId];
  const agents = [...moving.couriers, ...carried.couriers, ...done.couriers, chosen.courier, listed.courier];
  return {
    packages: await Promise.all(ids.map((packageId) => client.getPackage({ packageId }))),
    money: await Promise.all(ids.map((packageId) => client.getPackageMoney({ packageId }))),
    bids: await Promise.all(ids.map(async (packageId) => (await client.listBids({ packageId })).items)),
    relays: (await client.listRelays({})).items,
    agents: await Promise.all(
      agents.map(async ({ pubkey: agentPubkey }) => ({
        agent: await client.getAgent({ agentPubkey }),
        legs: (await client.listAgentLegs({ agentPubkey })).items,
      })),
    ),
  };
}

/** The same, once it no longer changes by itself: the ledger takes nothing of it back. */
async function toldOnceFinal(): Promise<unknown> {
  const all = await told();
  const text = JSON.stringify(all, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
  expect(text).not.toContain('"finality":"confirmed"');
  return all;
}

let before: unknown;

beforeAll(async () => {
  packages = {
    listed: await withBids(),
    forming: await forming(),
    underWay: await underWay(),
    unsettled: await unsettled(),
    delivered: await delivered(),
    cancelledId: await cancelled(),
  };
  before = await vi.waitFor(toldOnceFinal, 100_000);
  await service.current.stop();
  for (const statement of BEFORE_TERMS) await sql.raw(statement).execute(service.current.db);
  await migrate(service.current.db);
  isFormer = false;
  await service.current.restart();
});

/** It listens on another port now. */
const again = ({ signer, pubkey }: Party): Party => {
  return { signer, pubkey, client: createLegworkClient({ url: service.current.server.url, signer }) };
};

const untilDelivered = (id: string) => untilPackage(service.current, id, ({ status }) => status === 'delivered');

describe('after the upgrade to terms', () => {
  test('packages in every status, their money and who carries them are what they were (T-1)', async () => {
    expect(await told()).toEqual(before);
  });

  test('legs have the number of their formation, and what was paid', async () => {
    const rows = await service.current.db
      .selectFrom('legs')
      .select(['status', 'stage', 'formation', 'paid_lamports', 'agreed_payment_lamports', 'forfeited_lamports'])
      .execute();
    expect(rows).toHaveLength(7);
    for (const { status, stage, formation, paid_lamports: paid, agreed_payment_lamports: agreed, ...row } of rows) {
      const paidThen = status === 'completed' ? agreed : null;
      expect({ stage, formation, paid, ...row }).toEqual({
        stage: null,
        formation: 1,
        paid: paidThen,
        forfeited_lamports: 0n,
      });
    }
  });

  test('a bid that was live is replaced by a new one, and takes part in a chain', async () => {
    const { shipper, courier, id } = packages.listed;
    const { client } = again(courier);
    await client.submitBid(bidInput(courier, id, 'zoo', 'alexanderplatz', 0.08));
    const other = await service.current.party(1);
    await other.client.submitBid(bidInput(other, id, 'alexanderplatz', 'ostkreuz', 0.1));
    const parcel = await untilPackage(service.current, id, ({ status }) => status === 'in_transit');
    expect(parcel.swarm?.legs.map(({ agentPubkey, costLamports }) => [agentPubkey, costLamports])).toEqual([
      [courier.pubkey, 80_000_000n],
      [other.pubkey, 100_000_000n],
    ]);
    await confirmAll(service.current, { shipper: again(shipper), couriers: [again(courier), other], parcel });
    await untilDelivered(id);
  });

  test('a formation under way is formed, and delivered', async () => {
    const { shipper, courier, id } = packages.forming;
    await letGo(service.current, id);
    const parcel = await untilPackage(service.current, id, ({ status }) => status === 'in_transit');
    await confirmAll(service.current, { shipper: again(shipper), couriers: [courier], parcel });
    expect((await untilDelivered(id)).swarm).toMatchObject({ status: 'settled', completedLegs: 1 });
  });

  test('a package in transit is confirmed and settled, and refuses moves of terms', async () => {
    const { shipper, parcel } = packages.underWay;
    const legId = parcel.swarm?.legs[1]?.id ?? '';
    const move = again(shipper).client.buildTurnTx({ legId, action: 'claim', pubkey: shipper.pubkey });
    await expect(move).rejects.toMatchObject({ code: 'invalid_status' });
    await confirm(again(shipper), packages.underWay, 1);
    const { refundLamports, swarm } = await untilDelivered(parcel.id);
    const paid = swarm?.legs.map(({ paidLamports }) => paidLamports) ?? [];
    expect(paid).toEqual(swarm?.legs.map(({ agreedPaymentLamports }) => agreedPaymentLamports));
    expect(refundLamports).toBe(500_000_000n - (swarm?.totalLamports ?? 0n));
  });

  test('a package whose legs are all completed is settled', async () => {
    await letGo(service.current, packages.unsettled.parcel.id);
    const { swarm } = await untilDelivered(packages.unsettled.parcel.id);
    expect(swarm).toMatchObject({ status: 'settled', completedLegs: 2 });
  });
});
