import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { claim, goal, handIn, isOpen, legIdOf, postedTask, untilTask } from '../operations/digitalTasks/scene.js';
import { answerOf, callTool } from '../mcp/toolCalls.js';
import { bidInput, confirmAll, draft, formedPackage, type Place, untilPackage } from '../support/market.js';
import { type Party, type TestService, withService } from '../support/service.js';
import { changesBetween, snapshot, untilQuiet } from '../support/snapshot.js';
import { startReplica } from './scene.js';

/** Two accounts an address. */
const settings = () => ({ TRUST_PROXY: '127.0.0.1', NEWCOMER_IP_SOL: '0.003', NEWCOMER_DAY_SOL: '1' });
const service = withService({ settings });
/** Three accounts in all. */
const small = withService({ settings: () => ({ ...settings(), NEWCOMER_DAY_SOL: '0.004' }) });

let addresses = 0;
const newAddress = () => `203.0.113.${(addresses += 1)}`;
const from = (address: string) => ({ 'x-forwarded-for': address });

/** A package without a bidding window, funded by the coordinator. */
async function openPackage(of: TestService): Promise<string> {
  const { pubkey } = await of.party(0);
  return String((await answerOf(of, 'svc_post_task', { ...draft(), shipperPubkey: pubkey }))['id']);
}

async function bidFrom(
  of: TestService,
  address: string,
  [agent, packageId, costSol = 0.1, places = ['zoo', 'ostkreuz']]: [Party, string, number?, [Place, Place]?],
): Promise<string | null> {
  const { told } = await callTool(of, 'svc_submit_bid', bidInput(agent, packageId, ...places, costSol), from(address));
  return told['warning'] as string | null;
}

const couriersOf = async (of: TestService, packageId: string) =>
  (await untilPackage(of, packageId, ({ status }) => status === 'in_transit')).swarm?.legs.map(
    ({ agentPubkey }) => agentPubkey,
  );

/** The agent's package, from a bid alone. */
async function takenOn(of: TestService, address: string): Promise<Party> {
  const agent = await of.party(0);
  const packageId = await openPackage(of);
  expect(await bidFrom(of, address, [agent, packageId])).toBeNull();
  expect(await couriersOf(of, packageId)).toEqual([agent.pubkey]);
  return agent;
}

/** Uses up what the address has left. */
async function usedUp(of: TestService, address: string): Promise<Party[]> {
  return [await takenOn(of, address), await takenOn(of, address)];
}

const claimFrom = (of: TestService, address: string, leg: { taskId: string; legId: string; agentPubkey: string }) =>
  callTool(of, 'svc_bid_digital_leg', { ...leg, bidSol: 0.01 }, from(address));

describe('newcomers of an address whose budget is used up', () => {
  test('bid with a warning that names the way out, and are not considered; others are (M-71)', async () => {
    const [address, other] = [newAddress(), newAddress()];
    await usedUp(service.current, address);
    const [third, rival] = [await service.current.party(0), await service.current.party(0)];
    const packageId = await openPackage(service.current);
    const warning = await bidFrom(service.current, address, [third, packageId, 0.05]);
    expect(warning).toContain('POST /agents/:agentPubkey/build-open-tx');
    await untilQuiet(service.current);
    expect(await third.client.getPackage({ packageId })).toMatchObject({ status: 'listed', bids: 1 });
    expect(await bidFrom(service.current, other, [rival, packageId, 0.3])).toBeNull();
    expect(await couriersOf(service.current, packageId)).toEqual([rival.pubkey]);
    expect(await third.client.getReputation({ agentPubkey: third.pubkey })).toMatchObject({ mirroredAt: null });
  });

  test('get no leg of a digital task; one that they reserved lapses when its turn comes (M-56, M-71)', async () => {
    const address = newAddress();
    await usedUp(service.current, address);
    const [first, third] = [await service.current.party(1), await service.current.party(0)];
    const { task } = await postedTask(service.current);
    const leg = (index: number) => ({ taskId: task.id, legId: legIdOf(task, index), agentPubkey: third.pubkey });
    await untilQuiet(service.current);
    const before = await snapshot(service.current);
    const { told } = await claimFrom(service.current, address, leg(0));
    expect(told).toMatchObject({ code: 'newcomer_budget', errors: [{ field: 'agentPubkey' }] });
    expect(changesBetween(before, await snapshot(service.current))).toEqual([]);

    expect((await claimFrom(service.current, address, leg(1))).body.isError).toBe(false);
    await claim(first, task, 0);
    await handIn(first, task, 0);
    await untilTask(service.current, task.id, isOpen(1));
    expect(await third.client.getReputation({ agentPubkey: third.pubkey })).toMatchObject({ mirroredAt: null });
  });

  test('do not hold up a key that has an account, nor one that was charged today (M-71)', async () => {
    const address = newAddress();
    const [known] = await usedUp(service.current, address);
    if (!known) throw new Error('nobody was taken on');
    const packageId = await openPackage(service.current);
    expect(await bidFrom(service.current, address, [known, packageId])).toBeNull();
    expect(await couriersOf(service.current, packageId)).toEqual([known.pubkey]);
  });

  test('are considered again the next day (M-71)', async () => {
    const address = newAddress();
    await usedUp(service.current, address);
    await sql`update newcomers set charged_at = charged_at - interval '24 hours' where client = ${address}`.execute(
      service.current.db,
    );
    const packageId = await openPackage(service.current);
    expect(await bidFrom(service.current, address, [await service.current.party(0), packageId])).toBeNull();
    expect(await couriersOf(service.current, packageId)).toHaveLength(1);
  });
});

