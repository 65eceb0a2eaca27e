import { getBase58Decoder } from '@solana/kit';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AppContext } from '../../src/context.js';
import { readCursor } from '../../src/db/ledgerTransactions.js';
import { FinalityWatch } from '../../src/mirror/finality.js';
import { HistoryFollower } from '../../src/mirror/follow.js';
import { lamportsOf } from '../coordinator/scene.js';
import { claim, goal, handIn, runOut, untilTask } from '../operations/digitalTasks/scene.js';
import { bidInput, confirmAll, draft, formedPackage, untilPackage } from '../support/market.js';
import { type Party, withService } from '../support/service.js';
import { refusalOf } from '../support/sdkRefusal.js';
import { untilQuiet } from '../support/snapshot.js';
import { eventRowsOf, eventsOf } from './walletScene.js';
import { auditOf, linesOf } from '../audit/scene.js';
import { ageMissing, ageReverted, applied, countOf, deliver } from './finalityScene.js';
import { listDigitalTask, listPackage } from '../support/listed.js';
import { until } from '../support/until.js';

const SLOW = 180_000;
/** Long enough for every blockhash to have expired in a final block. */
const EXPIRED_SEC = 200;

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

  test('what vanished halts and is told, nothing is paid twice, and everything else goes on; then it is healed, and goes on from there (S-107, S-108, S-257)', {
    timeout: SLOW,
  }, async () => {
    const { db, testLedger } = service.current;
    const [shipper, courier, newcomer, agent, slow] = [
      await service.current.party(5),
      await service.current.party(1),
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
    const gone = await listPackage(shipper.client, shipper.signer, draft());
    await carryBy(newcomer, shipper, gone.id);
    await claim(agent, done, 0);
    await handIn(agent, done, 0);
    await claim(slow, open, 0);
    await untilTask(service.current, open.id, ({ legs }) => legs[0]?.status === 'in_progress');
    await untilQuiet(service.current);
    const reputation = ({ pubkey }: Party = courier) =>
      db.selectFrom('reputations').select('legs_completed').where('agent_pubkey', '=', pubkey).executeTakeFirst();
    expect(await reputation()).toEqual({ legs_completed: 2n });
    expect(await reputation(newcomer)).toEqual({ legs_completed: 1n });

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

    // A while later they stand as the ledger has them, and go on from there.
    await ageReverted(service.current);
    await look();
    await untilQuiet(service.current);
    const healed = async (id: string) =>
      (await eventRowsOf(service.current, id)).find(({ type }) => type === 'LEDGER_HEALED')?.payload;
    expect(await healed(lost.id)).toMatchObject({
      changes: [
        { legIndex: null, was: 'delivered', is: 'listed' },
        { was: 'completed', is: 'none' },
      ],
    });
    expect(await healed(done.id)).toMatchObject({
      changes: [
        { was: 'in_progress', is: 'listed' },
        { legIndex: 0, was: 'completed', is: 'pending' },
      ],
    });
    expect(await healed(open.id)).toMatchObject({
      changes: [
        { was: 'in_progress', is: 'listed' },
        { was: 'in_progress', is: 'pending' },
      ],
    });
    // Of its listing the ledger knows nothing any more, nor of an account of its courier, who is new again.
    expect(await healed(gone.id)).toMatchObject({ changes: [{ was: 'delivered', is: 'draft' }, { is: 'none' }] });
    expect(await reputation(newcomer)).toBeUndefined();
    // Its bid is still there.
    const again = await untilPackage(service.current, lost.id, ({ status }) => status === 'in_transit');
    await confirmAll(service.current, { shipper, couriers: [courier], parcel: again });
    await untilPackage(service.current, lost.id, ({ status }) => status === 'delivered');
    await untilTask(service.current, done.id, ({ legs }) => legs[0]?.status === 'completed');
    await untilTask(service.current, open.id, ({ legs }) => legs[0]?.status === 'in_progress');
    await untilQuiet(service.current);
    expect(await reputation()).toEqual({ legs_completed: 2n });
    expect(linesOf((await auditOf(service.current)).differences)).toEqual([]);
  });
});

describe('a node that', () => {
  const service = withService();
  let context: AppContext;
  beforeAll(async () => {
    context = await service.current.context();
    await deliver(service.current);
    await untilQuiet(service.current);
  });
  afterAll(() => context.db.destroy());

  /** Makes this the newest final transaction, until it is put back. */
  async function putCursor(value: string): Promise<() => Promise<void>> {
    const put = (text: string) => sql`update meta set value = ${text} where key = 'watcher_cursor'`.execute(context.db);
    const { slot, signature } = (await readCursor(context.db)) ?? { slot: 0n, signature: '' };
    await put(value);
    return async () => void (await put(`${slot}:${signature}`));
  }
  const newestSlot = () => service.current.rpc.getSlot({ commitment: 'finalized' }).send();

  test('is behind what was final gets nothing signed, and then everything (S-108)', { timeout: SLOW }, async () => {
    const [shipper, courier] = [await service.current.party(), await service.current.party(1)];
    const { id } = await listPackage(shipper.client, shipper.signer, draft());
    // The place of the listing would move the cursor back.
    await untilQuiet(service.current);
    const { signature } = (await readCursor(context.db)) ?? { signature: '' };
    const putBack = await putCursor(`${(await newestSlot()) + 10_000n}:${signature}`);
    await courier.client.submitBid(bidInput(courier, id, 'zoo', 'ostkreuz', 0.1));
    const intent = () =>
      context.db.selectFrom('outbox').selectAll().where('subject', '=', `package:${id}`).executeTakeFirst();
    await until('the node was asked', async () => (await intent())?.last_error?.includes('did not answer'));
    expect(await intent()).toMatchObject({ status: 'pending', attempts: 0, signature: null });
    await putBack();
    await untilPackage(service.current, id, ({ status }) => status === 'in_transit');
  });

  test('does not know the newest final transaction places nothing behind it until that is settled (S-108)', {
    timeout: SLOW,
  }, async () => {
    const unknown = getBase58Decoder().decode(crypto.getRandomValues(new Uint8Array(64)));
    await untilQuiet(service.current);
    await putCursor(`${await newestSlot()}:${unknown}`);
    const { parcel } = await formedPackage(service.current, [['zoo', 'ostkreuz', 0.1]]);
    await new HistoryFollower(context, new AbortController().signal).catchUp(Date.now());
    expect(await applied(service.current, `package:${parcel.id}`)).toEqual([
      { name: 'listPackage', state: 'confirmed' },
      { name: 'formSwarm', state: 'confirmed' },
    ]);
    expect(await readCursor(context.db)).toMatchObject({ signature: unknown });
    await until('it is settled', async () => {
      await new FinalityWatch(context).round();
      return (await readCursor(context.db))?.signature !== unknown;
    });
    await untilQuiet(service.current);
    expect((await applied(service.current, `package:${parcel.id}`)).map(({ state }) => state)).toEqual([
      'final',
      'final',
    ]);
  });
});
