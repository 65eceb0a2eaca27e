import { cancelPackage, ledgerRpc } from '@legwork/sdk';
import { type Kysely, sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../src/config.js';
import type { AppContext } from '../../src/context.js';
import { createContext } from '../../src/createContext.js';
import { up } from '../../src/db/migrations/0008_ledger_transactions.js';
import { FinalityWatch } from '../../src/mirror/finality.js';
import { formedWithTerms } from '../operations/turns/scene.js';
import { postedTask } from '../operations/digitalTasks/scene.js';
import { bidInput, confirmAll, draft, formedPackage, untilPackage } from '../support/market.js';
import { withService } from '../support/service.js';
import { refusalOf } from '../support/sdkRefusal.js';
import { untilQuiet } from '../support/snapshot.js';
import { eventsOf } from './walletScene.js';
import { ageMissing, applied, countOf, deliver } from './finalityScene.js';
import { listPackage } from '../support/listed.js';
import { until } from '../support/until.js';

const SLOW = 180_000;
/** Long enough for every blockhash to have expired in a final block. */
const EXPIRED_SEC = 200;

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

  test('what has just ended is not taken for closed while a node is behind, nor its rent told as returned (S-24)', async () => {
    const { node, ledger } = service.current;
    const { client, signer } = await service.current.party();
    const { id } = await listPackage(client, signer, draft());
    await cancelPackage(client, ledgerRpc(ledger.rpcUrl), signer, id);
    const behind = await node.begin({ kind: 'behind' }, ['getAccountInfo', 'getMultipleAccounts']);
    expect(await refusalOf(client.buildCloseTx({ packageId: id }))).toMatchObject({ code: 'ledger_unavailable' });
    await behind.end();
    expect(await client.buildCloseTx({ packageId: id })).toMatchObject({ signerPubkey: signer.address });
  });

  test('nor is what has just been formed taken for listed, to be cancelled, which the ledger would refuse (S-24)', async () => {
    const { node } = service.current;
    const { parcel, shipper } = await formedWithTerms(service.current, [['zoo', 'ostkreuz', 0.1]]);
    const { id: packageId } = parcel;
    const behind = await node.begin({ kind: 'behind' }, ['getAccountInfo', 'getMultipleAccounts']);
    expect(await refusalOf(shipper.client.buildReclaimTx({ packageId }))).toMatchObject({ code: 'ledger_unavailable' });
    await behind.end();
    expect(await shipper.client.buildReclaimTx({ packageId })).toMatchObject({ signerPubkey: shipper.pubkey });
  });

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
    await expect
      .poll(async () => (await eventsOf(service.current, id)).slice(-2))
      .toEqual(['LEDGER_REVERTED', 'LEDGER_REVERTED']);
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
    await expect.poll(() => outage.hits).toBeGreaterThan(10);
    await outage.end();
    await expect.poll(states).toEqual(['final', 'final']);
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
    await up(db as unknown as Kysely<unknown>);
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
    await expect.poll(open).toEqual([]);
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
];
