import { listDigitalTask, listPackage } from '@legwork/sdk';
import { signaturePages } from '@legwork/program-client/history';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../src/config.js';
import { type AppContext, createContext } from '../../src/context.js';
import { migrate } from '../../src/db/migrate.js';
import { FinalityWatch } from '../../src/mirror/finality.js';
import { lamportsOf } from '../coordinator/scene.js';
import { claim, goal, handIn, postedTask, runOut, untilTask } from '../operations/digitalTasks/scene.js';
import { bidInput, confirmAll, draft, formedPackage, untilPackage } from '../support/market.js';
import { type Party, type TestService, withService } from '../support/service.js';
import { refusalOf } from '../support/sdkRefusal.js';
import { untilQuiet } from '../support/snapshot.js';
import { eventsOf, until } from './walletScene.js';

const SLOW = 180_000;
/** Long enough for every blockhash to have expired in a final block. */
const EXPIRED_SEC = 200;

/** The state of what was applied about a listing, in order. */
async function applied({ db }: Pick<TestService, 'db'>, subject: string) {
  const rows = await db
    .selectFrom('ledger_transactions')
    .selectAll()
    .where(sql<boolean>`${subject} = any (subjects)`)
    .orderBy('slot')
    .orderBy('applied_at')
    .execute();
  return rows.map(({ instructions, position, reverted_at: revertedAt }) => ({
    name: instructions[0],
    state: revertedAt === null ? (position === null ? 'confirmed' : 'final') : 'reverted',
  }));
}

/** What went missing went missing long ago. */
async function ageMissing({ db }: Pick<TestService, 'db'>): Promise<void> {
  await db
    .updateTable('ledger_transactions')
    .set({ missing_since: sql<Date>`missing_since - interval '31 seconds'` })
    .where('missing_since', 'is not', null)
    .execute();
}

/** How many transactions the ledger shows of an account. */
async function countOf({ ledger }: AppContext, account: string): Promise<number> {
  let count = 0;
  for await (const page of signaturePages(ledger, account)) count += page.length;
  return count;
}

/** Lists, is carried by the courier and delivered: everything goes on. */
async function deliver(service: TestService): Promise<void> {
  const market = await formedPackage(service, [['zoo', 'ostkreuz', 0.1]]);
  await confirmAll(service, market);
  await untilPackage(service, market.parcel.id, ({ status }) => status === 'delivered');
}

