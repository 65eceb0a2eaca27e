import { PackageStatus, TaskStatus } from '@legwork/program-client';
import { describe, expect, test } from 'vitest';
import { CANNOT_FORGE } from './harness/backend.js';
import { DEADLINE, must, NOW, SOL, type Delivery } from './harness/delivery.js';
import {
  CURRENT,
  FORMER,
  FORMER_IN_SOL,
  FORMER_WITH_TERMS,
  FORMER_WITHOUT_MANDATES,
  relayOf,
  upgrade,
} from './harness/former.js';
import { firstLegs, type Job } from './harness/job.js';
import type { Relay } from './harness/relay.js';
import { terms } from './harness/terms.js';

const PAYMENTS = [SOL / 2n, SOL / 4n];
const WALLET_RENT = 890_880n;

async function handOff(relay: Relay, delivery: Delivery, ...indexes: readonly number[]): Promise<void> {
  for (const index of indexes) must(await relay.ledger.send(await relay.handoff(delivery, index, PAYMENTS.length)));
}

async function assign(relay: Relay, delivery: Delivery, ...indexes: readonly number[]): Promise<void> {
  for (const index of indexes) {
    const courier = (await relay.courier(index)).address;
    must(await relay.ledger.send(await relay.assign(delivery, index, courier, PAYMENTS[index] ?? 0n)));
  }
}

async function settle(relay: Relay, delivery: Delivery): Promise<void> {
  must(await relay.ledger.send(await relay.settle(delivery, PAYMENTS.length)));
}

async function reclaim(relay: Relay, delivery: Delivery, legs: number): Promise<void> {
  await relay.ledger.setClock(DEADLINE);
  must(await relay.ledger.send(await relay.reclaim(delivery, legs)));
}

/** A delivery under way at an upgrade, and how it goes on to its end. */
interface UnderWay {
  readonly begin: (relay: Relay) => Promise<Delivery>;
  readonly finish: (relay: Relay, delivery: Delivery) => Promise<void>;
  readonly ended: PackageStatus;
}

const { Delivered, Cancelled, Reclaimed } = PackageStatus;
const PACKAGES: Readonly<Record<string, UnderWay>> = {
  'listed, then delivered': {
    begin: (relay) => relay.listed(),
    async finish(relay, delivery) {
      await relay.forming(PAYMENTS, 2, delivery);
      await handOff(relay, delivery, 0, 1);
      await settle(relay, delivery);
    },
    ended: Delivered,
  },
  'listed, then cancelled': {
    begin: (relay) => relay.listed(),
    async finish(relay, delivery) {
      must(await relay.ledger.send(relay.cancel(delivery)));
    },
    ended: Cancelled,
  },
  'partly assigned, then delivered': {
    begin: (relay) => relay.forming(PAYMENTS, 1),
    async finish(relay, delivery) {
      await assign(relay, delivery, 1);
      await handOff(relay, delivery, 0, 1);
      await settle(relay, delivery);
    },
    ended: Delivered,
  },
  'partly assigned, then reclaimed': {
    begin: (relay) => relay.forming(PAYMENTS, 1),
    finish: (relay, delivery) => reclaim(relay, delivery, 1),
    ended: Reclaimed,
  },
  'in transit, then delivered': {
    begin: (relay) => relay.inTransit(PAYMENTS),
    async finish(relay, delivery) {
      await handOff(relay, delivery, 0, 1);
      await settle(relay, delivery);
    },
    ended: Delivered,
  },
  'handed off once, then delivered': {
    async begin(relay) {
      const delivery = await relay.inTransit(PAYMENTS);
      await handOff(relay, delivery, 0);
      return delivery;
    },
    async finish(relay, delivery) {
      await handOff(relay, delivery, 1);
      await settle(relay, delivery);
    },
    ended: Delivered,
  },
  'handed off once, then reclaimed': {
    async begin(relay) {
      const delivery = await relay.inTransit(PAYMENTS);
      await handOff(relay, delivery, 0);
      return delivery;
    },
    finish: (relay, delivery) => reclaim(relay, delivery, 2),
    ended: Reclaimed,
  },
  'carried to the end, then settled': {
    begin: (relay) => relay.carried(PAYMENTS),
    finish: settle,
    ended: Delivered,
  },
  'cancelled, then closed': {
    async begin(relay) {
      const delivery = await relay.listed();
      must(await relay.ledger.send(relay.cancel(delivery)));
      return delivery;
    },
    finish: async () => undefined,
    ended: Cancelled,
  },
};

