import { INCINERATOR_ADDRESS } from '@legwork/protocol/rules';
import { cancelDigitalTask, type DigitalTaskDetail } from '@legwork/sdk';
import { claim, goal, handIn, isOpen, postedTask, untilTask } from '../../operations/digitalTasks/scene.js';
import { courier } from '../../operations/turns/scene.js';
import { begunBy, type Bound, boundTask, claimResult, moveInTask, reasonOf } from '../../operations/turns/taskScene.js';
import { hold } from '../../support/holdIntents.js';
import { listDigitalTask } from '../../support/listed.js';
import type { Party, TestService } from '../../support/service.js';
import type { PaidLeg } from './books.js';
import { type Plot, shareOf } from './story.js';

const ONE_LEG = { legs: [{ instruction: 'Sum it up.' }] };

const ofTask = (poster: Party, task: DigitalTaskDetail, others: readonly Party[]) =>
  ({ kind: 'task', id: task.id, lister: poster, others }) as const;
const paidFor = (task: DigitalTaskDetail, agents: readonly Party[]) => () =>
  agents.map(({ pubkey: agent }) => ({ agent, agreed: shareOf(task) }));
const untilBegun = (service: TestService, { id }: DigitalTaskDetail, index: number) =>
  untilTask(service, id, ({ legs }) => legs[index]?.status === 'in_progress');

/** Somebody works on the leg, and hands in a result once the leg is its own. */
async function begin(service: TestService, agent: Party, task: DigitalTaskDetail, index = 0): Promise<void> {
  await claim(agent, task, index);
  await untilBegun(service, task, index);
}

async function complete(service: TestService, agent: Party, task: DigitalTaskDetail, index = 0): Promise<void> {
  await begin(service, agent, task, index);
  await handIn(agent, task, index);
  await untilTask(service, task.id, ({ legs }) => legs[index]?.status === 'completed');
}

/** Ids of legs are those of whoever rebuilt the task. */
const now = ({ client }: Party, { id: taskId }: DigitalTaskDetail) => client.getDigitalTask({ taskId });

const listed: Plot = async ({ service, hasPapers }) => {
  const [{ poster, task }, agent] = [await postedTask(service, ONE_LEG), await service.party(0)];
  const cancel = () => cancelDigitalTask(poster.client, service.rpc, poster.signer, task.id);
  return {
    ...ofTask(poster, task, [agent]),
    goOn: async () => (hasPapers ? complete(service, agent, await now(agent, task)) : cancel()),
    end: hasPapers ? 'completed' : 'cancelled',
    paid: paidFor(task, hasPapers ? [agent] : []),
  };
};

/** Handed in or not: results were only in the former database. */
const working =
  (before: (service: TestService, agent: Party, task: DigitalTaskDetail) => Promise<unknown>): Plot =>
  async ({ service }) => {
    const [{ poster, task }, agent] = [await postedTask(service, ONE_LEG), await service.party(0)];
    await begin(service, agent, task);
    await before(service, agent, task);
    return {
      ...ofTask(poster, task, [agent]),
      goOn: async () => handIn(agent, await now(agent, task), 0),
      end: 'completed',
      paid: paidFor(task, [agent]),
    };
  };

async function handInUnpaid(service: TestService, agent: Party, task: DigitalTaskDetail): Promise<void> {
  await hold(service, task.id, 'task');
  await handIn(agent, task, 0);
}

/** One of two legs is paid. */
const half: Plot = async ({ service, hasPapers }) => {
  const [{ poster, task }, first, second] = [await postedTask(service), await service.party(0), await service.party(0)];
  await complete(service, first, task);
  return {
    ...ofTask(poster, task, [first, second]),
    goOn: async () => hasPapers && complete(service, second, await now(second, task), 1),
    end: hasPapers ? 'completed' : 'reclaimed',
    paid: paidFor(task, hasPapers ? [first, second] : [first]),
  };
};

const settled: Plot = async ({ service }) => {
  const [{ poster, task }, agent] = [await postedTask(service, ONE_LEG), await service.party(0)];
  await complete(service, agent, task);
  await untilTask(service, task.id, ({ status }) => status === 'completed');
  return { ...ofTask(poster, task, [agent]), end: 'completed', paid: paidFor(task, [agent]) };
};

/** Its leg is paid with the last word of the former service. */
const unsettled: Plot = async ({ service }) => {
  const [{ poster, task }, agent] = [await postedTask(service, ONE_LEG), await service.party(0)];
  await begin(service, agent, task);
  await handIn(agent, task, 0);
  await hold(service, task.id, 'task');
  await untilTask(service, task.id, ({ legs }) => legs[0]?.status === 'completed');
  return { ...ofTask(poster, task, [agent]), end: 'completed', paid: paidFor(task, [agent]) };
};

