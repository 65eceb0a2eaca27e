import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AppContext } from '../../src/context.js';
import { evaluatePackage } from '../../src/coordinator/evaluatePackage.js';
import type { LeasedIntent } from '../../src/db/outbox.js';
import { packageSubject } from '../../src/db/listings.js';
import { deliverIntent } from '../../src/outbox/deliverIntent.js';
import { gatheringPackage } from '../operations/bids/scene.js';
import { hold, letGo } from '../support/holdIntents.js';
import { bidInput, untilPackage } from '../support/market.js';
import { withService } from '../support/service.js';

const service = withService();
let context: AppContext;
let given: LeasedIntent[];
let hasRoom: boolean;

beforeAll(async () => {
  context = await service.current.context();
  context.handOff.to({ hasRoom: () => hasRoom, carry: (intent) => given.push(intent) });
});
afterAll(() => context.db.destroy());
beforeEach(() => {
  given = [];
  hasRoom = true;
});

/** A package with a bid whose evaluation is not due yet: the service leaves it to the test. */
async function contest(): Promise<string> {
  const { id } = await gatheringPackage(service.current);
  const courier = await service.current.party(1);
  await courier.client.submitBid(bidInput(courier, id, 'zoo', 'ostkreuz', 0.1));
  return id;
}

const isFormed = ({ status }: { status: string }) => status === 'in_transit';

async function leaseOf(packageId: string) {
  const intents = service.current.db.selectFrom('outbox').selectAll().where('kind', '=', 'form_swarm');
  return intents.where('subject', '=', packageSubject(packageId)).executeTakeFirstOrThrow();
}

test('what is decided goes to the carrier at once, held for it, and lands', async () => {
  const id = await contest();
  expect(await evaluatePackage(context, context.db, id)).toBe('formed');
  const [intent] = given;
  if (!intent) throw new Error('nothing was handed over');
  const { decision, ...row } = intent;
  expect(row).toEqual(await leaseOf(id));
  expect(row.leased_until?.getTime()).toBeGreaterThan(row.created_at.getTime());
  expect(decision?.unique_key).toBe(row.unique_key);
  await deliverIntent(context, intent, new AbortController().signal);
  await untilPackage(service.current, id, isFormed);
});

test('behind an earlier intent of its package it waits like any other', async () => {
  const id = await contest();
  await hold(context, id);
  expect(await evaluatePackage(context, context.db, id)).toBe('formed');
  expect([given, (await leaseOf(id)).lease_token]).toEqual([[], null]);
  await letGo(context, id);
  await untilPackage(service.current, id, isFormed);
});

test('a carrier without room is given nothing: whichever outbox has room finds it', async () => {
  hasRoom = false;
  const id = await contest();
  expect(await evaluatePackage(context, context.db, id)).toBe('formed');
  expect(given).toEqual([]);
  await untilPackage(service.current, id, isFormed);
});

test('where the carrier dies with it, another one takes it over when its lease is over', async () => {
  const id = await contest();
  expect(await evaluatePackage(context, context.db, id)).toBe('formed');
  expect(given).toHaveLength(1);
  const over = { leased_until: new Date() };
  await service.current.db.updateTable('outbox').set(over).where('subject', '=', packageSubject(id)).execute();
  await untilPackage(service.current, id, isFormed);
});

test('of a package in doubt nothing is handed over (S-107)', async () => {
  const id = await contest();
  const doubted = { signature: `doubted:${id}`, slot: 1n, subjects: [packageSubject(id)], missing_since: new Date() };
  await service.current.db.insertInto('ledger_transactions').values(doubted).execute();
  expect(await evaluatePackage(context, context.db, id)).toBe('formed');
  expect(given).toEqual([]);
});
