import { describe, expect, test } from 'vitest';
import type { Lie } from '../support/lyingNode.js';
import {
  booksOf,
  callersDuring,
  deliverAll,
  packagesUnderWay,
  requireQuietRows,
  requireTrueBooks,
  withScene,
} from './faultsScene.js';

const scenes = withScene();

/** Longer than a blockhash lives. */
const LONG_SEC = 200;
const AWAY = { status: 503, detail: 'no answer from: ledger' };
/** A list of packages, and one of them whose settlement waits. */
const READS = [200, 'in_transit'];
const UNANSWERED = new Set(['ledger_unavailable']);

const OUTAGES: [name: string, lies: Lie[]][] = [
  ['refuses connections', [{ kind: 'refused' }]],
  [
    'answers with errors of every kind',
    [
      { kind: 'http', status: 500 },
      { kind: 'http', status: 429 },
      { kind: 'rpc', code: -32005, message: 'Node is unhealthy' },
      { kind: 'rpc', code: -32603, message: 'Internal error' },
      { kind: 'rpc', code: -32429, message: 'Too many requests' },
    ],
  ],
];

describe('while the ledger', () => {
  test.each(OUTAGES)('%s, reads go on; afterwards everything is done once', async (_, lies) => {
    const scene = scenes.current;
    const packages = await packagesUnderWay(scene);
    const before = await booksOf(scene, packages);
    expect(await scene.readiness()).toMatchObject({ status: 200 });

    let callers: Promise<Set<string>> | undefined;
    for (const lie of lies) {
      await scene.tell(lie);
      callers ??= callersDuring(scene, packages);
      await scene.untilMet(2);
      expect(await scene.readiness()).toEqual(AWAY);
      expect(await scene.reads(packages)).toEqual(READS);
    }
    await scene.node.mend();
    expect(await callers).toEqual(UNANSWERED);
    const markets = await deliverAll(scene, packages);
    expect(await scene.readiness()).toMatchObject({ status: 200 });
    await requireQuietRows(scene);
    await requireTrueBooks(scene, markets, before);
  });

  test('is slow, everything is done once', async () => {
    const scene = scenes.current;
    const packages = await packagesUnderWay(scene);
    const before = await booksOf(scene, packages);
    const slow = await scene.tell({ kind: 'slow', ms: 150 });
    expect(await callersDuring(scene, packages)).toEqual(new Set());
    const markets = await deliverAll(scene, packages);
    expect(slow.hits).toBeGreaterThan(20);
    await scene.node.mend();
    await requireQuietRows(scene);
    await requireTrueBooks(scene, markets, before);
  });
});

describe('a transaction whose answers are lost', () => {
  test.each([
    ['for a moment', 0],
    ['for longer than a blockhash lives', LONG_SEC],
  ])('%s is found on the ledger and not repeated', async (_, seconds) => {
    const scene = scenes.current;
    const packages = await packagesUnderWay(scene);
    const before = await booksOf(scene, packages);
    await scene.tell({ kind: 'unanswered' });
    const callers = callersDuring(scene, packages);
    // Confirmations are the wallets' own: the last one decides a third intent.
    await scene.untilMet(3);
    expect((await scene.openIntents()).map(({ status }) => status)).toEqual(['sent', 'sent', 'sent']);
    await scene.service.advanceTime(seconds);
    await scene.node.mend();
    expect(await callers).toEqual(UNANSWERED);
    const markets = await deliverAll(scene, packages);
    await requireQuietRows(scene);
    await requireTrueBooks(scene, markets, before);
  });
});

describe('a signed transaction that never reached the ledger', () => {
  test('is signed again, once, when the ledger was away for longer than a blockhash lives', async () => {
    const scene = scenes.current;
    const { listing, ...packages } = await packagesUnderWay(scene);
    const before = await booksOf(scene, { listing, ...packages });
    await scene.tell({ kind: 'http', status: 502 }, ['sendTransaction']);
    await scene.untilMet(2);
    const signed = await scene.openIntents();
    expect(signed.map(({ status }) => status)).toEqual(['sent', 'sent']);
    await scene.node.begin({ kind: 'refused' });
    await scene.service.advanceTime(LONG_SEC);
    await scene.node.mend();
    const { client } = listing.shipper;
    const listed = client.submitPackage({
      packageId: listing.signed.packageId,
      transaction: listing.signed.transaction,
    });
    await expect(listed).rejects.toMatchObject({ code: 'transaction_failed' });
    await callersDuring(scene, { ...packages, listing: undefined });
    const markets = await deliverAll(scene, { ...packages, listing: undefined });
    const rows = await scene.service.db
      .selectFrom('outbox')
      .select(['id', 'signature', 'attempts'])
      .where(
        'id',
        'in',
        signed.map(({ id }) => id),
      )
      .orderBy('id')
      .execute();
    for (const [index, row] of rows.entries()) {
      expect(row.signature).not.toBe(signed[index]?.signature);
      // A transaction that came to nothing counts once.
      expect(row.attempts).toBe(1);
    }
    await requireQuietRows(scene);
    await requireTrueBooks(scene, markets, before);
  });
});
