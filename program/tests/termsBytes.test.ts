import type { Address, Instruction } from '@solana/kit';
import { expect } from 'vitest';
import { firstLegs } from './harness/job.js';
import { keyOf } from './harness/keys.js';
import { test } from './harness/relayTest.js';
import { EVIDENCE_HASH, terms } from './harness/terms.js';
import { BUDGET, transactionBytes } from './harness/transactionBytes.js';

function bytes(payer: { readonly address: Address }, ...instructions: readonly Instruction[]): number {
  return transactionBytes(payer.address, 0, [...BUDGET, ...instructions]);
}

test('[T-2] [T-5] the moves of a leg leave most of a packet free', async ({ relay }) => {
  const { moves } = relay;
  const delivery = await relay.delivery();
  const own = { ...delivery, funder: delivery.shipper };
  const [courier, stranger] = [await relay.courier(0), await relay.person('stranger')];

  expect({
    list: bytes(delivery.shipper, relay.list(own, { terms: await terms() })),
    listForAnother: bytes(delivery.funder, relay.list(delivery, { terms: await terms() })),
    accept: bytes(courier, await moves.accept(delivery)),
    acceptCosigned: bytes(courier, await moves.accept(delivery, { take: true, lister: delivery.shipper })),
    vacate: bytes(stranger, await moves.vacate(delivery, { index: 1, signer: stranger })),
    claim: bytes(courier, await moves.claim(delivery)),
    dispute: bytes(delivery.shipper, await moves.dispute(delivery)),
  }).toEqual({
    list: 512,
    listForAnother: 608,
    accept: 393,
    acceptCosigned: 490,
    vacate: 458,
    claim: 358,
    dispute: 391,
  });
});

test('[T-40] the ends of a leg leave as much, and a reclaim of seven legs with seven couriers fits one packet', async ({
  relay,
}) => {
  const { coordinator, moves } = relay;
  const delivery = await relay.delivery();
  const [arbiter, courier, next] = [await keyOf('arbiter'), await relay.courier(0), await relay.courier(1)];
  const confirm = (recipient: typeof next) =>
    relay.confirm(delivery, { index: 0, courier: courier.address, recipient, next: 1 });
  const ruling = await moves.rule(delivery, { percent: 60 });
  const replace = await moves.replace(delivery, 1, (await relay.courier(3)).address);
  const couriers = await Promise.all([0, 1, 2, 3, 4, 5, 6].map(async (index) => (await relay.courier(index)).address));

  expect({
    rule: bytes(arbiter, ruling),
    agree: bytes(delivery.shipper, await moves.rule(delivery, { form: 'agreed', percent: 60 })),
    ruleAndConfirm: bytes(arbiter, ruling, await confirm(arbiter)),
    confirm: bytes(next, await confirm(next)),
    assignVacant: bytes(coordinator, replace),
    vacateAndAssign: bytes(coordinator, await moves.vacate(delivery, { index: 1, signer: coordinator }), replace),
    reclaimSeven: bytes(delivery.shipper, await relay.reclaim(delivery, 7, delivery.shipper, couriers)),
  }).toEqual({
    rule: 460,
    agree: 524,
    ruleAndConfirm: 571,
    confirm: 491,
    assignVacant: 531,
    vacateAndAssign: 641,
    reclaimSeven: 918,
  });
});

test('[T-72] [T-74] a task with terms needs no more', async ({ relay }) => {
  const { coordinator, moves, tasks } = relay;
  const job = await tasks.job();
  const own = { ...job, funder: job.poster };
  const [arbiter, agent, stranger] = [await keyOf('arbiter'), await relay.courier(0), await relay.person('stranger')];
  const release = await tasks.release(job, { index: 0 });
  const [first, second] = [await tasks.agent(0), await tasks.agent(1)];

  expect({
    list: bytes(job.poster, tasks.list(own, { terms: await terms() })),
    listForAnother: bytes(job.funder, tasks.list(job, { terms: await terms() })),
    assign: bytes(coordinator, await tasks.assign(job, 0, first)),
    accept: bytes(agent, await moves.accept(job)),
    vacate: bytes(stranger, await moves.vacate(job, { signer: stranger })),
    claim: bytes(agent, await moves.claim(job)),
    dispute: bytes(job.poster, await moves.dispute(job)),
    rule: bytes(arbiter, await moves.rule(job, { percent: 60 })),
    agree: bytes(job.poster, await moves.rule(job, { form: 'agreed', percent: 60 })),
    confirm: bytes(job.poster, await tasks.confirm(job, 0, first, EVIDENCE_HASH, job.poster)),
    vacateAndAssign: bytes(
      coordinator,
      await moves.vacate(job, { signer: coordinator }),
      release,
      await tasks.assign(job, 0, second),
    ),
    reclaimFour: bytes(job.poster, await tasks.reclaim(job, firstLegs(4), job.poster, [first])),
  }).toEqual({
    list: 513,
    listForAnother: 609,
    assign: 424,
    accept: 361,
    vacate: 394,
    claim: 359,
    dispute: 359,
    rule: 428,
    agree: 492,
    confirm: 489,
    vacateAndAssign: 545,
    reclaimFour: 591,
  });
});
