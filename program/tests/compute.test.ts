import type { Address, Instruction, KeyPairSigner } from '@solana/kit';
import { expect } from 'vitest';
import type { Outcome } from './harness/ledger.js';
import { CANNOT_SET_TIME, OTHER_ADDRESSES } from './harness/backend.js';
import { DEADLINE, must, NOW, SOL } from './harness/delivery.js';
import { firstLegs, type Job } from './harness/job.js';
import { listedJob, stagedJob } from './harness/jobStages.js';
import { keyOf } from './harness/keys.js';
import { Relay } from './harness/relay.js';
import { test } from './harness/relayTest.js';
import { staged } from './harness/stages.js';
import { ARBITRATION, CARRY, COSIGNED, EVIDENCE_HASH, terms } from './harness/terms.js';

const LIMIT = 5_000;
/** The room that the service leaves, an account: see signIntent. */
const GIFT = 3_000;
const HALF = SOL / 2n;

function print(table: Readonly<Record<string, number>>): void {
  const rows = Object.entries(table).map(([name, units]) => `  ${name.padEnd(28)}${String(units).padStart(6)}\n`);
  process.stdout.write(`compute units\n${rows.join('')}`);
}

test.skipIf(OTHER_ADDRESSES)(`every instruction takes at most ${LIMIT} compute units`, async () => {
  const table: Record<string, number> = {};
  const measure = (name: string, outcome: Outcome) => {
    table[name] = must(outcome).units;
  };
  const relay = await Relay.deployed();
  const { ledger } = relay;

  measure('initialize', await ledger.send(relay.initialize()));
  const cancelled = await relay.delivery(1);
  measure('list_package', await ledger.send(relay.list(cancelled)));
  measure('cancel_package', await ledger.send(relay.cancel(cancelled)));
  measure('close_package', await ledger.send(relay.close(cancelled)));
  const delivery = await relay.listed(2);
  measure('form_swarm', await ledger.send(relay.form(delivery, 2, SOL)));
  const [first, second] = [(await relay.courier(0)).address, (await relay.courier(1)).address];
  measure('assign_leg, new courier', await ledger.send(await relay.assign(delivery, 0, first, HALF)));
  must(await ledger.send(await relay.assign(delivery, 1, second, HALF)));
  measure('confirm_leg, intermediate', await ledger.send(await relay.handoff(delivery, 0, 2)));
  measure('confirm_leg, final', await ledger.send(await relay.handoff(delivery, 1, 2)));
  measure('settle, 2 legs', await ledger.send(await relay.settle(delivery, 2)));
  measure('open_reputation', await ledger.send(await relay.openReputation((await relay.person('agent')).address)));
  const late = await relay.listed(3);
  must(await ledger.send(relay.form(late, 2, SOL)));
  measure('assign_leg, known courier', await ledger.send(await relay.assign(late, 0, first, HALF)));
  must(await ledger.send(await relay.assign(late, 1, second, HALF)));
  const seven = await relay.inTransit(
    Array.from({ length: 7 }, () => SOL / 8n),
    await relay.listed(4),
  );
  for (let index = 0; index < 7; index += 1) must(await ledger.send(await relay.handoff(seven, index, 7)));
  measure('settle, 7 legs', await ledger.send(await relay.settle(seven, 7)));
  measure('set_paused', await ledger.send(relay.setPaused(true)));
  measure('set_coordinator', await ledger.send(relay.setCoordinator(first)));
  const heir = await relay.person('heir');
  measure('propose_authority', await ledger.send(relay.proposeAuthority(heir.address)));
  measure('accept_authority', await ledger.send(relay.acceptAuthority(heir)));
  const refused = await ledger.send(relay.cancel(delivery, await relay.person('stranger')));
  expect(refused.error).toBe('Unauthorized');
  table['a refusal'] = refused.units;

  print(table);
  expect(Object.entries(table).filter(([, units]) => units > LIMIT)).toEqual([]);
});

