import { createLegworkClient, papersOf } from '@legwork/sdk';
import { expect, onTestFinished, test } from 'vitest';
import { readMeta, UNSEEN } from '../../src/db/migrate.js';
import { readAttention } from '../../src/operator/attention.js';
import { auditOf, linesOf, listWithoutService } from '../audit/scene.js';
import { claim, handIn, postedTask, refused, untilTask } from '../operations/digitalTasks/scene.js';
import { listPackage } from '../support/listed.js';
import { bidInput, confirmAll, draft, untilPackage } from '../support/market.js';
import { withService } from '../support/service.js';
import { advancedIn, postSponsored, untilReturned } from '../operations/sponsoring/scene.js';
import { untilQuiet } from '../support/snapshot.js';
import { until } from '../support/until.js';
import { LyingNode } from '../support/lyingNode.js';

const choice: { REBUILD?: string; SOLANA_RPC_URL?: string } = {};
const service = withService({ settings: (usual) => ({ ...usual, ...choice }) });

test('what a lost database knew goes on: its clocks and payments from the ledger, its texts from who kept them (S-258, S-259)', async () => {
  const { current } = service;
  const [shipper, courier, agent] = [await current.party(5), await current.party(1), await current.party(1)];
  const open = await listPackage(shipper.client, shipper.signer, draft({ description: 'a box of books' }));
  const carried = await listPackage(shipper.client, shipper.signer, draft());
  await courier.client.submitBid(bidInput(courier, carried.id, 'zoo', 'ostkreuz', 0.1));
  await untilPackage(current, carried.id, ({ status }) => status === 'in_transit');
  const { poster, task } = await postedTask(current);
  await claim(agent, task, 0);
  await untilTask(current, task.id, ({ legs }) => legs[0]?.status === 'in_progress');
  const before = {
    open: await shipper.client.getPackage({ packageId: open.id }),
    task: await poster.client.getDigitalTask({ taskId: task.id }),
  };
  await untilQuiet(current);
  await current.loseDatabase();
  const at = (party: typeof shipper) => ({
    ...party,
    client: createLegworkClient({ url: current.server.url, signer: party.signer }),
  });
  const [s, c, a] = [at(shipper), at(courier), at(agent)];

  await until('it is rebuilt', async () => {
    return (await s.client.listPackages({})).items.length + (await s.client.listDigitalTasks({})).items.length === 3;
  });
  const found = await untilPackage(current, carried.id, ({ status }) => status === 'in_transit');
  expect(found).toMatchObject({
    documentKnown: false,
    description: '',
    swarm: { legs: [{ agentPubkey: courier.pubkey }] },
  });
  // Nobody can offer to carry what nobody knows, or be misled about it.
  expect(await refused(current, () => c.client.submitBid(bidInput(c, open.id, 'zoo', 'ostkreuz', 0.1)))).toMatchObject({
    status: 409,
    code: 'invalid_status',
  });
  expect((await s.client.findWork({})).items).toEqual([]);

  const { listingId, document } = papersOf(before.open);
  const wrong = { listingId, document: document.replace('books', 'bricks') };
  expect(await refused(current, () => c.client.givePapers(wrong))).toMatchObject({
    status: 400,
    code: 'invalid_input',
  });
  expect(await c.client.givePapers({ listingId, document })).toEqual({ listingId: open.id, isNew: true });
  expect(await c.client.givePapers({ listingId, document })).toEqual({ listingId: open.id, isNew: false });
  expect(await s.client.getPackage({ packageId: open.id })).toMatchObject({
    description: 'a box of books',
    documentKnown: true,
    originLat: before.open.originLat,
    destLng: before.open.destLng,
  });
  await c.client.givePapers(papersOf(before.task));

  await c.client.submitBid(bidInput(c, open.id, 'zoo', 'ostkreuz', 0.1));
  for (const id of [open.id, carried.id]) {
    const parcel = await untilPackage(current, id, ({ status }) => status === 'in_transit');
    await confirmAll(current, { shipper: s, couriers: [c], parcel });
    await untilPackage(current, id, ({ status }) => status === 'delivered');
  }
  const shown = await a.client.getDigitalTask({ taskId: task.id });
  expect(shown).toMatchObject({
    title: before.task.title,
    legs: [{ instruction: before.task.legs[0]?.instruction, agentPubkey: agent.pubkey }, {}],
  });
  await handIn(a, shown, 0);
  await untilQuiet(current);
  expect(linesOf((await auditOf(current)).differences)).toEqual([]);
});