/** The legs that are not completed get their agents, and their results are attested. */
async function workOn(relay: Relay, job: Job): Promise<void> {
  const { ledger, tasks } = relay;
  const { assignedLegs, completedLegs } = await tasks.state(job);
  const open = [0, 1].filter((index) => ((assignedLegs >> index) & 1) === 0);
  await tasks.inProgress(open, job);
  for (const index of [0, 1].slice(completedLegs)) must(await ledger.send(await tasks.result(job, index)));
}

async function settleTask(relay: Relay, job: Job): Promise<void> {
  await workOn(relay, job);
  must(await relay.ledger.send(await relay.tasks.settle(job, firstLegs(2))));
}

async function reclaimTask(relay: Relay, job: Job): Promise<void> {
  const { assignedLegs } = await relay.tasks.state(job);
  await relay.ledger.setClock(DEADLINE);
  must(await relay.ledger.send(await relay.tasks.reclaim(job, firstLegs(assignedLegs === 0b11 ? 2 : 1))));
}

async function cancelTask(relay: Relay, job: Job): Promise<void> {
  must(await relay.ledger.send(relay.tasks.cancel(job)));
}

const listed = ({ tasks }: Relay) => tasks.listed(1, { numLegs: 2 });
const partly = async (relay: Relay) => relay.tasks.inProgress([0], await listed(relay));
const inProgress = async (relay: Relay) => relay.tasks.inProgress([0, 1], await listed(relay));
const halfDone = async (relay: Relay) => {
  const job = await inProgress(relay);
  must(await relay.ledger.send(await relay.tasks.result(job, 0)));
  return job;
};
const { Completed, Cancelled: CancelledTask, Reclaimed: ReclaimedTask } = TaskStatus;

interface AtWork {
  readonly begin: (relay: Relay) => Promise<Job>;
  readonly finish: (relay: Relay, job: Job) => Promise<void>;
  readonly ended: TaskStatus;
}

const TASKS: Readonly<Record<string, AtWork>> = {
  'listed, then completed': { begin: listed, finish: settleTask, ended: Completed },
  'listed, then cancelled': { begin: listed, finish: cancelTask, ended: CancelledTask },
  'partly assigned, then completed': { begin: partly, finish: settleTask, ended: Completed },
  'partly assigned, then reclaimed': { begin: partly, finish: reclaimTask, ended: ReclaimedTask },
  'partly assigned, then released and cancelled': {
    begin: partly,
    async finish(relay, job) {
      must(await relay.ledger.send(await relay.tasks.release(job, { index: 0 })));
      await cancelTask(relay, job);
    },
    ended: CancelledTask,
  },
  'in progress, then completed': { begin: inProgress, finish: settleTask, ended: Completed },
  'in progress, then reclaimed': { begin: inProgress, finish: reclaimTask, ended: ReclaimedTask },
  'half done, then completed': { begin: halfDone, finish: settleTask, ended: Completed },
  'half done, then reclaimed': { begin: halfDone, finish: reclaimTask, ended: ReclaimedTask },
  'worked on to the end, then settled': {
    begin: ({ tasks }) => tasks.worked(2),
    finish: settleTask,
    ended: Completed,
  },
};

const PROGRAMS = [
  { name: 'without terms', former: FORMER },
  { name: 'without terms of tasks', former: FORMER_WITH_TERMS },
  { name: 'that pays in lamports only', former: FORMER_IN_SOL },
  { name: 'without mandates', former: FORMER_WITHOUT_MANDATES },
];

