import { LegStatus } from '@legwork/program-client';
import { isSome, unwrapOption, type Instruction, type KeyPairSigner } from '@solana/kit';
import type { TaskLegWithTurn } from './escrow.js';
import type { Job } from './job.js';
import { rulingOf } from './legsWithTerms.js';
import type { Step } from './steps.js';
import { ARBITRATION, EVIDENCE_HASH, REVIEW } from './terms.js';
import { judgement } from './termsSteps.js';
import type { TaskState, Town } from './town.js';

export interface JobScene {
  readonly town: Town;
  readonly step: Step;
  readonly job: Job;
}

export function hasTerms(state: TaskState): boolean {
  return typeof state === 'object' && isSome(state.terms);
}

/** The leg of a task with terms, while it has an agent. */
export async function legWithTurn(town: Town, job: Job, index: number): Promise<TaskLegWithTurn | undefined> {
  const leg = await town.taskLeg(job, index);
  const turn = leg && unwrapOption(leg.turn);
  return turn ? { ...leg, turn } : undefined;
}

/** A move of a leg by the holder of its role, or by a stranger: one that brings it forward, and now and then back. */
export async function moveOfTask(scene: JobScene, leg: TaskLegWithTurn): Promise<Instruction | undefined> {
  const { town, step, job } = scene;
  const { moves } = town.relay;
  const courier = town.personAt(leg.agent, town.relay.authority);
  const stranger = town.people[step.person % town.people.length] ?? courier;
  const of = { index: leg.index, courier, formation: leg.turn.formation };
  if (step.legs === 0) return moves.vacate(job, { ...of, signer: step.person % 2 === 0 ? courier : stranger });
  switch (leg.status) {
    case LegStatus.Pending:
      return moves.accept(job, of);
    case LegStatus.Accepted:
      return moves.claim(job, of);
    case LegStatus.Claimed: {
      const disputer = step.legs % 2 === 0 ? job.poster : await town.relay.person('receiver');
      if (step.person % 3 === 0) return moves.dispute(job, { ...of, disputer });
      return confirmationByAnyone(scene, leg, step.person % 3 === 1 ? stranger : job.poster);
    }
    case LegStatus.Disputed:
      return judgement({ town, step, escrow: job }, leg, { courier, signer: stranger });
    case LegStatus.Ruled:
      return confirmationByAnyone(scene, leg, stranger);
    case LegStatus.Carried:
    case LegStatus.Completed:
    case LegStatus.Vacant:
      return undefined;
  }
  throw new Error('A leg has no such status');
}

export function confirmationByAnyone(
  { town, job }: Pick<JobScene, 'town' | 'job'>,
  { index, agent }: TaskLegWithTurn,
  signer: KeyPairSigner,
): Promise<Instruction> {
  return town.relay.tasks.confirm(job, index, agent, EVIDENCE_HASH, signer);
}

/**
 * The funder's move on a claim, a dispute or a ruling that it has to wait
 * for, at the time from which it may; undefined where there is none.
 */
export async function finishedTask(town: Town, job: Job, leg: TaskLegWithTurn): Promise<Instruction | undefined> {
  const signer = job.funder;
  if (leg.status === LegStatus.Disputed) {
    await town.waitUntil(leg.turn.since + ARBITRATION);
    const courier = town.personAt(leg.agent, signer);
    return rulingOf(town.relay, job, leg, { form: 'default', courier, signer, percent: 50 });
  }
  if (leg.status === LegStatus.Claimed) await town.waitUntil(leg.turn.since + REVIEW);
  const isDue = leg.status === LegStatus.Claimed || leg.status === LegStatus.Ruled;
  return isDue ? confirmationByAnyone({ town, job }, leg, signer) : undefined;
}