test('what the coordinator advanced is asked back by whoever rebuilt the listing, and counts as advanced until then (S-258, M-49)', async () => {
  const { current } = service;
  const shipper = await current.party(0);
  const { body } = await postSponsored(current, shipper.pubkey, {
    maxBudgetSol: 0.25,
    deadline: new Date(Date.now() + 3_600_000).toISOString(),
  });
  const counted = await advancedIn(current);
  await untilQuiet(current);
  await current.loseDatabase();
  await until('it is rebuilt', async () => (await advancedIn(current)) > 0n);
  // As much as it was, but for the room for fees.
  expect(counted - (await advancedIn(current))).toBeLessThan(10_000n);
  await untilQuiet(current);
  expect(linesOf((await auditOf(current)).differences)).toEqual([]);
  await current.advanceTime(3_610);
  await untilReturned(current, body.id ?? '');
  const { status, failureReason } = await createLegworkClient({ url: current.server.url }).getPackage({
    packageId: body.id ?? '',
  });
  expect({ status, failureReason }).toEqual({ status: 'failed', failureReason: 'cancelled' });
  await untilQuiet(current);
  expect(linesOf((await auditOf(current)).differences)).toEqual([]);
});

test('a listing whose beginning the node has pruned is counted and waits, and is rebuilt by a node that shows it (S-258)', async () => {
  const { current } = service;
  const shipper = await current.party();
  const { id } = await listPackage(shipper.client, shipper.signer, draft());
  await untilQuiet(current);
  const node = await LyingNode.start(current.ledger.rpcUrl);
  onTestFinished(() => node.close());
  await node.begin({ kind: 'pruned', below: Number.MAX_SAFE_INTEGER });
  choice.SOLANA_RPC_URL = node.url;
  await current.loseDatabase();
  const unseen = async () => Number(await readMeta(current.db, UNSEEN));
  await until('it is counted', async () => (await unseen()) > 0);
  expect(await current.db.selectFrom('packages').select('id').execute()).toEqual([]);
  expect(await readAttention(current.db, undefined)).toMatchObject([{ of: 'history' }]);
  delete choice.SOLANA_RPC_URL;
  await current.stop();
  await current.restart();
  await until('nothing waits', async () => (await unseen()) === 0);
  const { client } = await current.party(0);
  expect(await client.getPackage({ packageId: id })).toMatchObject({ status: 'listed', documentKnown: false });
  await untilQuiet(current);
  expect(linesOf((await auditOf(current)).differences)).toEqual([]);
});

test.each([
  ['over HTTP', { kind: 'http', status: 403 }],
  ['by an error of JSON-RPC', { kind: 'rpc', code: -32_010, message: 'excluded from account secondary indexes' }],
] as const)('a node that refuses to list accounts, %s, holds up no rebuilding (S-258)', async (_, lie) => {
  const { current } = service;
  const shipper = await current.party();
  const { id } = await listPackage(shipper.client, shipper.signer, draft());
  await untilQuiet(current);
  const node = await LyingNode.start(current.ledger.rpcUrl);
  onTestFinished(() => node.close());
  const told = await node.begin(lie, ['getProgramAccounts']);
  choice.SOLANA_RPC_URL = node.url;
  await current.loseDatabase();
  delete choice.SOLANA_RPC_URL;
  await until('all is rebuilt', async () => (await readMeta(current.db, 'rebuilt')) !== undefined);
  expect(told.hits).toBeGreaterThan(0);
  const { client } = await current.party(0);
  expect(await client.getPackage({ packageId: id })).toMatchObject({ status: 'listed' });
  // Back to the honest node, before the lying one closes.
  await current.stop();
  await current.restart();
});

test('what is listed past the service stays unknown, unless it is to rebuild all; nothing is rebuilt where none is (S-54, S-258)', async () => {
  const { current } = service;
  const id = await listWithoutService(current);
  const shown = async () => {
    await untilQuiet(current);
    const { client } = await current.party(0);
    return (await client.listPackages({ limit: 200 })).items.some((one) => one.id === id);
  };
  expect(await shown()).toBe(false);
  choice.REBUILD = 'all';
  await current.stop();
  await current.restart();
  await until('it is rebuilt', shown);
  choice.REBUILD = 'none';
  await current.loseDatabase();
  expect(await shown()).toBe(false);
  expect(await current.db.selectFrom('packages').select('id').execute()).toEqual([]);
});
