import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openTransactions } from '../../src/db/finality.js';
import { placeFinal } from '../../src/db/ledgerTransactions.js';
import type { TestLedger } from '../support/ledger.js';
import type { Lie } from '../support/lyingNode.js';
import { FinalityScene, type RowChanges } from './finalityScene.js';

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

  test('is sent again in the order in which it was applied, in one slot too (S-105)', async () => {
    const listing = await scene.listing();
    const { slot } = await scene.sign(listing);
    const several = [await scene.sign(listing), await scene.sign(listing), await scene.sign(listing)];
    // The other way round than their signatures.
    const applied = several.toSorted((one, other) => (one.signature < other.signature ? 1 : -1));
    for (const lost of applied) {
      await scene.applied({ ...lost, slot }, listing, { kept: 'ours' });
      // The order is that of instants, which are kept to the millisecond.
      await sleep(2);
    }
    const sends = await counting(['sendTransaction']);
    await scene.look();
    expect(sends.met.map(({ params }) => params[0])).toEqual(applied.map(({ base64 }) => base64));
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

/** The signatures that are looked for in the node's whole history, each time, and how many requests for statuses there are. */
async function searches() {
  const { met } = await counting(['getSignatureStatuses']);
  return {
    requests: () => met.length,
    searched: () =>
      met.flatMap(({ params: [signatures, how] }) =>
        (how as { searchTransactionHistory: boolean }).searchTransactionHistory ? [signatures] : [],
      ),
  };
}

describe('the history of a node', () => {
  test('is searched only for what the node does not remember (S-114)', async () => {
    const listing = await scene.listing();
    const [known, lost] = [await scene.sign(listing), await scene.sign(listing)];
    await scene.send(known);
    await scene.applied(known, listing);
    const { requests, searched } = await searches();
    const watch = scene.watch();
    await watch.round();
    // Who does not lead looks again after half a minute.
    await watch.round();
    expect([requests(), searched()]).toEqual([1, []]);
    expect(await scene.context.lead.take()).toBe(true);
    await watch.round();
    expect([requests(), searched()]).toEqual([2, []]);
    await scene.applied(lost, listing);
    await watch.round();
    expect([requests(), searched()]).toEqual([4, [[lost.signature]]]);
    // A transaction that it remembers no more, it knows all the same.
    await scene.pass(10_000);
    await watch.round();
    expect(searched().at(-1)).toContain(known.signature);
    expect(await scene.row(known)).toMatchObject({ missing_since: null });
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
      ['form_swarm', 'assign_leg'].map((instruction) => ({
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

  test('has no place when the follower passes it as one that failed (S-106)', async () => {
    const listing = await scene.listing();
    const [failed, other] = [await scene.sign(listing), await scene.sign(listing)];
    for (const each of [failed, other]) await scene.applied(each, listing);
    const passed = [
      { ...failed, failed: true },
      { ...other, failed: false },
    ];
    await scene.db.transaction().execute((trx) => placeFinal(trx, undefined, passed));
    expect([(await scene.row(failed)).position, (await scene.row(other)).position]).toEqual([null, 1n]);
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
    'is only unknown while the node does not answer %s (S-109)',
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

describe('one address with several nodes behind it', () => {
  let other: TestLedger;
  beforeAll(async () => {
    other = await scene.fork();
  });
  afterAll(() => other.close());
  const ask = (...methods: string[]) => scene.node.begin({ kind: 'forked', rpcUrl: other.ledger.rpcUrl }, methods);

  test('of which one lags far behind takes nothing back, and nothing is missing to it (S-109)', async () => {
    const listing = await scene.listing();
    const there = await scene.sign(listing);
    await scene.send(there);
    await scene.pass(400);
    await scene.applied(there, listing);
    await ask('getSignatureStatuses');
    await scene.look();
    expect(await scene.row(there)).toMatchObject({ missing_since: null, reverted_at: null });
    await scene.node.mend();
    const lost = await scene.vanished();
    await ask('getSignaturesForAddress');
    await scene.look();
    expect(await scene.isReverted(lost)).toBe(false);
  });

  test('of which one has a hole takes nothing back that another one lists (S-106, S-109)', async () => {
    const listing = await scene.listing();
    const there = await scene.sign(listing);
    await scene.send(there);
    await scene.pass(400);
    await scene.pass(10_000, other);
    await scene.applied(there, listing, { missingSec: 100 });
    await ask('getSignatureStatuses');
    await scene.look();
    expect(await scene.row(there)).toMatchObject({ missing_since: null, reverted_at: null });
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
