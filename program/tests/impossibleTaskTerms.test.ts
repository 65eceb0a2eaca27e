import type { Instruction } from '@solana/kit';
import { describe, expect } from 'vitest';
import { acceptedDoubles } from './harness/aliases.js';
import { CANNOT_SET_TIME } from './harness/backend.js';
import { DEADLINE, must } from './harness/delivery.js';
import { firstLegs, type Job } from './harness/job.js';
import { stagedJob } from './harness/jobStages.js';
import { test } from './harness/relayTest.js';
import { EVIDENCE_HASH } from './harness/terms.js';

describe.skipIf(CANNOT_SET_TIME)('tasks with terms', () => {
  test('[P-7] one account in two mutable roles is refused for every pair of places', async ({ relay }) => {
    const { ledger, moves, tasks } = relay;
    const agent = await tasks.agent(0);
    const confirm = (job: Job) => tasks.confirm(job, 0, agent, EVIDENCE_HASH, job.poster);
    const claimed = await stagedJob(relay, 'claimed');
    expect(await acceptedDoubles(relay, await confirm(claimed))).toEqual([]);
    const disputed = await stagedJob(relay, 'disputed', { number: 2 });
    expect(await acceptedDoubles(relay, await moves.rule(disputed, { percent: 60 }))).toEqual([]);
    expect(await acceptedDoubles(relay, await confirm(disputed))).toEqual([]);
    const vacant = await stagedJob(relay, 'vacant', { number: 3 });
    expect(await acceptedDoubles(relay, await tasks.release(vacant, { index: 0 }))).toEqual([]);
    expect(await acceptedDoubles(relay, await tasks.assign(vacant, 0, agent))).toEqual([]);
    const accepted = await stagedJob(relay, 'accepted', { number: 4 });
    await ledger.setClock(DEADLINE);
    const reclaim = await tasks.reclaim(accepted, firstLegs(1), accepted.funder, [agent]);
    expect(await acceptedDoubles(relay, reclaim)).toEqual([]);
  });

  test('[T-18] stakes and payments move once, also when one transaction asks twice', async ({ relay }) => {
    const { ledger, moves, tasks } = relay;
    const [claimed, disputed] = [await stagedJob(relay, 'claimed'), await stagedJob(relay, 'disputed', { number: 2 })];
    const [vacant, accepted] = [
      await stagedJob(relay, 'vacant', { number: 3 }),
      await stagedJob(relay, 'accepted', { number: 4 }),
    ];
    const agent = await tasks.agent(0);
    const confirm = (job: Job) => tasks.confirm(job, 0, agent, EVIDENCE_HASH, job.poster);
    const ruling = await moves.rule(disputed, { percent: 60 });
    const agreement = await moves.rule(disputed, { form: 'agreed', percent: 60 });
    const release = await tasks.release(vacant, { index: 0 });
    const vacate = await moves.vacate(accepted);
    const twice: readonly (readonly [readonly Instruction[], string])[] = [
      [[await confirm(claimed), await confirm(claimed)], 'LegOutOfOrder'],
      [[ruling, ruling], 'InvalidStatus'],
      [[ruling, agreement], 'InvalidStatus'],
      [[ruling, await confirm(disputed), await confirm(disputed)], 'LegOutOfOrder'],
      [[release, release], 'InvalidStatus'],
      [[vacate, vacate], 'InvalidStatus'],
      [[vacate, await moves.claim(accepted)], 'InvalidStatus'],
    ];
    for (const [place, [instructions, refusal]] of twice.entries()) {
      expect([place, (await ledger.send(...instructions)).error]).toEqual([place, refusal]);
    }
    must(await ledger.send(ruling, await confirm(disputed)));
  });
});
