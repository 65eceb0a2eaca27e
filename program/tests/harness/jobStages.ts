import type { TermsArgs } from '@legwork/program-client';
import type { Instruction } from '@solana/kit';
import { must } from './delivery.js';
import type { Job, TaskListing } from './job.js';
import type { Relay } from './relay.js';
import type { Stage } from './stages.js';
import { terms } from './terms.js';

/** Statuses of a leg of a task that is not completed: nobody carries it. */
export type JobStage = Exclude<Stage, 'carried'>;

interface JobSetting {
  readonly number?: number;
  readonly changes?: Partial<TermsArgs>;
  readonly listing?: TaskListing;
}

/** A listed task with terms. */
export async function listedJob(
  relay: Relay,
  { number = 1, changes = {}, listing = {} }: JobSetting = {},
): Promise<Job> {
  return relay.tasks.listed(number, { terms: await terms(changes), ...listing });
}

/** A task with terms whose first leg is in this status; a ruled one is ruled with 30 percent. */
export async function stagedJob(relay: Relay, stage: JobStage, setting: JobSetting = {}): Promise<Job> {
  const { moves } = relay;
  const job = await relay.tasks.inProgress([0], await listedJob(relay, setting));
  const path: Readonly<Record<JobStage, readonly (() => Promise<Instruction>)[]>> = {
    pending: [],
    accepted: [() => moves.accept(job)],
    claimed: [() => moves.accept(job), () => moves.claim(job)],
    disputed: [() => moves.accept(job), () => moves.claim(job), () => moves.dispute(job)],
    ruled: [
      () => moves.accept(job),
      () => moves.claim(job),
      () => moves.dispute(job),
      () => moves.rule(job, { percent: 30 }),
    ],
    vacant: [() => moves.vacate(job)],
  };
  for (const step of path[stage]) must(await relay.ledger.send(await step()));
  return job;
}