const cancelled: Plot = async ({ service }) => {
  const { poster, task } = await postedTask(service);
  await cancelDigitalTask(poster.client, service.rpc, poster.signer, task.id);
  return { ...ofTask(poster, task, []), end: 'cancelled' };
};

const inTokens: Plot = async ({ service }) => {
  const [poster, agent] = [await service.party(1), await service.party(0)];
  await poster.client.registerAgent({ agentPubkey: poster.pubkey });
  const { maxBudgetSol: _, ...rest } = goal(ONE_LEG);
  const task = await listDigitalTask(poster.client, poster.signer, { ...rest, maxBudget: '1500001', asset: 'usdc' });
  await begin(service, agent, task);
  return {
    ...ofTask(poster, task, [agent]),
    given: [poster],
    goOn: async () => handIn(agent, await now(agent, task), 0),
    end: 'completed',
    paid: paidFor(task, [agent]),
  };
};

const ofBound = ({ poster, arbiter, task }: Bound, agents: readonly Party[]) =>
  ofTask(poster, task, [...agents, arbiter]);

const pending: Plot = async ({ service }) => {
  const [bound, agent] = [await boundTask(service, {}, ONE_LEG), await courier(service)];
  await claim(agent, bound.task, 0);
  await untilTask(service, bound.task.id, ({ legs }) => legs[0]?.stage === 'pending');
  return { ...ofBound(bound, [agent]), end: 'completed', paid: paidFor(bound.task, [agent]) };
};

async function claimed(service: TestService): Promise<{ bound: Bound; agent: Party }> {
  const bound = await boundTask(service, {}, ONE_LEG);
  const agent = await begunBy(service, bound, 0);
  await claimResult(bound, 0, agent, 'lorem ipsum');
  return { bound, agent };
}

const unread: Plot = async ({ service }) => {
  const { bound, agent } = await claimed(service);
  const paid = paidFor(bound.task, [agent]);
  return { ...ofBound(bound, [agent]), silent: bound.poster, end: 'completed', paid };
};

async function disputed(service: TestService): Promise<{ bound: Bound; agent: Party }> {
  const { bound, agent } = await claimed(service);
  await moveInTask(bound, 0, bound.poster, 'dispute', { hash: await reasonOf(bound.poster, bound.task, 0) });
  return { bound, agent };
}

function ruledBy({ poster, arbiter, task }: Bound, agent: Party, by: 'arbiter' | 'silence', percent: number) {
  const feeTo = by === 'arbiter' ? arbiter.pubkey : INCINERATOR_ADDRESS;
  const ruled = { by, percent, stake: task.terms?.stake ?? 0n, disputer: poster.pubkey, feeTo };
  return (): PaidLeg[] => [{ agent: agent.pubkey, agreed: shareOf(task), ruled }];
}

const judged: Plot = async ({ service }) => {
  const { bound, agent } = await disputed(service);
  const paid = ruledBy(bound, agent, 'arbiter', 33);
  return { ...ofBound(bound, [agent]), percent: 33, end: 'completed', paid };
};

const unjudged: Plot = async ({ service }) => {
  const { bound, agent } = await disputed(service);
  const paid = ruledBy(bound, agent, 'silence', 50);
  return { ...ofBound(bound, [agent]), silent: bound.arbiter, end: 'completed', paid };
};

/** Its agent left it in time: another one can have it, if somebody knows what it is. */
const leftOpen: Plot = async ({ service, hasPapers }) => {
  const bound = await boundTask(service, {}, ONE_LEG);
  const [agent, other] = [await begunBy(service, bound, 0), await courier(service)];
  await moveInTask(bound, 0, agent, 'vacate');
  await untilTask(service, bound.task.id, isOpen(0));
  async function goOn(): Promise<void> {
    if (!hasPapers)
      return void (await cancelDigitalTask(bound.poster.client, service.rpc, bound.poster.signer, bound.task.id));
    await claim(other, await now(other, bound.task), 0);
    await untilTask(service, bound.task.id, ({ legs }) => legs[0]?.stage === 'pending');
  }
  return {
    ...ofBound(bound, [agent, other]),
    goOn,
    end: hasPapers ? 'completed' : 'cancelled',
    paid: paidFor(bound.task, hasPapers ? [other] : []),
  };
};

/** Every stage of a digital task, by name. */
export const TASKS: Readonly<Record<string, Plot>> = {
  listed,
  begun: working(() => Promise.resolve()),
  handedIn: working(handInUnpaid),
  half,
  settled,
  unsettled,
  cancelled,
  inTokens,
  pending,
  unread,
  judged,
  unjudged,
  leftOpen,
};
