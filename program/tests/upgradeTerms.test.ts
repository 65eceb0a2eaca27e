import { LegStatus, PackageStatus } from '@legwork/program-client';
import type { Address } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { CANNOT_FORGE } from './harness/backend.js';
import { DEADLINE, must, NOW, SOL, type Delivery } from './harness/delivery.js';
import {
  CURRENT,
  FORMER_AT_ONCE,
  FORMER_IN_SOL,
  FORMER_WITH_TERMS,
  FORMER_WITHOUT_MANDATES,
  relayOf,
  upgrade,
} from './harness/former.js';
import { stagedJob } from './harness/jobStages.js';
import { PAYMENTS } from './harness/moves.js';
import type { Relay } from './harness/relay.js';
import { ARBITRATION, CARRY, EVIDENCE_HASH, REVIEW, terms } from './harness/terms.js';

/** A delivery under way at an upgrade, and how it goes on to its end. */
interface UnderWay {
  readonly begin: (relay: Relay) => Promise<Delivery>;
  readonly finish: (relay: Relay, delivery: Delivery) => Promise<void>;
  readonly ended: PackageStatus;
}

const LEGS = PAYMENTS.length;
async function careerOf(relay: Relay, agent: Address): Promise<[accepted: bigint, completed: bigint] | null> {
  if ((await relay.ledger.account(await relay.reputationOf(agent))) === undefined) return null;
  const { legsAccepted, legsCompleted } = await relay.reputation(agent);
  return [legsAccepted, legsCompleted];
}

/** Takes the place of the courier that left. */
const REPLACEMENT = 5;

async function replace(relay: Relay, delivery: Delivery, index: number): Promise<void> {
  const { address } = await relay.courier(REPLACEMENT);
  must(await relay.ledger.send(await relay.moves.replace(delivery, index, address)));
}

/** One move that brings the leg whose turn it is forward. */
async function forward(relay: Relay, delivery: Delivery, index: number): Promise<void> {
  const { ledger, moves } = relay;
  const { status, courier: address, turn } = await moves.leg(delivery, index);
  if (status === LegStatus.Vacant) return replace(relay, delivery, index);
  const courier = await relay.known(address);
  if (status === LegStatus.Pending || status === LegStatus.Accepted) {
    must(await ledger.send(await moves.accept(delivery, { index, courier, formation: turn.formation, take: true })));
  } else if (status === LegStatus.Carried) {
    if (index < LEGS - 1) must(await ledger.send(await moves.accept(delivery, { index: index + 1 })));
    must(await ledger.send(await moves.handoff(delivery, index)));
  } else if (status === LegStatus.Disputed) {
    must(await ledger.send(await moves.rule(delivery, { index, courier, percent: 30 })));
  } else {
    if (status === LegStatus.Claimed) await ledger.setClock(turn.since + REVIEW);
    must(await ledger.send(await moves.crank(delivery, index)));
  }
}

/** Every leg comes to its end, however many moves that takes. */
async function deliver(relay: Relay, delivery: Delivery): Promise<void> {
  for (const index of PAYMENTS.keys()) {
    while ((await relay.moves.leg(delivery, index)).status !== LegStatus.Completed) {
      await forward(relay, delivery, index);
    }
  }
  must(await relay.ledger.send(await relay.settle(delivery, LEGS)));
}

async function reclaim(relay: Relay, delivery: Delivery): Promise<void> {
  await relay.ledger.setClock(DEADLINE);
  must(await relay.ledger.send(await relay.moves.reclaim(delivery)));
}

/** Nobody rules: half is paid, and half of the disputer's stake burns. */
async function burn(relay: Relay, delivery: Delivery): Promise<void> {
  const courier = await relay.courier(0);
  await relay.ledger.setClock(NOW + ARBITRATION);
  must(await relay.ledger.send(await relay.moves.rule(delivery, { courier, form: 'default', percent: 50 })));
  await deliver(relay, delivery);
}