test('a listing costs one call to another program, which is a third of its compute units', async ({ relay }) => {
  const listings = [relay.list(await relay.delivery(1)), relay.tasks.list(await relay.tasks.job(1))];
  for (const listing of listings) {
    const { logs } = must(await relay.ledger.send(listing));
    expect(logs.filter((line) => line.endsWith(' invoke [2]'))).toHaveLength(1);
  }
});

test.skipIf(OTHER_ADDRESSES)(
  `lamports at an address make its account at most ${GIFT} compute units dearer`,
  async () => {
    const table: Record<string, number> = {};
    const costs = async (gift: bigint) => {
      const relay = await Relay.initialised();
      const { ledger, tasks } = relay;
      const measure = async (addresses: readonly Address[], instruction: Instruction) => {
        if (gift > 0n) for (const address of addresses) await ledger.airdrop(address, gift);
        return must(await ledger.send(instruction)).units / addresses.length;
      };
      const [delivery, parcel, task, job] = [
        await relay.listed(1),
        await relay.delivery(2),
        await tasks.job(3),
        await tasks.listed(4),
      ];
      const [courier, agent] = [(await relay.courier(0)).address, await tasks.agent(1)];
      return {
        list_package: await measure([parcel.package, parcel.vault], relay.list(parcel)),
        form_swarm: await measure([delivery.swarm], relay.form(delivery, 1, SOL)),
        assign_leg: await measure(
          [await relay.leg(delivery, 0), await relay.reputationOf(courier)],
          await relay.assign(delivery, 0, courier, SOL),
        ),
        list_task: await measure([task.task, task.vault], tasks.list(task)),
        assign_task_leg: await measure(
          [await relay.taskLeg(job, 0), await relay.reputationOf(agent)],
          await tasks.assign(job, 0, agent),
        ),
      };
    };
    const plain = Object.entries(await costs(0n));
    for (const gift of [890_880n, SOL]) {
      const given: Record<string, number> = await costs(gift);
      for (const [name, units] of plain) table[`${name}, ${gift} given`] = (given[name] ?? Number.NaN) - units;
    }

    print(table);
    expect(Object.entries(table).filter(([, units]) => !(units <= GIFT))).toEqual([]);
  },
);

test.skipIf(CANNOT_SET_TIME)(`reclaim_package takes at most ${LIMIT} compute units`, async ({ relay }) => {
  const delivery = await relay.inTransit([HALF, HALF]);
  await relay.ledger.setClock(DEADLINE);
  const { units } = must(await relay.ledger.send(await relay.reclaim(delivery, 2)));
  print({ 'reclaim_package, 2 legs': units });
  expect(units).toBeLessThanOrEqual(LIMIT);
});

test.skipIf(OTHER_ADDRESSES || CANNOT_SET_TIME)(
  `every instruction about tasks takes at most ${LIMIT} compute units`,
  async () => {
    const table: Record<string, number> = {};
    const relay = await Relay.initialised();
    const { ledger, tasks } = relay;
    const measure = (name: string, outcome: Outcome) => {
      table[name] = must(outcome).units;
    };

    const cancelled = await tasks.job(1);
    measure('list_task', await ledger.send(tasks.list(cancelled)));
    measure('cancel_task', await ledger.send(tasks.cancel(cancelled)));
    measure('close_task', await ledger.send(tasks.close(cancelled)));
    const job = await tasks.listed(2, { numLegs: 4 });
    measure('assign_task_leg, new agent', await ledger.send(await tasks.assign(job, 0, await tasks.agent(0))));
    measure('release_task_leg', await ledger.send(await tasks.release(job, { index: 0 })));
    measure('assign_task_leg, known agent', await ledger.send(await tasks.assign(job, 0, await tasks.agent(0))));
    await tasks.inProgress([1, 2, 3], job);
    measure('confirm_task_leg', await ledger.send(await tasks.result(job, 0)));
    for (const index of [1, 2, 3]) must(await ledger.send(await tasks.result(job, index)));
    measure('settle_task, 4 legs', await ledger.send(await tasks.settle(job, firstLegs(4))));
    measure('settle_task, 1 leg', await ledger.send(await tasks.settle(await tasks.worked(1, 3), firstLegs(1))));
    const late = await tasks.inProgress([0, 1, 2, 3], await tasks.listed(4, { numLegs: 4 }));
    await ledger.setClock(DEADLINE);
    measure('reclaim_task, 4 legs', await ledger.send(await tasks.reclaim(late, firstLegs(4))));

    print(table);
    expect(Object.entries(table).filter(([, units]) => units > LIMIT)).toEqual([]);
  },
);

