import {
  getAcceptedEventDecoder,
  getClaimedEventDecoder,
  getDisputedEventDecoder,
  getRuledEventDecoder,
  getTaskLegConfirmedEventDecoder,
  getVacatedEventDecoder,
} from '@legwork/program-client';
import { describe, expect } from 'vitest';
import { CANNOT_SET_TIME } from './harness/backend.js';
import { NOW, SOL, type Delivery } from './harness/delivery.js';
import { decoded } from './harness/events.js';
import { stagedJob } from './harness/jobStages.js';
import type { Relay } from './harness/relay.js';
import { test } from './harness/relayTest.js';
import { CARRY, EVIDENCE_HASH, REASON_HASH, STAKE } from './harness/terms.js';

/** The content of every move's event. */
async function moved(relay: Relay, { package: listing, swarm }: Delivery, index = 0) {
  const leg = await relay.leg({ swarm }, index);
  return { listing, leg, courier: (await relay.courier(index)).address, index, formation: 1 };
}

describe('[P-8] every move logs one event', () => {
  test('accept, claim and dispute', async ({ relay }) => {
    const { ledger, moves } = relay;
    const delivery = await moves.pending();
    const first = await moved(relay, delivery);
    const accepted = decoded(getAcceptedEventDecoder(), await ledger.send(await moves.accept(delivery)));
    expect(accepted).toEqual({ discriminator: 24, ...first, take: 0 });
    const take = await moves.accept(delivery, { take: true });
    expect(decoded(getAcceptedEventDecoder(), await ledger.send(take))).toMatchObject({ take: 1 });
    const claimed = decoded(getClaimedEventDecoder(), await ledger.send(await moves.claim(delivery)));
    expect(claimed).toEqual({ discriminator: 26, ...first, evidenceHash: EVIDENCE_HASH });
    const disputed = decoded(getDisputedEventDecoder(), await ledger.send(await moves.dispute(delivery)));
    expect(disputed).toEqual({ discriminator: 27, ...first, reasonHash: REASON_HASH });
  });

  test.skipIf(CANNOT_SET_TIME)('vacate, with the stake only if it is lost', async ({ relay }) => {
    const { ledger, moves } = relay;
    const delivery = await moves.accepted([0, 2]);
    const left = decoded(getVacatedEventDecoder(), await ledger.send(await moves.vacate(delivery, { index: 2 })));
    expect(left).toEqual({ discriminator: 25, ...(await moved(relay, delivery, 2)), forfeitedLamports: 0n });
    await ledger.setClock(NOW + CARRY);
    const taken = await ledger.send(await moves.vacate(delivery, { signer: await relay.person('stranger') }));
    expect(decoded(getVacatedEventDecoder(), taken)).toEqual({
      discriminator: 25,
      ...(await moved(relay, delivery)),
      forfeitedLamports: STAKE,
    });
  });

  test('of a leg of a task, which its listing and worker are named by', async ({ relay }) => {
    const { ledger, moves, tasks } = relay;
    await relay.person('arbiter');
    const job = await stagedJob(relay, 'pending');
    const agent = await tasks.agent(0);
    const leg = await relay.taskLeg(job, 0);
    const said = { listing: job.task, leg, courier: agent, index: 0, formation: 1 };
    const accepted = decoded(getAcceptedEventDecoder(), await ledger.send(await moves.accept(job)));
    expect(accepted).toEqual({ discriminator: 24, ...said, take: 0 });
    const claimed = decoded(getClaimedEventDecoder(), await ledger.send(await moves.claim(job)));
    expect(claimed).toEqual({ discriminator: 26, ...said, evidenceHash: EVIDENCE_HASH });
    const disputed = decoded(getDisputedEventDecoder(), await ledger.send(await moves.dispute(job)));
    expect(disputed).toEqual({ discriminator: 27, ...said, reasonHash: REASON_HASH });
    const ruled = decoded(getRuledEventDecoder(), await ledger.send(await moves.rule(job, { percent: 30 })));
    expect(ruled).toEqual({ discriminator: 28, ...said, percent: 30 });
    const confirm = await tasks.confirm(job, 0, agent, EVIDENCE_HASH, job.poster);
    expect(decoded(getTaskLegConfirmedEventDecoder(), await ledger.send(confirm))).toEqual({
      discriminator: 19,
      task: job.task,
      taskLeg: leg,
      agent,
      index: 0,
      paymentLamports: ((SOL / 2n) * 30n) / 100n,
      resultHash: EVIDENCE_HASH,
    });
  });
});