describe('a ledger put back to an earlier state under a running service', () => {
  const service = withService();
  let context: AppContext;
  beforeAll(async () => {
    context = await service.current.context();
  });
  afterAll(() => context.db.destroy());

  async function carryBy(courier: Party, shipper: Party, id: string): Promise<void> {
    await courier.client.submitBid(bidInput(courier, id, 'zoo', 'ostkreuz', 0.1));
    const parcel = await untilPackage(service.current, id, ({ status }) => status === 'in_transit');
    await confirmAll(service.current, { shipper, couriers: [courier], parcel });
    await untilPackage(service.current, id, ({ status }) => status === 'delivered');
  }

  test('what vanished halts and is told, nothing is paid twice, and everything else goes on (S-107, S-108)', {
    timeout: SLOW,
  }, async () => {
    const { db, testLedger } = service.current;
    const [shipper, courier, agent, slow] = [
      await service.current.party(5),
      await service.current.party(1),
      await service.current.party(1),
      await service.current.party(1),
    ];
    const kept = await listPackage(shipper.client, shipper.signer, draft());
    await carryBy(courier, shipper, kept.id);
    const lost = await listPackage(shipper.client, shipper.signer, draft());
    const done = await listDigitalTask(shipper.client, shipper.signer, goal());
    const open = await listDigitalTask(shipper.client, shipper.signer, goal());
    await untilQuiet(service.current);
    const memory = await testLedger.remember();
    const wallets = [courier.pubkey, agent.pubkey, slow.pubkey];
    const before = await Promise.all(wallets.map((wallet) => lamportsOf(service.current, wallet)));

    await carryBy(courier, shipper, lost.id);
    await claim(agent, done, 0);
    await handIn(agent, done, 0);
    await claim(slow, open, 0);
    await untilTask(service.current, open.id, ({ legs }) => legs[0]?.status === 'in_progress');
    await untilQuiet(service.current);
    const reputation = () =>
      db
        .selectFrom('reputations')
        .select('legs_completed')
        .where('agent_pubkey', '=', courier.pubkey)
        .executeTakeFirst();
    expect(await reputation()).toEqual({ legs_completed: 2n });

    await testLedger.goBackTo(memory);
    const look = () => new FinalityWatch(context).round();
    await until('the service knows', async () => {
      await look();
      const [, formed] = await applied(service.current, `package:${lost.id}`);
      return formed?.state === 'confirmed';
    });
    await service.current.advanceTime(EXPIRED_SEC);
    await until('it is halted', async () => {
      await ageMissing(service.current);
      await look();
      return (await applied(service.current, `package:${lost.id}`)).every(({ name, state }) => {
        return state === (name === 'listPackage' ? 'final' : 'reverted');
      });
    });

    expect((await applied(service.current, `package:${kept.id}`)).map(({ state }) => state)).not.toContain('reverted');
    expect((await applied(service.current, `task:${done.id}`)).map(({ state }) => state)).toEqual([
      'final',
      'reverted',
      'reverted',
    ]);
    await expect
      .poll(async () => (await eventsOf(service.current, lost.id)).filter((type) => type === 'LEDGER_REVERTED').length)
      .toBe(4);
    expect(await reputation()).toEqual({ legs_completed: 1n });

    // A payment, a release and an exit that would be due of what is halted; the rest goes on.
    await runOut(service.current, open.legs[0]?.id ?? '');
    expect(await refusalOf(handIn(slow, open, 0))).toMatchObject({ status: 409, code: 'ledger_reverted' });
    expect(await refusalOf(shipper.client.buildCancelTx({ packageId: lost.id }))).toMatchObject({ status: 409 });
    await deliver(service.current);
    await untilQuiet(service.current);
    expect(await Promise.all(wallets.map((wallet) => lamportsOf(service.current, wallet)))).toEqual(before);
    for (const account of [lost.onChainPackage, done.onChainTask, open.onChainTask]) {
      expect(await countOf(context, account)).toBe(1);
    }
  });
});

