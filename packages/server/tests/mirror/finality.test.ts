import { createUuid, toLamports } from '@legwork/protocol/contract';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { dueClaims, dueReservations } from '../../src/db/digitalLegs.js';
import { openTransactions } from '../../src/db/finality.js';
import { readCursor } from '../../src/db/ledgerTransactions.js';
import { leaseNext } from '../../src/db/outbox.js';
import { dueForEvaluation } from '../../src/db/packages.js';
import { dueExits } from '../../src/db/sponsorships.js';
import {
  assignedTo,
  claimedBy,
  COMPLETED,
  insertTasks,
  legRow,
  newAddress,
  taskRow,
} from '../operations/digitalTasks/rows.js';
import type { Lie } from '../support/lyingNode.js';
import { insertPackages, packageRow } from '../support/packageRows.js';
import { FinalityScene, type RowChanges, type Signed } from './finalityScene.js';

let scene: FinalityScene;

beforeAll(async () => {
  scene = await FinalityScene.start();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

/** Counts the requests that the node gets from now on. */
const counting = (methods?: readonly string[]) => scene.node.begin({ kind: 'slow', ms: 0 }, methods);

describe('what goes missing while its blockhash lives', () => {
  test.each(['ours', 'wallets'] as const)('is sent again, the same bytes (%s) (S-105)', async (kept) => {
    const listing = await scene.listing();
    const lost = await scene.sign(listing);
    await scene.applied(lost, listing, { kept });
    await scene.look();
    expect(await scene.slotOf(lost)).toBeDefined();
    // A sign of life ends the doubt; its place comes from the follower.
    await scene.db
      .updateTable('ledger_transactions')
      .set({ missing_since: sql<Date>`now() - interval '1 hour'` })
      .where('signature', '=', lost.signature)
      .execute();
    await scene.pass(400);
    await scene.look();
    expect(await scene.row(lost)).toMatchObject({ missing_since: null, reverted_at: null, position: null });
  });

  test('is not sent once it can no longer land, nor when the ledger shows it (S-105)', async () => {
    const listing = await scene.listing();
    const [late, there, stranger] = [await scene.sign(listing), await scene.sign(listing), await scene.sign(listing)];
    await scene.pass(400);
    const now = await scene.sign(listing);
    await scene.send(now);
    await scene.applied(late, listing, { kept: 'ours' });
    await scene.applied(there, listing, { kept: 'wallets' });
    await scene.applied(now, listing, { kept: 'ours' });
    await scene.applied(stranger, listing);
    const sends = await counting(['sendTransaction']);
    await scene.look();
    expect(sends.hits).toBe(0);
  });

  test('is asked for only while something is not final (S-105)', async () => {
    const requests = await counting();
    const watch = scene.watch();
    await watch.round();
    expect(requests.hits).toBe(0);
    const final = await scene.sign(await scene.listing());
    await scene.send(final);
    await scene.putCursor(final);
    await scene.look();
    expect(requests.hits).toBe(1);
    await watch.round();
    expect(requests.hits).toBe(1);
  });
});

describe('a transaction that vanished', () => {
  test('is taken back on all the evidence, once among all replicas, and told (S-106, S-107)', async () => {
    const lost = await scene.vanished();
    const before = await total();
    await Promise.all([scene.look(), scene.look(), scene.look()]);
    expect(await scene.isReverted(lost)).toBe(true);
    const packageId = lost.listing.id;
    expect(await scene.eventsOf(lost.listing)).toEqual(
      ['formSwarm', 'assignLeg'].map((instruction) => ({
        type: 'LEDGER_REVERTED',
        payload: { packageId, instruction, signature: lost.signature },
      })),
    );
    expect((await total()) - before).toBe(1);
    expect(
      scene.logged.filter(({ level, msg }) => level === 50 && msg.includes('took a transaction back')),
    ).toHaveLength(1);
  });

  const total = async () => (await scene.context.metrics.revertedTransactions.get()).values[0]?.value ?? 0;

  test('is taken back also when nobody listed it here: the history of the program decides (S-106)', async () => {
    const lost = await scene.vanished({ subjects: [] });
    await scene.look();
    expect(await scene.isReverted(lost)).toBe(true);
    expect(await scene.eventsOf(lost.listing)).toEqual([]);
  });

  test('is taken back at once when what is final is that it failed (S-106)', async () => {
    const listing = await scene.listing();
    const failed = await scene.sign(listing, { failing: true });
    await scene.send(failed);
    await scene.applied(failed, listing);
    await scene.look();
    expect(await scene.isReverted(failed)).toBe(false);
    await scene.pass(40);
    await scene.look();
    expect(await scene.isReverted(failed)).toBe(true);
  });

  test('is first missing, and 30 seconds later taken back (S-106)', async () => {
    const lost = await scene.vanished({ missingSec: undefined });
    await scene.look();
    const first = await scene.row(lost);
    expect(first).toMatchObject({ reverted_at: null });
    expect(first.missing_since).not.toBeNull();
    await scene.look();
    expect(await scene.row(lost)).toEqual(first);
  });

  const lacking: [why: string, changes: RowChanges & { slots?: number }][] = [
    ['so near the finalized slot that the node need not know it', { kept: 'ours', later: 360n }],
    ['with a blockhash of ours that lived in the finalized block', { slots: 165, kept: 'ours' }],
    ["with somebody else's blockhash that may have lived in the finalized block", { slots: 310, kept: 'wallets' }],
    ['from before bytes were kept, while it may have landed until the finalized block', { slots: 310 }],
    ['missing for less than 30 seconds', { missingSec: 20 }],
  ];
  test.each(lacking)('is only unknown: %s (S-106)', async (_, changes) => {
    const lost = await scene.vanished(changes);
    await scene.look();
    expect(await scene.isReverted(lost)).toBe(false);
  });

  test('is only unknown to a node whose history begins later (S-109)', async () => {
    const lost = await scene.vanished({ missingSec: undefined });
    await scene.node.begin({ kind: 'pruned', below: Number(lost.slot) + 1 });
    await scene.look();
    expect(await scene.row(lost)).toMatchObject({ missing_since: null, reverted_at: null });
  });

  test('is only unknown to a node behind what was final here, which is told once (S-108, S-109)', async () => {
    const lost = await scene.vanished();
    const ahead = await scene.rpc.getSlot({ commitment: 'finalized' }).send();
    await scene.putCursor({ ...lost, slot: ahead + 5_000n });
    const watch = scene.watch();
    await watch.round();
    await watch.round();
    expect(await scene.isReverted(lost)).toBe(false);
    expect(scene.logged.filter(({ msg }) => msg.includes('is behind'))).toHaveLength(1);
    const [behind] = (await scene.context.metrics.ledgerSlotsBehind.get()).values;
    expect(behind?.value).toBeGreaterThan(4_000);
  });

  test.each(['getSignatureStatuses', 'getSlot', 'getBlockHeight', 'getFirstAvailableBlock', 'getSignaturesForAddress'])(
    'is only unknown while the node does not answer %s, and a lie about it decides nothing alone (S-109)',
    async (method) => {
      const outages: Lie[] = [
        { kind: 'rpc', code: -32_005, message: 'Node is behind' },
        { kind: 'rpc', code: -32_011, message: 'Transaction history is not available from this node' },
        { kind: 'http', status: 502 },
      ];
      const lost = await scene.vanished();
      for (const outage of outages) {
        const lie = await scene.node.begin(outage, [method]);
        await scene.look().catch(() => undefined);
        expect(lie.hits).toBeGreaterThan(0);
        expect(await scene.isReverted(lost)).toBe(false);
        await lie.end();
      }
      await scene.look();
      expect(await scene.isReverted(lost)).toBe(true);
    },
  );
});

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
    // What is older than what stands was final before, and holes are no evidence.
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
    const all = [await placed(1n, true), await placed(2n, true)];
    await scene.pass(100);
    await scene.putCursor(all[1] as Signed);
    await scene.look();
    expect(await positions(...all)).toEqual([null, null]);
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

describe('a listing', () => {
  /** A package to evaluate, a task with an agent whose time is up and one whose turn has come, both over and sponsored. */
  async function due() {
    const { db } = scene;
    const [parcel, over] = [
      packageRow({ evaluate_at: new Date(0) }),
      packageRow({ ...COMPLETED, status: 'delivered' }),
    ];
    await insertPackages(db, [parcel, over]);
    const [task, ended] = [taskRow({ status: 'in_progress', num_legs: 2 }), taskRow(COMPLETED)];
    await insertTasks(
      db,
      [task, ended],
      [
        legRow(task.id, 0, { ...assignedTo(newAddress()), due_at: new Date(0) }),
        legRow(task.id, 1, { ...claimedBy(newAddress()), turn_at: new Date(0) }),
      ],
    );
    for (const subject_id of [over.id, ended.id]) {
      const lamports = toLamports(1n);
      const sponsorship = { subject_id, lamports, poster_pubkey: newAddress(), signed: false, ip: '::1' };
      await db.insertInto('sponsorships').values(sponsorship).execute();
    }
    const subjects = [`package:${parcel.id}`, `package:${over.id}`, `task:${task.id}`, `task:${ended.id}`];
    for (const subject of subjects) {
      await db
        .insertInto('outbox')
        .values({
          kind: 'settle',
          subject,
          unique_key: createUuid(),
          payload: JSON.stringify({ swarmId: createUuid() }),
        })
        .execute();
    }
    return { parcel: parcel.id, over: over.id, task: task.id, ended: ended.id, subjects };
  }

  /** What is due now, by what it is about. */
  async function decided() {
    const { db } = scene;
    const exits = await dueExits(db, { ledgerTime: new Date(), limit: 9 });
    return {
      evaluated: (await dueForEvaluation(db, { except: [], limit: 9 })).sort(),
      released: (await dueClaims(db, 9)).map(({ task_id: id }) => id).sort(),
      assigned: (await dueReservations(db, 9)).map(({ task_id: id }) => id).sort(),
      closed: exits.map(({ id }) => id).sort(),
    };
  }
  async function leased(): Promise<string[]> {
    const subjects: string[] = [];
    for (let intent; (intent = await leaseNext(scene.db, 60)); ) subjects.push(intent.subject);
    await scene.db.updateTable('outbox').set({ lease_token: null, leased_until: null }).execute();
    return subjects;
  }
  async function aboutAll(subjects: string[], state: 'reverted_at' | 'missing_since') {
    const { signature, slot } = await scene.sign(await scene.listing());
    const row = { signature, slot, subjects: ['package:another', ...subjects], [state]: new Date() };
    await scene.db.insertInto('ledger_transactions').values(row).execute();
  }

  test('of which a transaction is taken back halts, and no other (S-107)', async () => {
    const [halted, going] = [await due(), await due()];
    const all = { evaluated: [halted.parcel, going.parcel], released: [halted.task, going.task] };
    expect(await decided()).toMatchObject(all);
    expect(await leased()).toEqual([...halted.subjects, ...going.subjects]);
    await aboutAll(halted.subjects, 'reverted_at');
    expect(await decided()).toEqual({
      evaluated: [going.parcel],
      released: [going.task],
      assigned: [going.task],
      closed: [going.over, going.ended].sort(),
    });
    expect(await leased()).toEqual(going.subjects);
    await scene.db.deleteFrom('ledger_transactions').execute();
    expect(await decided()).toMatchObject(all);
  });

  test('of which a transaction is missing is decided about, and nothing is signed for it (S-107)', async () => {
    const [doubted, going] = [await due(), await due()];
    await aboutAll(doubted.subjects, 'missing_since');
    expect(await decided()).toMatchObject({ evaluated: [doubted.parcel, going.parcel] });
    expect(await leased()).toEqual(going.subjects);
  });
});

describe('rows that somebody wrote into the database', () => {
  test('hold up no others (S-109)', async () => {
    const lost = await scene.vanished();
    for (const [signature, subjects] of [
      ['not a signature', [lost.listing.subject]],
      [(await scene.sign(lost.listing)).signature, ['package:none']],
      [(await scene.sign(lost.listing)).signature, ['nothing']],
    ] as const) {
      const row = { signature, subjects: [...subjects], slot: 0n, missing_since: sql<Date>`now() - interval '1 hour'` };
      await scene.db.insertInto('ledger_transactions').values(row).execute();
    }
    await scene.look();
    expect(await scene.isReverted(lost)).toBe(true);
    expect(await openTransactions(scene.context.db, { reverted: false, after: undefined, limit: 9 })).toHaveLength(3);
  });
});