test.skipIf(OTHER_ADDRESSES || CANNOT_SET_TIME)(
  `every move of a leg takes at most ${LIMIT} compute units`,
  async () => {
    const table: Record<string, number> = {};
    const relay = await Relay.initialised();
    const { ledger, moves } = relay;
    const measure = async (name: string, instruction: Instruction) => {
      table[name] = must(await ledger.send(instruction)).units;
    };

    const delivery = await relay.delivery(1);
    await measure('list_package', relay.list(delivery, { terms: await terms({ flags: COSIGNED }) }));
    await measure('form_swarm', relay.form(delivery, 2, SOL));
    const [first, second] = [(await relay.courier(0)).address, (await relay.courier(1)).address];
    await measure('assign_leg, new courier', await relay.assign(delivery, 0, first, HALF));
    await measure('assign_leg, the last one', await relay.assign(delivery, 1, second, HALF));
    await measure('accept', await moves.accept(delivery, { index: 1 }));
    await measure('accept, take, cosigned', await moves.accept(delivery, { take: true, lister: delivery.shipper }));
    await measure('claim', await moves.claim(delivery));
    await measure('vacate, leave', await moves.vacate(delivery, { index: 1 }));
    await measure('dispute', await moves.dispute(delivery, { disputer: await relay.person('receiver') }));
    const late = await moves.accepted([0], await moves.pending(await moves.listed(2)));
    await ledger.setClock(NOW + CARRY);
    await measure('vacate, forfeit', await moves.vacate(late, { signer: await relay.person('stranger') }));

    print(table);
    expect(Object.entries(table).filter(([, units]) => units > LIMIT)).toEqual([]);
  },
);

test.skipIf(OTHER_ADDRESSES || CANNOT_SET_TIME)(
  `[T-40] every end of a leg with terms takes at most ${LIMIT} compute units, as does a reclaim of seven`,
  async () => {
    const table: Record<string, number> = {};
    const relay = await Relay.initialised();
    const { ledger, moves } = relay;
    await relay.person('arbiter');
    const measure = async (name: string, instruction: Instruction) => {
      table[name] = must(await ledger.send(instruction)).units;
    };

    const delivery = await staged(relay, 'carried');
    await measure('confirm_leg, takeover', await moves.handoff(delivery));
    must(await ledger.send(await moves.vacate(delivery, { index: 2 })));
    const newcomer = (await keyOf('newcomer')).address;
    await measure('assign_leg, vacant, new', await moves.replace(delivery, 2, newcomer));
    const vacant = await staged(relay, 'vacant', { number: 2 });
    await measure('assign_leg, vacant, known', await moves.replace(vacant, 0, newcomer));
    const final = await staged(relay, 'claimed', { payments: [HALF], number: 3 });
    await measure('confirm_leg, final', await moves.handoff(final, 0, 1));
    const ruled = await staged(relay, 'disputed', { number: 4 });
    await measure('rule, arbiter', await moves.rule(ruled, { percent: 33 }));
    await measure('confirm_leg, ruled', await moves.crank(ruled));
    const agreed = await staged(relay, 'disputed', { number: 5 });
    await measure('rule, agreement', await moves.rule(agreed, { form: 'agreed', percent: 33 }));
    const silent = await staged(relay, 'disputed', { number: 6 });
    const claimed = await staged(relay, 'claimed', { number: 7 });
    const payments = Array.from({ length: 7 }, () => SOL / 8n);
    // With a payer of its own, seven assignments do not fit the transaction that opens the swarm.
    const seven = await relay.forming(payments, 6, await moves.listed(8));
    must(await ledger.send(await relay.assign(seven, 6, (await relay.courier(6)).address, SOL / 8n)));
    await moves.accepted([0, 1, 2, 3, 4, 5, 6], seven);
    await ledger.setClock(NOW + ARBITRATION);
    await measure('rule, silence', await moves.rule(silent, { form: 'default', percent: 50 }));
    await measure('confirm_leg, silence', await moves.crank(claimed));
    await measure('reclaim_package, 7 legs', await moves.reclaim(seven, seven.funder, 7));

    print(table);
    expect(Object.entries(table).filter(([, units]) => units > LIMIT)).toEqual([]);
  },
);

