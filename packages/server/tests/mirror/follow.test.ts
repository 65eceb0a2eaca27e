import { getEventListeners } from 'node:events';
import { createLedgerRpc } from '@legwork/program-client/history';
import { createLegworkClient } from '@legwork/sdk';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { AppContext } from '../../src/context.js';
import { readCursor } from '../../src/db/ledgerTransactions.js';
import { HistoryFollower } from '../../src/mirror/follow.js';
import { followHints } from '../../src/mirror/hints.js';
import { startServer } from '../../src/startServer.js';
import { LyingNode } from '../support/lyingNode.js';
import { withService } from '../support/service.js';
import { untilQuiet } from '../support/snapshot.js';
import { eventsOf, untilListed, Wallets } from './walletScene.js';
import { until } from '../support/until.js';

const service = withService();
const wallets = () => new Wallets(service.current);
let context: AppContext;

beforeAll(async () => {
  context = await service.current.context();
});
afterAll(() => context.db.destroy());

describe("the ledger's hints", () => {
  test('come with every transaction of the program, and end when told (S-50)', async () => {
    const ended = new AbortController();
    let hints = 0;
    const following = followHints(context, () => (hints += 1), ended.signal);
    await until('it is connected', async () => hints > 0);
    const shipper = await service.current.party();
    const { instruction } = await wallets().listing(shipper);
    const before = hints;
    await wallets().send(shipper, [instruction]);
    await until('the transaction is heard of', async () => hints > before);
    ended.abort();
    await expect(following).resolves.toBeUndefined();
  });

  test('come again over the next connection, and nothing is kept of the one before (S-50)', async () => {
    const node = await LyingNode.start(service.current.ledger.rpcUrl);
    onTestFinished(() => node.close());
    const ended = new AbortController();
    let connected = 0;
    const config = { ...context.config, rpcSubscriptionsUrl: node.wsUrl };
    const following = followHints({ ...context, config }, () => (connected += 1), ended.signal);
    const listeners: number[] = [];
    for (let connection = 1; connection <= 4; connection += 1) {
      await until('it is connected', async () => connected === connection);
      listeners.push(getEventListeners(ended.signal, 'abort').length);
      // The connection ends with it.
      const told = await node.begin({ kind: 'unhinted' });
      await told.end();
    }
    ended.abort();
    await following;
    expect(listeners.at(-1)).toBe(listeners[0]);
  });

  test('are not needed (S-50)', async () => {
    await service.current.stop();
    const deaf = await startServer({ ...context.config, port: 0, rpcSubscriptionsUrl: 'ws://127.0.0.1:9' });
    const shipper = await service.current.party();
    const byDeaf = createLegworkClient({ url: deaf.url, signer: shipper.signer });
    const { packageId, instruction } = await wallets().listing({ ...shipper, client: byDeaf });
    await wallets().send(shipper, [instruction]);
    await untilListed(service.current, packageId);
    await deaf.close();
    await service.current.restart();
    await untilQuiet(service.current);
    expect(await eventsOf(service.current, packageId)).toEqual(['PACKAGE_LISTED']);
  });
});

describe('a node that has pruned the newest final transaction', () => {
  test('still gives places to what comes after it, and the log says so once (S-51)', async () => {
    await untilQuiet(service.current);
    const cursor = await readCursor(context.db);
    if (!cursor) throw new Error('something was mirrored');
    const shipper = await service.current.party();
    const { packageId, instruction } = await wallets().listing(shipper);
    await service.current.stop();
    await service.current.advanceTime(20);
    const signature = await wallets().send(shipper, [instruction]);
    const node = await LyingNode.start(service.current.ledger.rpcUrl);
    onTestFinished(() => node.close());
    await node.begin({ kind: 'pruned', below: Number(cursor.slot) + 1 });
    const told: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => told.push(line) });
    const ledger = { ...context.ledger, rpc: createLedgerRpc(node.url) };
    const follower = new HistoryFollower({ ...context, log, ledger }, new AbortController().signal);
    await follower.catchUp(Date.now());
    const row = context.db.selectFrom('ledger_transactions').select('position').where('signature', '=', signature);
    expect(await row.executeTakeFirstOrThrow()).toEqual({ position: expect.any(BigInt) });
    expect(await readCursor(context.db)).toMatchObject({ signature });
    expect(told).toHaveLength(1);
    await service.current.restart();
    await untilListed(service.current, packageId);
  });
});
