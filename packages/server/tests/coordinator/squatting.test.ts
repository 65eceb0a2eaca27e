import { describe, expect, test } from 'vitest';
import { claim, giveBack, isOpen, untilTask } from '../operations/digitalTasks/scene.js';
import { at, carryTo, courier, formedWithTerms, listedWithTerms, move } from '../operations/turns/scene.js';
import { type Bound, boundTask, moveInTask } from '../operations/turns/taskScene.js';
import { bidInput, untilPackage } from '../support/market.js';
import { refusalOf } from '../support/sdkRefusal.js';
import { type Party, withService } from '../support/service.js';
import { untilQuiet } from '../support/snapshot.js';

const service = withService();
/** Rent of one leg of a task with terms fits the budget, and that of a second does not. */
const poor = withService({ settings: () => ({ NEWCOMER_DAY_SOL: '0.003' }) });
const poorAddress = withService({ settings: () => ({ NEWCOMER_IP_SOL: '0.003', TRUST_PROXY: '127.0.0.1' }) });

const ONE_LEG = { legs: [{ instruction: 'Sum it up.' }] };
/** As long as an agent has to accept, and the grace after it (T-57). */
const TASK_HANDOFF_SEC = 30 * 60 + 120;

const tasks = (count: number, of = service.current): Promise<Bound[]> =>
  Promise.all(Array.from({ length: count }, () => boundTask(of, {}, ONE_LEG)));

const until = (bound: Bound, stage: string) =>
  untilTask(service.current, bound.task.id, ({ legs }) => legs[0]?.stage === stage);

/** The outcome of the claim: `taken`, or the code of its refusal. */
async function outcomeOf(agent: Party, { task }: Bound, index = 0): Promise<string> {
  const claimed = claim(agent, task, index);
  return claimed.then(
    () => 'taken',
    async () => (await refusalOf(claimed)).code,
  );
}

describe('legs with terms that a key has won and not accepted', () => {
  test('are three at most, of tasks: the next claim says what would help, and goes through after it (T-110)', async () => {
    const agent = await courier(service.current);
    const bound = await tasks(5);
    const [first, , , fourth, fifth] = bound as [Bound, Bound, Bound, Bound, Bound];
    for (const one of bound.slice(0, 3)) expect(await outcomeOf(agent, one)).toBe('taken');
    const refused = await refusalOf(claim(agent, fourth.task, 0));
    expect(refused).toMatchObject({ status: 409, code: 'agent_waits' });
    expect(refused.message).toMatch(/3 legs .* accept one/);
    await until(first, 'pending');
    await moveInTask(first, 0, agent, 'accept');
    await until(first, 'accepted');
    expect(await outcomeOf(agent, fourth)).toBe('taken');
    expect(await outcomeOf(agent, fifth)).toBe('agent_waits');
  });

  test('count with reservations, and those given back do not (T-110)', async () => {
    const agent = await courier(service.current);
    const bound = await Promise.all(Array.from({ length: 4 }, () => boundTask(service.current)));
    const outcomes: string[] = [];
    for (const one of bound) outcomes.push(await outcomeOf(agent, one, 1));
    expect(outcomes).toEqual(['taken', 'taken', 'taken', 'agent_waits']);
    await giveBack(agent, at(bound, 0).task, 1);
    expect(await outcomeOf(agent, at(bound, 3), 1)).toBe('taken');
  });

  test('are three at most when claims race, reservations too (T-110)', async () => {
    const agent = await courier(service.current);
    const bound = await Promise.all(Array.from({ length: 8 }, () => boundTask(service.current)));
    const outcomes = await Promise.all(bound.map((one, index) => outcomeOf(agent, one, index % 2)));
    expect(outcomes.filter((one) => one === 'taken')).toHaveLength(3);
    expect(outcomes.filter((one) => one === 'agent_waits')).toHaveLength(5);
  });

  test('are three at most, of packages that are evaluated at once; the other bids win once one is accepted (T-110)', async () => {
    const agent = await courier(service.current);
    const window = { biddingWindowSec: 3_600 };
    const listed = await Promise.all(Array.from({ length: 5 }, () => listedWithTerms(service.current, {}, window)));
    for (const { parcel } of listed) await agent.client.submitBid(bidInput(agent, parcel.id, 'zoo', 'ostkreuz', 0.05));
    const ids = listed.map(({ parcel }) => parcel.id);
    const closed = { bidding_closes_at: new Date(), evaluate_at: new Date() };
    await service.current.db.updateTable('packages').set(closed).where('id', 'in', ids).execute();
    const won = async () => {
      const parcels = await Promise.all(ids.map((packageId) => agent.client.getPackage({ packageId })));
      return listed.filter((_, index) => parcels[index]?.status === 'in_transit');
    };
    await expect.poll(async () => (await won()).length).toBe(3);
    await untilQuiet(service.current);
    const [one, ...others] = await won();
    expect(others).toHaveLength(2);
    const open = listed.find((each) => each !== one && !others.includes(each));
    const again = bidInput(agent, open?.parcel.id ?? '', 'zoo', 'ostkreuz', 0.05);
    expect(await refusalOf(agent.client.submitBid(again))).toMatchObject({ status: 409, code: 'agent_waits' });
    if (one) await move(service.current, one, 0, agent, 'accept');
    await expect.poll(async () => (await won()).length).toBe(4);
  });

  test('are more for who has completed some (T-110)', async () => {
    const cast = await formedWithTerms(service.current, [['zoo', 'ostkreuz', 0.05]]);
    const agent = at(cast.couriers, 0);
    await carryTo(service.current, cast, 0);
    await move(service.current, cast, 0, cast.shipper, 'confirm');
    await untilPackage(service.current, cast.parcel.id, ({ status }) => status === 'delivered');
    await expect
      .poll(async () => (await agent.client.getReputation({ agentPubkey: agent.pubkey })).legsCompleted)
      .toBe(1);
    const outcomes: string[] = [];
    for (const one of await tasks(5)) outcomes.push(await outcomeOf(agent, one));
    expect(outcomes).toEqual(['taken', 'taken', 'taken', 'taken', 'agent_waits']);
  });
});