describe.skipIf(CANNOT_FORGE).each(PROGRAMS)('[T-4] an upgrade from the program $name', ({ former }) => {
  test.each(Object.entries(PACKAGES))('a package that is %s ends like one that never saw it', async (_, underWay) => {
    const { begin, finish, ended } = underWay;
    const ends = [];
    for (const after of [former, CURRENT]) {
      const relay = await relayOf(former);
      const delivery = await begin(relay);
      await upgrade(relay, after);
      await finish(relay, delivery);
      expect(await relay.package(delivery)).toMatchObject({ status: ended, version: 1 });
      const { data } = await relay.state(delivery.package);
      must(await relay.ledger.send(relay.close(delivery)));
      const people = [delivery.funder, relay.coordinator, await relay.courier(0), await relay.courier(1)];
      const lamports = await Promise.all(people.map(({ address }) => relay.lamports(address)));
      ends.push({ data, lamports, kept: await relay.lamports(delivery.package) });
    }
    expect(ends[1]).toEqual(ends[0]);
    expect(ends[1]?.kept).toBe(WALLET_RENT);
  });

  test.each(Object.entries(TASKS))('a task that is %s ends like one that never saw it', async (_, atWork) => {
    const ends = [];
    for (const after of [former, CURRENT]) {
      const relay = await relayOf(former);
      const { tasks } = relay;
      const job = await atWork.begin(relay);
      await upgrade(relay, after);
      await atWork.finish(relay, job);
      expect(await tasks.state(job)).toMatchObject({ status: atWork.ended, version: 1, formation: 0 });
      const { data } = await relay.state(job.task);
      must(await relay.ledger.send(tasks.close(job)));
      const people = [job.funder, relay.coordinator, await relay.courier(0), await relay.courier(1)];
      ends.push({ data, lamports: await Promise.all(people.map(({ address }) => relay.lamports(address))) });
    }
    expect(ends[1]).toEqual(ends[0]);
  });
});

describe.skipIf(CANNOT_FORGE)('[T-4] an upgrade from the program without terms', () => {
  test('a task listed before can have no terms, one listed after can', async () => {
    const relay = await relayOf(FORMER);
    const bound = relay.tasks.list(await relay.tasks.job(2), { terms: await terms() });
    expect((await relay.ledger.send(bound)).error).toBe('InvalidInstruction');
    const job = await relay.tasks.inProgress([0]);
    await upgrade(relay, CURRENT);
    expect((await relay.ledger.send(await relay.moves.accept(job))).error).toBe('TermsMissing');
    must(await relay.ledger.send(bound));
  });

  test('a package listed before can have no terms, one listed after can', async () => {
    const relay = await relayOf(FORMER);
    const bound = relay.list(await relay.delivery(2), { terms: await terms() });
    expect((await relay.ledger.send(bound)).error).toBe('InvalidInstruction');
    const delivery = await relay.inTransit(PAYMENTS);
    await upgrade(relay, CURRENT);
    expect((await relay.ledger.send(await relay.moves.accept(delivery))).error).toBe('TermsMissing');
    must(await relay.ledger.send(bound));
  });

  test('back in the former program, what has terms is refused and waits; forward again, it goes on', async () => {
    const relay = await relayOf(FORMER);
    const plain = await relay.inTransit(PAYMENTS);
    await upgrade(relay, CURRENT);
    const bound = await relay.moves.carried(await relay.moves.pending(await relay.moves.listed(2)));
    const claim = await relay.moves.claim(bound);
    const reclaimed = await relay.reclaim(bound, 3);

    await upgrade(relay, FORMER);
    expect((await relay.ledger.send(claim)).error).toBe('InvalidInstruction');
    expect((await relay.ledger.send(reclaimed)).error).toBe('InvalidAccountKind');
    await handOff(relay, plain, 0);

    await upgrade(relay, CURRENT);
    must(await relay.ledger.send(claim));
    await handOff(relay, plain, 1);
    expect(await relay.moves.leg(bound)).toMatchObject({ turn: { since: NOW } });
  });
});