test('of the newcomers of one address the first to bid on a package are considered (M-71)', async () => {
  const address = newAddress();
  await takenOn(service.current, address);
  const agents = await Promise.all(Array.from({ length: 3 }, () => service.current.party(0)));
  const [first, second, third] = agents as [Party, Party, Party];
  const packageId = await openPackage(service.current);
  // Only the two halves together carry it, and both would have to be taken on.
  expect(await bidFrom(service.current, address, [first, packageId, 0.1, ['zoo', 'hauptbahnhof']])).toBeNull();
  await bidFrom(service.current, address, [second, packageId, 0.1, ['hauptbahnhof', 'ostkreuz']]);
  await untilQuiet(service.current);
  expect(await first.client.getPackage({ packageId })).toMatchObject({ status: 'listed', bids: 2 });
  await bidFrom(service.current, newAddress(), [third, packageId, 0.2, ['hauptbahnhof', 'ostkreuz']]);
  expect(await couriersOf(service.current, packageId)).toEqual([first.pubkey, third.pubkey]);
});

test('an agent with an account costs nothing, and a newcomer one account, however many bids it makes (M-71)', async () => {
  const market = await formedPackage(service.current, [['zoo', 'ostkreuz', 0.1]]);
  await confirmAll(service.current, market);
  const [courier] = market.couriers;
  if (!courier) throw new Error('nobody carried it');
  const charged = () =>
    service.current.db.selectFrom('newcomers').selectAll().where('agent_pubkey', '=', courier.pubkey).execute();
  const first = await charged();
  expect(first).toHaveLength(1);
  const { task } = await postedTask(service.current, { legs: [{ instruction: 'Do it.' }] });
  await claim(courier, task, 0);
  expect(await charged()).toEqual(first);
});

test('however many fresh keys come at once, at however many replicas, no more are taken on (M-71)', async () => {
  const address = newAddress();
  const replica = await startReplica(service.current, settings());
  try {
    const claims = Array.from({ length: 8 }, async (_, index) => {
      const [{ task }, agent] = [
        await postedTask(service.current, goal({ legs: [{ instruction: 'Do it.' }] })),
        await service.current.party(0),
      ];
      const at = index % 2 === 0 ? service.current : { server: replica };
      const leg = { taskId: task.id, legId: legIdOf(task, 0), agentPubkey: agent.pubkey };
      return callTool(at, 'svc_bid_digital_leg', { ...leg, bidSol: 0.01 }, from(address));
    });
    const taken = (await Promise.all(claims)).filter(({ body }) => body.isError === false);
    expect(taken).toHaveLength(2);
  } finally {
    await replica.close();
  }
});

test('the budget of the day holds for all addresses together, and for nobody who has an account (M-71)', async () => {
  const known = await takenOn(small.current, newAddress());
  await takenOn(small.current, newAddress());
  await takenOn(small.current, newAddress());
  const fourth = await small.current.party(0);
  const packageId = await openPackage(small.current);
  expect(await bidFrom(small.current, newAddress(), [fourth, packageId, 0.05])).toContain('build-open-tx');
  expect(await bidFrom(small.current, newAddress(), [known, packageId, 0.2])).toBeNull();
  expect(await couriersOf(small.current, packageId)).toEqual([known.pubkey]);
});