describe('with a node that cannot be relied on', () => {
  const service = withService({ lying: true, finality: 'delayed' });
  let context: AppContext;
  beforeAll(async () => {
    const { node, server } = service.current;
    const config = loadConfig({ ...service.current.environment(), SOLANA_RPC_URL: node.url, LOG_LEVEL: 'silent' });
    const plain = await service.current.context();
    context = await createContext(config, server.url, plain.log);
    await plain.db.destroy();
  });
  afterEach(() => service.current.node.mend());
  afterAll(() => context.db.destroy());

  test('a formation that was confirmed on a fork, and can land no more, halts its package alone (S-106, S-107)', {
    timeout: SLOW,
  }, async () => {
    const { node, testLedger, db } = service.current;
    const [shipper, courier] = [await service.current.party(), await service.current.party(1)];
    const { id, onChainPackage } = await listPackage(shipper.client, shipper.signer, draft());
    await service.current.advanceTime(20);
    const fork = await testLedger.fork();
    onTestFinished(() => fork.close());
    const forked = await node.begin({ kind: 'forked', rpcUrl: fork.ledger.rpcUrl });
    await courier.client.submitBid(bidInput(courier, id, 'zoo', 'ostkreuz', 0.1));
    const { swarm } = await untilPackage(service.current, id, ({ status }) => status === 'in_transit');
    // Sent again, it would land: nobody does before its blockhash has expired.
    await service.current.stop();
    await forked.end();
    await service.current.advanceTime(EXPIRED_SEC);
    await service.current.restart();

    await until('the formation is missing', async () => {
      const row = await db
        .selectFrom('ledger_transactions')
        .select('missing_since')
        .where('signature', '=', swarm?.formSignature ?? '')
        .executeTakeFirst();
      return row?.missing_since !== null;
    });
    expect((await applied(service.current, `package:${id}`))[1]?.state).toBe('confirmed');
    await ageMissing(service.current);
    await until(
      'it is taken back',
      async () => (await applied(service.current, `package:${id}`))[1]?.state === 'reverted',
    );
    expect((await eventsOf(service.current, id)).slice(-2)).toEqual(['LEDGER_REVERTED', 'LEDGER_REVERTED']);
    const { client } = await service.current.party(0);
    const legId = swarm?.legs[0]?.id ?? '';
    expect(await refusalOf(client.buildConfirmTx({ legId }))).toMatchObject({ status: 409, code: 'ledger_reverted' });
    await deliver(service.current);
    expect(await countOf(context, onChainPackage)).toBe(1);
  });

  test('an hour without it takes nothing back (S-109)', { timeout: SLOW }, async () => {
    const { node, db } = service.current;
    const { shipper, couriers, parcel } = await formedPackage(service.current, [['zoo', 'ostkreuz', 0.1]]);
    const states = async () => (await applied(service.current, `package:${parcel.id}`)).map(({ state }) => state);
    expect(await states()).toContain('confirmed');
    const outage = await node.begin({ kind: 'http', status: 502 });
    await service.current.advanceTime(3600);
    const look = new FinalityWatch(context);
    await look.round();
    await look.round();
    await expect.poll(() => outage.hits, { timeout: 20_000 }).toBeGreaterThan(10);
    await outage.end();
    await expect.poll(states, { timeout: 20_000 }).toEqual(['final', 'final']);
    expect(
      await db
        .selectFrom('events')
        .select('id')
        .where('type', '=', 'LEDGER_REVERTED')
        .where('subject', '=', `package:${parcel.id}`)
        .execute(),
    ).toEqual([]);
    await confirmAll(service.current, { shipper, couriers, parcel });
  });

  test('what an earlier version mirrored is not taken back for its age (S-109)', { timeout: SLOW }, async () => {
    const { node, db } = service.current;
    await postedTask(service.current);
    await deliver(service.current);
    await service.current.advanceTime(20);
    await untilQuiet(service.current);
    await service.current.stop();
    // As the version before wrote it, which had not got further than the first transaction.
    for (const statement of BEFORE_0008) await sql.raw(statement).execute(db);
    await migrate(db);
    const open = () => db.selectFrom('ledger_transactions').select('signature').where('position', 'is', null).execute();
    const old = await open();
    expect(old.length).toBeGreaterThan(5);
    await service.current.advanceTime(7_200);
    const newest = Number(await service.current.rpc.getSlot().send());
    for (const lie of [undefined, { kind: 'pruned', below: newest } as const, { kind: 'behind' } as const]) {
      const told = lie && (await node.begin(lie));
      for (let round = 0; round < 2; round += 1) {
        await new FinalityWatch(context).round();
        await ageMissing(service.current);
      }
      await told?.end();
    }
    expect(await open()).toEqual(old);
    await service.current.restart();
    await expect.poll(open, { timeout: 20_000 }).toEqual([]);
  });
});

const BEFORE_0008 = [
  `create table applied_instructions (
    signature text not null, instruction_index int4 not null, slot int8 not null, name text not null,
    applied_at timestamptz(3) not null default now(), primary key (signature, instruction_index))`,
  `insert into applied_instructions select signature, index - 1, slot, name, applied_at
    from ledger_transactions, unnest(instructions) with ordinality as one (name, index) where reverted_at is null`,
  `update meta set value = first.slot || ':' || first.signature
    from (select * from ledger_transactions where position is not null order by position limit 1) as first
    where key = 'watcher_cursor'`,
  `drop table ledger_transactions`,
  `drop index outbox_signatures`,
  `delete from kysely_migration where name >= '0008'`,
];
