import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { readCursor } from '../../src/db/ledgerTransactions.js';
import { takeFinalSlots } from '../../src/mirror/finalSlots.js';
import type { Lie } from '../support/lyingNode.js';
import { FinalityScene, type Signed } from './finalityScene.js';

let scene: FinalityScene;

beforeAll(async () => {
  scene = await FinalityScene.start();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

describe('what is final and has no place', () => {
  test('gets one after all others once the follower has passed it: its node did not list it (S-109)', async () => {
    const listing = await scene.listing();
    const [placed, holed, newer] = [await scene.sign(listing), await scene.sign(listing), await scene.sign(listing)];
    for (const each of [placed, holed, newer]) await scene.send(each);
    await scene.pass(100);
    await scene.applied(placed, listing);
    await scene.applied(holed, listing, { missingSec: 100 });
    await scene.db
      .updateTable('ledger_transactions')
      .set({ position: 7n })
      .where('signature', '=', placed.signature)
      .execute();
    // As long as the cursor is not behind it, the follower may still list it.
    await scene.putCursor(placed);
    await scene.look();
    expect(await scene.row(holed)).toMatchObject({ position: null, missing_since: null });
    await scene.pass(10);
    const last = await scene.sign(listing);
    await scene.send(last);
    await scene.pass(100);
    await scene.putCursor({ ...last, slot: (await scene.slotOf(last)) ?? 0n });
    await scene.look();
    expect(await scene.row(holed)).toMatchObject({ position: 8n, slot: await scene.slotOf(holed), bytes: null });
  });

  test('in a slot whose block the node has pruned keeps its instants, and holds up nothing (S-115)', async () => {
    const listing = await scene.listing();
    const moved = await scene.sign(listing);
    await scene.applied(moved, listing);
    await scene.node.begin({ kind: 'rpc', code: -32_001, message: 'Block 9 cleaned up, does not exist on node' });
    await takeFinalSlots(scene.context, [{ ...moved, slot: moved.slot + 1n }]);
    expect(scene.logged.map(({ msg }) => msg)).toContain('this node does not show when a transaction became final');
    expect(await scene.row(moved)).toMatchObject({ slot: moved.slot, position: null });
  });

  test('in a slot whose block has a time that is none waits for a better answer (S-101)', async () => {
    const listing = await scene.listing();
    const moved = await scene.sign(listing);
    await scene.applied(moved, listing);
    await scene.node.begin({ kind: 'says', result: 'soon' });
    const taking = takeFinalSlots(scene.context, [{ ...moved, slot: moved.slot + 1n }]);
    await expect(taking).rejects.toMatchObject({ code: 'ledger_unavailable' });
  });

  test('was taken back in error: its listing goes on (S-107)', async () => {
    const listing = await scene.listing();
    const back = await scene.sign(listing);
    await scene.send(back);
    await scene.applied(back, listing);
    await scene.db.updateTable('ledger_transactions').set({ reverted_at: new Date() }).execute();
    await scene.pass(100);
    const last = await scene.sign(listing);
    await scene.send(last);
    await scene.putCursor({ ...last, slot: (await scene.slotOf(last)) ?? 0n });
    await scene.look();
    expect(await scene.row(back)).toMatchObject({ position: 1n, reverted_at: null });
  });
});

describe('a ledger that is put back to an earlier state', () => {
  /** A placed transaction; one that vanished was never on the ledger. */
  async function placed(position: bigint, vanished: boolean): Promise<Signed> {
    const listing = await scene.listing();
    const transaction = await scene.sign(listing);
    if (!vanished) await scene.send(transaction);
    await scene.applied(transaction, listing);
    await scene.db
      .updateTable('ledger_transactions')
      .set({ position })
      .where('signature', '=', transaction.signature)
      .execute();
    return transaction;
  }
  const positions = async (...all: Signed[]) => Promise.all(all.map(async (each) => (await scene.row(each)).position));

  test('takes the places of what vanished, from the newest to the first that it knows, and tells (S-108)', async () => {
    const [oldest, standing] = [await placed(1n, true), await placed(2n, false)];
    const [lost, newest] = [await placed(3n, true), await placed(4n, true)];
    await scene.pass(100);
    await scene.putCursor(newest);
    await scene.look();
    // A transaction older than the standing one was final before, and holes are no evidence.
    expect(await positions(oldest, standing, lost, newest)).toEqual([1n, 2n, null, null]);
    expect((await scene.row(newest)).missing_since).not.toBeNull();
    expect(await readCursor(scene.context.db)).toMatchObject({ signature: standing.signature });
    expect(scene.logged.filter(({ level, msg }) => level === 50 && msg.includes('no longer knows'))).toHaveLength(1);
    await scene.pass(400);
    await scene.db
      .updateTable('ledger_transactions')
      .set({ missing_since: sql<Date>`now() - interval '31 seconds'` })
      .where('missing_since', 'is not', null)
      .execute();
    await scene.look();
    expect(await Promise.all([oldest, standing, lost, newest].map((each) => scene.isReverted(each)))).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });

  test('to its beginning leaves no place and no cursor (S-108)', async () => {
    const [older, newest] = [await placed(1n, true), await placed(2n, true)];
    await scene.pass(100);
    await scene.putCursor(newest);
    await scene.look();
    expect(await positions(older, newest)).toEqual([null, null]);
    expect(await readCursor(scene.context.db)).toBeUndefined();
  });

  test('keeps the places of what is older than the history that the node has (S-109)', async () => {
    const older = await placed(1n, true);
    await scene.pass(10);
    const newer = await placed(2n, true);
    await scene.pass(100);
    await scene.putCursor(newer);
    await scene.node.begin({ kind: 'pruned', below: Number(newer.slot) });
    await scene.look();
    expect(await positions(older, newer)).toEqual([1n, null]);
  });

  test('is another thing than a node that cannot know what was final (S-108, S-109)', async () => {
    const newest = await placed(1n, true);
    await scene.putCursor(newest);
    const lies: Lie[] = [{ kind: 'pruned', below: Number(newest.slot) + 1 }, { kind: 'refused' }];
    // The node's finalized slot is not there yet.
    await scene.look();
    await scene.pass(100);
    for (const lie of lies) {
      const told = await scene.node.begin(lie);
      await scene.look();
      await told.end();
    }
    expect(await positions(newest)).toEqual([1n]);
    expect(scene.logged.filter(({ msg }) => msg.includes('no longer knows'))).toEqual([]);
  });
});
