import { setTimeout as sleep } from 'node:timers/promises';
import type { DigitalTaskDetail, DigitalTaskDraft } from '@legwork/sdk';
import type { KeyPairSigner } from '@solana/kit';
import type { World } from '../agent.js';
import { carryOut, type Ended } from '../journey.js';
import type { Listed } from '../listed.js';
import { budgetIn } from '../money/units.js';
import { TASKS } from './kind.js';
import { type LegRecord, LegWork } from './leg.js';
import { isShort, type TaskStory } from './story.js';

/** 0.3 SOL and one lamport, which goes back: it is a multiple of no number of legs but one. */
export const BUDGET_SOL = 0.300000001;
export const BUDGET_LAMPORTS = 300_000_001n;

/** A digital task that has come to its end. */
export interface FinishedTask extends Ended<DigitalTaskDetail> {
  readonly paymentLamports: bigint;
  /** Its agents' knowledge, by the index of the leg. */
  readonly legs: readonly LegRecord[];
}

/** Has one digital task done as its story says, and waits for its end. */
export async function finishTask(world: World, story: TaskStory, shipper: KeyPairSigner): Promise<FinishedTask> {
  const paymentLamports = BUDGET_LAMPORTS / BigInt(story.legs.length);
  const legs: LegWork[] = [];
  const ended = await carryOut(world, {
    kind: TASKS,
    story,
    shipper,
    draft: (deadline) => draftOf(world, story, deadline),
    contest: story.fate === 'reclaimed' && story.isContested ? async () => legs[story.legsKept]?.contest() : undefined,
    work: async (agent, listed) => {
      const listing = await agent.step(`${listed.id}: read`, () => listed.read());
      requireLegs(listing, story);
      const scene = { world, agent, listed, paymentLamports, isShort: isShort(story) };
      for (const [index, leg] of story.legs.entries()) {
        const shown = listing.legs[index];
        if (shown) legs.push(new LegWork(scene, leg, shown));
      }
      await work(story, legs, listed);
    },
  });
  return { ...ended, paymentLamports, legs: legs.map(({ record }) => record) };
}

const instructionsOf = ({ legs, number }: TaskStory) =>
  legs.map((_, index) => `${index + 1}. Translate part ${index + 1} of text ${number}`);

function draftOf({ asset }: World, story: TaskStory, deadline: Date): DigitalTaskDraft {
  const instructions = instructionsOf(story);
  return {
    title: `Text ${story.number}`,
    description: instructions.join('\n'),
    ...(!story.isPlanned && { legs: instructions.map((instruction) => ({ instruction })) }),
    ...budgetIn(asset, BUDGET_SOL),
    claimTimeoutSec: story.claimTimeoutSec,
    deadline: deadline.toISOString(),
  };
}

/** The plan of a list is its items, so that both ways to post it give the same legs. */
function requireLegs({ id, legs }: DigitalTaskDetail, story: TaskStory): void {
  const [found, wanted] = [legs.map(({ instruction }) => instruction), instructionsOf(story)];
  if (found.join('\n') !== wanted.join('\n')) throw new Error(`${id}: its legs are ${JSON.stringify(found)}`);
}

/** The agents' work for one task. */
async function work(story: TaskStory, legs: readonly LegWork[], listed: Listed<DigitalTaskDetail>): Promise<void> {
  const { fate, isEager, isTried, legsKept } = story;
  const [first, ...later] = legs;
  if (!first) throw new RangeError('There is no leg.');
  if (isEager) {
    const isHeld = fate === 'completed' || fate === 'reclaimed';
    await Promise.all((isHeld ? legs : later).map((leg) => leg.claim()));
    await Promise.all(later.map((leg) => leg.reserve()));
  }
  if (fate === 'cancelled' && isTried) await first.passThrough();
  if (fate === 'cancelled' || fate === 'forgotten') return;
  if (fate === 'raced' && !(await isWon(story, first, listed))) return;
  for (const leg of fate === 'reclaimed' ? legs.slice(0, legsKept) : legs) await leg.complete();
  if (fate === 'reclaimed') await legs[legsKept]?.begin();
}

/** The first leg is claimed while the shipper cancels. @returns true if the work goes on */
async function isWon(
  { cancelsAfterMs }: TaskStory,
  first: LegWork,
  listed: Listed<DigitalTaskDetail>,
): Promise<boolean> {
  const cancelled = sleep(cancelsAfterMs).then(() => listed.cancel());
  await Promise.all([first.claimInRace(), cancelled]);
  const { status } = await listed.until(['in_progress', 'failed']);
  return status === 'in_progress';
}
