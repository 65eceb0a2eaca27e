import { confirmLeg, createLegworkClient } from '@legwork/sdk';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningServer, startServer } from '../../src/startServer.js';
import { HistoryFollower } from '../../src/mirror/follow.js';
import type { AppContext } from '../../src/context.js';
import { appliedAmong, claimTransaction, placeFinal, readCursor } from '../../src/db/ledgerTransactions.js';
import { bidInput, draft, untilPackage } from '../support/market.js';
import { type Party, withService } from '../support/service.js';
import { untilQuiet } from '../support/snapshot.js';
import { eventsOf, twoLegs, untilListed, Wallets } from './walletScene.js';
import { listPackage } from '../support/listed.js';
import { until } from '../support/until.js';

const DELIVERED = [
  'PACKAGE_LISTED',
  'BID_STORED',
  'BID_STORED',
  'SWARM_FORMED',
  'BID_RECEIVED',
  'BID_RECEIVED',
  'LEG_CONFIRMED',
  'LEG_CONFIRMED',
  'PACKAGE_DELIVERED',
];

const service = withService();
const wallets = () => new Wallets(service.current);
let context: AppContext;
let other: RunningServer;

beforeAll(async () => {
  context = await service.current.context();
});
afterAll(() => context.db.destroy());

/** How many sessions of this database wait for a lock. */
async function waiting(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int4 as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(context.db);
  return rows[0]?.count ?? 0;
}

/** Lists and is carried over two legs, partly by the one replica, partly by the other, partly by wallets alone. */
async function carry(index: number): Promise<string> {
  const [shipper, ...couriers] = await Promise.all([
    service.current.party(),
    service.current.party(1),
    service.current.party(1),
  ]);
  const byOther = (party: Party) => createLegworkClient({ url: other.url, signer: party.signer });
  const [first, second] = couriers;
  if (!first || !second) throw new Error('two couriers carry it');
  const { packageId, instruction } = await wallets().listing(shipper);
  await wallets().send(shipper, [instruction]);
  await untilListed(service.current, packageId);
  await first.client.submitBid(bidInput(first, packageId, 'zoo', 'alexanderplatz', 0.1));
  await byOther(second).submitBid(bidInput(second, packageId, 'alexanderplatz', 'ostkreuz', 0.05));
  const parcel = await untilPackage(service.current, packageId, ({ status }) => status === 'in_transit');
  const market = { shipper, couriers, parcel };
  if (index % 2 === 0) {
    const leg = parcel.swarm?.legs[0]?.id ?? '';
    await confirmLeg(byOther(second), service.current.rpc, second.signer, leg);
  } else {
    await wallets().confirm(market, 0);
  }
  await wallets().confirm(market, 1);
  await untilPackage(service.current, packageId, ({ status }) => status === 'delivered');
  return packageId;
}

describe('two replicas on one database', () => {
  beforeAll(async () => {
    other = await startServer({ ...context.config, port: 0 });
  });
  afterAll(() => other.close());

  test('mirror every transaction once and in order (S-50, S-51)', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, (_, index) => carry(index)));
    await untilQuiet(service.current);
    for (const id of ids) expect(await eventsOf(service.current, id)).toEqual(DELIVERED);
    const intents = await context.db.selectFrom('outbox').select(['kind', 'status']).execute();
    expect(intents.map(({ kind, status }) => `${kind} ${status}`).sort()).toEqual([
      ...ids.map(() => 'form_swarm done'),
      ...ids.map(() => 'settle done'),
    ]);
  });

  test('wait for one another: a claim is kept by one, or passes to the next when it fails (S-51)', async () => {
    const kept = { bytes: Buffer.of(1) };
    const claimed = {
      signature: `claim-${crypto.randomUUID()}`,
      slot: 1n,
      subjects: [],
      instructions: ['settle'],
      kept,
    };
    const claim = () => context.db.transaction().execute((trx) => claimTransaction(trx, claimed));
    let second: Promise<boolean> | undefined;
    const first = context.db.transaction().execute(async (trx) => {
      expect(await claimTransaction(trx, claimed)).toBe(true);
      second = claim();
      // The second one is at the claim when it waits for a lock.
      await until('the second replica waits', async () => (await waiting()) > 0);
      throw new Error('the first replica was killed');
    });
    await expect(first).rejects.toThrow('killed');
    expect(await second).toBe(true);
    expect(await appliedAmong(context.db, [claimed.signature, 'another'])).toEqual(
      new Map([[claimed.signature, 'confirmed']]),
    );
    expect(await claim()).toBe(false);
    await context.db.deleteFrom('ledger_transactions').where('signature', '=', claimed.signature).execute();
  });

  test('place what is final behind the cursor that they listed from, and nowhere else (S-51)', async () => {
    await untilQuiet(service.current);
    const cursor = await readCursor(context.db);
    if (!cursor) throw new Error('something was mirrored');
    const late = { signature: 'listed-behind-an-older-cursor', slot: cursor.slot };
    const place = (after: typeof cursor) =>
      context.db.transaction().execute((trx) => placeFinal(trx, after, [{ ...late, failed: false }]));
    expect(await place({ ...cursor, signature: 'an-older-one' })).toBe(false);
    expect(await readCursor(context.db)).toEqual(cursor);
  });
});

describe('a history that is read again from its beginning', () => {
  test('changes nothing, with or without the claims of the first time (S-51)', async () => {
    const market = await twoLegs(service.current);
    await wallets().confirm(market, 0);
    const cancelled = await service.current.party();
    await wallets().cancel(cancelled, await listPackage(cancelled.client, cancelled.signer, draft()));
    await untilQuiet(service.current);
    await service.current.stop();
    const rows = () =>
      Promise.all(
        (['packages', 'swarms', 'legs', 'events', 'outbox'] as const).map((table) =>
          context.db.selectFrom(table).selectAll().orderBy('id').execute(),
        ),
      );
    const before = await rows();
    const readAgain = async () => {
      await context.db.deleteFrom('meta').where('key', '=', 'watcher_cursor').execute();
      await new HistoryFollower(context, new AbortController().signal).catchUp(Date.now());
      expect(await rows()).toEqual(before);
    };
    await readAgain();
    await context.db.deleteFrom('ledger_transactions').execute();
    await readAgain();
    const { values } = await context.metrics.mirroredInstructions.get();
    // The first time nothing was left to claim, the second time nothing to change.
    expect(new Set(values.map(({ labels }) => labels.outcome))).toEqual(new Set(['known']));
    await service.current.restart();
  });
});
