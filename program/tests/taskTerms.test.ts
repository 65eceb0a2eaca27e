import { LegStatus, TaskStatus } from '@legwork/program-client';
import { describe, expect, test } from 'vitest';
import { CANNOT_SET_TIME } from './harness/backend.js';
import { must, NOW, SOL } from './harness/delivery.js';
import { listedJob, stagedJob } from './harness/jobStages.js';
import { Relay } from './harness/relay.js';
import { EVIDENCE_HASH, REVIEW, STAKE } from './harness/terms.js';

describe('a task with terms', () => {
  test('is listed, accepted, claimed, confirmed by its poster, leg after leg, and settled', async () => {
    const relay = await Relay.initialised();
    const { ledger, moves, tasks } = relay;
    const job = await listedJob(relay);
    for (const index of [0, 1]) {
      const agent = await relay.courier(index);
      must(await ledger.send(await tasks.assign(job, index, agent.address)));
      const before = await relay.lamports(agent.address);
      const of = { index, formation: index + 1 };
      must(await ledger.send(await moves.accept(job, of)));
      expect(await relay.lamports(agent.address)).toBe(before - STAKE);
      must(await ledger.send(await moves.claim(job, of)));
      expect(await moves.leg(job, index)).toMatchObject({ status: LegStatus.Claimed, resultHash: EVIDENCE_HASH });
      must(await ledger.send(await tasks.confirm(job, index, agent.address, EVIDENCE_HASH, job.poster)));
      expect(await relay.lamports(agent.address)).toBe(before + SOL / 2n);
    }
    must(await ledger.send(await tasks.settle(job, [{ index: 0 }, { index: 1 }])));
    expect(await tasks.state(job)).toMatchObject({ status: TaskStatus.Completed, formation: 2, paid: SOL });
  });

  test.skipIf(CANNOT_SET_TIME)('is paid by silence, and in part by a ruling', async () => {
    const relay = await Relay.initialised();
    const { ledger, tasks } = relay;
    const agent = await relay.courier(0);
    const stranger = await relay.person('stranger');
    const before = await relay.lamports(agent.address);
    const claimed = await stagedJob(relay, 'claimed');
    await ledger.setClock(NOW + REVIEW);
    must(await ledger.send(await tasks.confirm(claimed, 0, agent.address, EVIDENCE_HASH, stranger)));
    expect(await relay.lamports(agent.address)).toBe(before + SOL / 2n);
  });
});