test.skipIf(OTHER_ADDRESSES || CANNOT_SET_TIME)(
  `[T-74] everything about a task with terms takes at most ${LIMIT} compute units`,
  async () => {
    const table: Record<string, number> = {};
    const relay = await Relay.initialised();
    const { ledger, moves, tasks } = relay;
    await relay.person('arbiter');
    const measure = async (name: string, instruction: Instruction) => {
      table[name] = must(await ledger.send(instruction)).units;
    };
    const confirm = async (job: Job, signer: KeyPairSigner) =>
      tasks.confirm(job, 0, await tasks.agent(0), EVIDENCE_HASH, signer);
    const stranger = await relay.person('stranger');

    const job = await tasks.job(1);
    await measure('list_task', tasks.list(job, { terms: await terms() }));
    await measure('assign_task_leg, new agent', await tasks.assign(job, 0, await tasks.agent(0)));
    await measure('accept', await moves.accept(job));
    await measure('vacate, leave', await moves.vacate(job));
    await measure('release_task_leg', await tasks.release(job, { index: 0 }));
    await measure('assign_task_leg, known agent', await tasks.assign(job, 0, await tasks.agent(0)));
    must(await ledger.send(await moves.accept(job, { formation: 2 })));
    await measure('claim', await moves.claim(job, { formation: 2 }));
    await measure('confirm_task_leg, poster', await confirm(job, job.poster));
    const ruled = await stagedJob(relay, 'claimed', { number: 2 });
    await measure('dispute', await moves.dispute(ruled, { disputer: await relay.person('receiver') }));
    await measure('rule, arbiter', await moves.rule(ruled, { percent: 33, other: (await keyOf('receiver')).address }));
    await measure('confirm_task_leg, ruled', await confirm(ruled, stranger));
    const [claimed, silent] = [
      await stagedJob(relay, 'claimed', { number: 3 }),
      await stagedJob(relay, 'disputed', { number: 4 }),
    ];
    const [left, late] = [await stagedJob(relay, 'accepted', { number: 5 }), await fourLegs(relay, 6)];
    await ledger.setClock(NOW + CARRY);
    await measure('confirm_task_leg, silence', await confirm(claimed, stranger));
    await measure('rule, silence', await moves.rule(silent, { form: 'default', percent: 50 }));
    await measure('vacate, forfeit', await moves.vacate(left, { signer: stranger }));
    await ledger.setClock(DEADLINE);
    await measure('reclaim_task, 4 legs', await tasks.reclaim(late, firstLegs(4), late.funder, [await tasks.agent(3)]));

    print(table);
    expect(Object.entries(table).filter(([, units]) => units > LIMIT)).toEqual([]);
  },
);

/** A task with terms whose first three legs are completed, and the last one accepted. */
async function fourLegs(relay: Relay, number: number): Promise<Job> {
  const { ledger, moves, tasks } = relay;
  const job = await listedJob(relay, { number, listing: { numLegs: 4 } });
  for (const index of [0, 1, 2, 3]) {
    const of = { index, formation: index + 1 };
    await tasks.inProgress([index], job);
    must(await ledger.send(await moves.accept(job, of)));
    if (index === 3) return job;
    must(await ledger.send(await moves.claim(job, of)));
    must(await ledger.send(await tasks.confirm(job, index, await tasks.agent(index), EVIDENCE_HASH, job.poster)));
  }
  return job;
}
