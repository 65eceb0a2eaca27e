import { createLegworkClient, signListing } from '@legwork/sdk';
import { sql } from 'kysely';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { startReplica } from '../coordinator/scene.js';
import { type TaskScene, withTaskScene } from '../coordinator/taskScene.js';
import { bidInput, draft, untilPackage } from '../support/market.js';
import type { Party } from '../support/service.js';
import {
  confirmedAndTold,
  type Deed,
  finishTask,
  listedTask,
  onFork,
  persist,
  untilAllLanded,
  wrongs,
} from './lyingScene.js';
import { eventsOf, untilListed, Wallets } from './walletScene.js';
import { until } from '../support/until.js';

const SLOW = 120_000;
const PACKAGES = [0, 1, 2, 3];

const scenes = withTaskScene({ lying: true, finality: 'delayed' });

afterEach(() => scenes.current.service.node.mend());

/** The service and another replica of it, for one party. */
async function bothFor({ service }: TaskScene) {
  const other = await service.replica();
  onTestFinished(() => other.close());
  return (party: Party) => [party.client, createLegworkClient({ url: other.url, signer: party.signer })] as const;
}

/** Everything about it is told to both replicas at once, while the wallets' transactions are on the ledger already. */
async function carryTwice(scene: TaskScene, both: Awaited<ReturnType<typeof bothFor>>): Promise<Deed & { id: string }> {
  const { service } = scene;
  const [shipper, courier] = await Promise.all([service.party(), service.party(1)]);
  const { packageId, transaction } = await signListing(shipper.client, shipper.signer, draft());
  const submitted = [...both(shipper), ...both(shipper)].map((client) =>
    persist(() => client.submitPackage({ packageId, transaction })),
  );
  for (const { status } of await Promise.all(submitted)) expect(status).toBe('listed');
  await courier.client.submitBid(bidInput(courier, packageId, 'zoo', 'ostkreuz', 0.1));
  const parcel = await untilPackage(service, packageId, ({ status }) => status === 'in_transit');
  const signature = await new Wallets(service).confirm({ shipper, couriers: [courier], parcel }, 0);
  const legId = parcel.swarm?.legs[0]?.id ?? '';
  await Promise.all([
    ...both(shipper).map((client) => persist(() => client.confirmLeg({ legId, signature }))),
    persist(() => confirmedAndTold(shipper, service, legId)),
  ]);
  await untilPackage(service, packageId, ({ status }) => status === 'delivered');
  const history = ['listPackage', 'formSwarm', 'assignLeg', 'confirmLeg', 'settle'];
  return { id: packageId, account: parcel.onChainPackage, history };
}

describe('the follower, the outbox and callers at two replicas', () => {
  test('write each fact once, though the node says everything twice and takes its time (S-50, S-51)', {
    timeout: SLOW,
  }, async () => {
    const scene = scenes.current;
    const both = await bothFor(scene);
    await scene.service.node.begin({ kind: 'repeated' });
    await scene.service.node.begin({ kind: 'slow', ms: 30 });
    const deeds = await Promise.all([...PACKAGES.map(() => carryTwice(scene, both)), finishTask(scene)]);
    await scene.service.node.mend();
    expect(await wrongs(scene, deeds)).toEqual([]);
    for (const deed of deeds) {
      if (!('id' in deed)) continue;
      expect(await eventsOf(scene.service, deed.id)).toEqual([
        'PACKAGE_LISTED',
        'BID_STORED',
        'SWARM_FORMED',
        'BID_RECEIVED',
        'LEG_CONFIRMED',
        'PACKAGE_DELIVERED',
      ]);
    }
  });
});

test('two listings in one transaction are mirrored both or neither (S-51)', { timeout: SLOW }, async () => {
  const scene = scenes.current;
  const { service } = scene;
  const shipper = await service.party();
  const wallets = new Wallets(service);
  const [first, second] = [await wallets.listing(shipper), await wallets.listing(shipper)];
  const ids = [first.packageId, second.packageId].sort();
  const statuses = async () => {
    const rows = await service.db.selectFrom('packages').select('status').where('id', 'in', ids).execute();
    return rows.map(({ status }) => status);
  };
  const waiting = async () => {
    const { rows } = await sql<{ count: number }>`select count(*)::int4 as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(service.db);
    return (rows[0]?.count ?? 0) > 0;
  };
  await service.db.transaction().execute(async (trx) => {
    // The one that is locked last.
    await trx
      .selectFrom('packages')
      .select('id')
      .where('id', '=', ids[1] ?? '')
      .forUpdate()
      .execute();
    await wallets.send(shipper, [first.instruction, second.instruction]);
    await until('the mirror waits for the second', waiting);
    expect(await statuses()).toEqual(['draft', 'draft']);
  });
  await Promise.all(ids.map((id) => untilListed(service, id)));
  expect(await statuses()).toEqual(['listed', 'listed']);
  expect(await wrongs(scene, [])).toEqual([]);
});

test('of two replicas one follows a fork: what either did is on the ledger in the end, once (S-51, S-105)', {
  timeout: SLOW,
}, async () => {
  const scene = scenes.current;
  const truthful = await startReplica(scene.service);
  onTestFinished(() => truthful.close());
  const posters = await Promise.all(PACKAGES.map(() => scene.service.party()));
  const deeds = await onFork(scene, () =>
    Promise.all(posters.map((poster) => finishTask(scene, listedTask(scene, poster)))),
  );
  await untilAllLanded(scene);
  expect(await wrongs(scene, deeds)).toEqual([]);
});