describe('a key that twice within a day lets the time to accept pass', () => {
  test('gets nothing more until a day after the first of them, neither tasks nor packages (T-111)', async () => {
    const agent = await courier(service.current);
    const [one, other, third] = (await tasks(3)) as [Bound, Bound, Bound];
    for (const bound of [one, other]) await claim(agent, bound.task, 0);
    for (const bound of [one, other]) await until(bound, 'pending');
    const { parcel } = await listedWithTerms(service.current);
    await service.current.advanceTime(TASK_HANDOFF_SEC);
    for (const { task } of [one, other]) await untilTask(service.current, task.id, isOpen(0));
    const refused = await refusalOf(claim(agent, third.task, 0));
    expect(refused).toMatchObject({ status: 409, code: 'agent_waits' });
    const [first] = await service.current.db
      .selectFrom('lapses')
      .select('at')
      .where('agent_pubkey', '=', agent.pubkey)
      .orderBy('at')
      .execute();
    expect(refused.message).toContain(new Date((first?.at.getTime() ?? 0) + 86_400_000).toISOString());
    const bid = agent.client.submitBid(bidInput(agent, parcel.id, 'zoo', 'ostkreuz', 0.05));
    expect((await refusalOf(bid)).code).toBe('agent_waits');
    await service.current.db
      .updateTable('lapses')
      .set({ at: new Date(Date.now() - 86_400_000) })
      .where('agent_pubkey', '=', agent.pubkey)
      .execute();
    expect(await outcomeOf(agent, third)).toBe('taken');
  });

  test('is one that leaves in the second half of it; who leaves before, or had accepted, is free to go on (T-111)', async () => {
    const leaveAfter = async (seconds: number, { accepted }: { accepted: boolean } = { accepted: false }) => {
      const agent = await courier(service.current);
      const [one, other, third] = (await tasks(3)) as [Bound, Bound, Bound];
      for (const bound of [one, other]) await claim(agent, bound.task, 0);
      for (const bound of [one, other]) await until(bound, 'pending');
      if (accepted) for (const bound of [one, other]) await moveInTask(bound, 0, agent, 'accept');
      await service.current.advanceTime(seconds);
      for (const bound of [one, other]) await moveInTask(bound, 0, agent, 'vacate');
      return outcomeOf(agent, third);
    };
    expect(await leaveAfter(0)).toBe('taken');
    expect(await leaveAfter(16 * 60)).toBe('agent_waits');
    expect(await leaveAfter(16 * 60, { accepted: true })).toBe('taken');
  });
});

describe('the rent of legs of tasks with terms, for agents that have completed none', () => {
  test('stays within the budget of the day, and is free again once a leg is accepted (T-112)', async () => {
    const [one, other] = (await tasks(2, poor.current)) as [Bound, Bound];
    const [agent, second] = await Promise.all([courier(poor.current), courier(poor.current)]);
    expect(await outcomeOf(agent, one)).toBe('taken');
    const refused = await refusalOf(claim(second, other.task, 0));
    expect(refused).toMatchObject({ status: 503, code: 'assigning_paused' });
    expect(refused.message).toContain('completed');
    await moveInTask(one, 0, agent, 'accept');
    await untilTask(poor.current, one.task.id, ({ legs }) => legs[0]?.stage === 'accepted');
    expect(await outcomeOf(second, other)).toBe('taken');
  });

  test('stays within the budget of the address that claims (T-112)', async () => {
    const [one, other] = (await tasks(2, poorAddress.current)) as [Bound, Bound];
    const [agent, second] = await Promise.all([courier(poorAddress.current), courier(poorAddress.current)]);
    expect(await outcomeOf(agent, one)).toBe('taken');
    expect(await outcomeOf(second, other)).toBe('assigning_paused');
  });
});