const { Delivered, Cancelled, Reclaimed } = PackageStatus;
const PACKAGES: Readonly<Record<string, UnderWay>> = {
  'listed, then delivered': {
    begin: ({ moves }) => moves.listed(),
    async finish(relay, delivery) {
      await deliver(relay, await relay.moves.pending(delivery));
    },
    ended: Delivered,
  },
  'listed, then cancelled': {
    begin: ({ moves }) => moves.listed(),
    async finish(relay, delivery) {
      must(await relay.ledger.send(relay.cancel(delivery)));
    },
    ended: Cancelled,
  },
  'pending, then delivered': { begin: ({ moves }) => moves.pending(), finish: deliver, ended: Delivered },
  'accepted, then delivered': { begin: ({ moves }) => moves.accepted(), finish: deliver, ended: Delivered },
  'accepted by two, then reclaimed': {
    begin: ({ moves }) => moves.accepted([0, 1]),
    finish: reclaim,
    ended: Reclaimed,
  },
  'accepted, then overdue and replaced': {
    begin: ({ moves }) => moves.accepted(),
    async finish(relay, delivery) {
      await relay.ledger.setClock(NOW + CARRY);
      const signer = await relay.person('stranger');
      must(await relay.ledger.send(await relay.moves.vacate(delivery, { signer })));
      await deliver(relay, delivery);
    },
    ended: Delivered,
  },
  'carried, then delivered': { begin: ({ moves }) => moves.carried(), finish: deliver, ended: Delivered },
  'carried, then reclaimed': { begin: ({ moves }) => moves.carried(), finish: reclaim, ended: Reclaimed },
  'handed off once, then delivered': {
    async begin(relay) {
      const delivery = await relay.moves.carried();
      await forward(relay, delivery, 0);
      return delivery;
    },
    finish: deliver,
    ended: Delivered,
  },
  'claimed, then paid by silence': { begin: ({ moves }) => moves.claimed(), finish: deliver, ended: Delivered },
  'disputed, then ruled': { begin: ({ moves }) => moves.disputed(), finish: deliver, ended: Delivered },
  'disputed, then not ruled': { begin: ({ moves }) => moves.disputed(), finish: burn, ended: Delivered },
  'ruled, then paid': {
    async begin(relay) {
      const delivery = await relay.moves.disputed();
      await forward(relay, delivery, 0);
      return delivery;
    },
    finish: deliver,
    ended: Delivered,
  },
  'vacant, then replaced': { begin: ({ moves }) => moves.vacant(), finish: deliver, ended: Delivered },
  'replaced, then delivered': {
    async begin(relay) {
      const delivery = await relay.moves.vacant();
      await replace(relay, delivery, 0);
      return delivery;
    },
    finish: deliver,
    ended: Delivered,
  },
  'vacant, then reclaimed': { begin: ({ moves }) => moves.vacant(), finish: reclaim, ended: Reclaimed },
};

const FORMERS = {
  'without terms of tasks': FORMER_WITH_TERMS,
  'that counts legs at their assignment': FORMER_AT_ONCE,
  'that pays in lamports only': FORMER_IN_SOL,
  'without mandates': FORMER_WITHOUT_MANDATES,
};

describe.skipIf(CANNOT_FORGE).each(Object.entries(FORMERS))(
  '[T-4] [T-100] an upgrade from the program %s',
  (_name, former) => {
    test.each(Object.entries(PACKAGES))(
      'a package with terms that is %s ends like one that never saw it',
      async (_, one) => {
        const ends = [];
        for (const after of [former, CURRENT]) {
          const relay = await relayOf(former);
          const delivery = await one.begin(relay);
          await upgrade(relay, after);
          await one.finish(relay, delivery);
          expect(await relay.package(delivery)).toMatchObject({ status: one.ended, version: 2 });
          const { data } = await relay.state(delivery.package);
          must(await relay.ledger.send(relay.close(delivery)));
          const couriers = await Promise.all([0, 1, 2, REPLACEMENT].map((index) => relay.courier(index)));
          const others = [await relay.person('arbiter'), await relay.person('stranger')];
          const people = [delivery.shipper, delivery.funder, relay.coordinator, ...couriers, ...others];
          const careers = await Promise.all(couriers.map(({ address }) => careerOf(relay, address)));
          ends.push({
            data,
            careers,
            lamports: await Promise.all(people.map(({ address }) => relay.lamports(address))),
          });
        }
        expect(ends[1]).toEqual(ends[0]);
      },
    );
  },
);

describe.skipIf(CANNOT_FORGE)('[T-4] an upgrade of the program', () => {
  test.each(['pending', 'accepted', 'claimed', 'disputed', 'ruled'] as const)(
    'lets an agent whose leg was %s go on, and counts it once (T-100)',
    async (stage) => {
      const relay = await relayOf(FORMER_AT_ONCE);
      const job = await stagedJob(relay, stage);
      await upgrade(relay, CURRENT);
      const agent = await relay.courier(0);
      if (stage === 'pending') must(await relay.ledger.send(await relay.moves.accept(job)));
      if (stage === 'pending' || stage === 'accepted') must(await relay.ledger.send(await relay.moves.claim(job)));
      if (stage === 'disputed') must(await relay.ledger.send(await relay.moves.rule(job, { percent: 30 })));
      must(await relay.ledger.send(await relay.tasks.confirm(job, 0, agent.address, EVIDENCE_HASH, job.poster)));
      expect(await careerOf(relay, agent.address)).toEqual([1n, 1n]);
    },
  );

  test('a task listed before can have no terms, one listed after can', async () => {
    const relay = await relayOf(FORMER_WITH_TERMS);
    const bound = relay.tasks.list(await relay.tasks.job(2), { terms: await terms() });
    expect((await relay.ledger.send(bound)).error).toBe('InvalidInstruction');
    const job = await relay.tasks.inProgress([0], await relay.tasks.listed(1, { maxBudget: SOL }));
    await upgrade(relay, CURRENT);
    expect((await relay.ledger.send(await relay.moves.accept(job))).error).toBe('TermsMissing');
    must(await relay.ledger.send(bound));
  });
});
