import { RESULT_HASH } from '../harness/job.js';
import { STAKE } from '../harness/terms.js';
import { until } from './clock.js';
import { BEFORE_THE_DEADLINE, FEE, type Play } from './plays.js';
import { CLOCK } from './stage.js';
import type { TaskScene } from './taskScene.js';

/** Nobody says anything of the result: its agent pays itself. */
async function unread(scene: TaskScene): Promise<void> {
  await scene.accept();
  await scene.claim();
  const stranger = await scene.relay.person('stranger');
  await scene.refused(await scene.confirm(scene.relay.coordinator), 'ReviewOpen');
  await scene.refused(await scene.confirm(stranger, 0, RESULT_HASH), 'FormationMismatch');
  const opening = { at: (await scene.since()) + CLOCK, refusal: 'ReviewOpen' };
  await scene.opens('the agent pays itself', await scene.confirm(scene.agent()), opening);
  await scene.settle();
  await scene.expectGains(-scene.payment, 0n, scene.payment);
}

/** The poster is silent, the receiver is not. */
async function received(scene: TaskScene): Promise<void> {
  await scene.accept();
  await scene.claim();
  await scene.send(await scene.confirm(scene.receiver));
  await scene.settle();
  await scene.expectGains(-scene.payment, 0n, scene.payment);
}

/** Somebody disputes whose arbiter is silent; one who disputed or worked ends it. */
async function undecided(scene: TaskScene, disputer: 'poster' | 'receiver'): Promise<void> {
  const { relay, job } = scene;
  const by = disputer === 'poster' ? scene.lister : scene.receiver;
  const ending = disputer === 'poster' ? scene.agent() : scene.receiver;
  await scene.accept();
  await scene.claim();
  await scene.dispute(by);
  await scene.refused(await scene.confirm(ending), 'ClaimPending');
  const form = { courier: scene.agent(), signer: ending, other: by.address, form: 'default', percent: 50 } as const;
  const opening = { at: (await scene.since()) + CLOCK, refusal: 'LegInTime' };
  await scene.opens(`the default of a dispute by the ${disputer}`, await relay.moves.rule(job, form), opening);
  await scene.send(await scene.confirm(ending));
  await scene.settle();
  const half = scene.payment / 2n;
  const [poster, receiver] = disputer === 'poster' ? [-half - FEE, 0n] : [-half, -FEE];
  await scene.expectGains(poster, receiver, half);
}

/** The agent that was given the leg never answers. */
async function unanswered(scene: TaskScene): Promise<void> {
  const opening = { at: (await scene.since()) + CLOCK, refusal: 'LegInTime' };
  const stranger = await scene.relay.person('stranger');
  await scene.opens('anybody vacates a pending leg', await scene.vacate(stranger), opening);
  await scene.reclaimed();
  await scene.expectGains(0n, 0n, 0n);
}

/** The agent accepts, and hands in nothing. */
async function silentAgent(scene: TaskScene): Promise<void> {
  await scene.accept();
  await scene.refused(await scene.confirm(scene.relay.coordinator), 'InvalidStatus');
  const opening = { at: (await scene.since()) + CLOCK, refusal: 'LegInTime' };
  const stranger = await scene.relay.person('stranger');
  await scene.opens('anybody vacates an accepted leg', await scene.vacate(stranger), opening);
  await scene.reclaimed();
  await scene.expectGains(STAKE, 0n, -STAKE);
}

/** The agent leaves in time, which nobody else can do for it. */
async function leaving(scene: TaskScene): Promise<void> {
  await scene.accept();
  await scene.refused(await scene.vacate(scene.lister), 'LegInTime');
  await scene.send(await scene.vacate(scene.agent()));
  await scene.reclaimed();
  await scene.expectGains(0n, 0n, 0n);
}

/** The agent hands in after its time, before anybody took the leg away. */
async function late(scene: TaskScene): Promise<void> {
  await scene.accept();
  await until(scene.relay, (await scene.since()) + CLOCK);
  await scene.claim();
  const at = (await scene.since()) + CLOCK;
  await scene.opens('the late agent pays itself', await scene.confirm(scene.agent()), { at, refusal: 'ReviewOpen' });
  await scene.settle();
  await scene.expectGains(-scene.payment, 0n, scene.payment);
}

/** The poster disputes, the arbiter leaves a part, and the agent takes it at once. */
async function ruled(scene: TaskScene): Promise<void> {
  await scene.accept();
  await scene.claim();
  await scene.dispute(scene.lister);
  await scene.rule(30);
  await scene.send(await scene.confirm(scene.agent()));
  await scene.settle();
  const [stakes, payment] = [((2n * STAKE - FEE) * 30n) / 100n, (scene.payment * 30n) / 100n];
  await scene.expectGains(STAKE - FEE - stakes - payment, 0n, stakes - STAKE + payment);
}

/** A hostile receiver disputes a right result. */
async function overruled(scene: TaskScene): Promise<void> {
  await scene.accept();
  await scene.claim();
  await scene.dispute(scene.receiver);
  await scene.rule(100, scene.receiver);
  await scene.send(await scene.confirm(await scene.relay.person('stranger')));
  await scene.settle();
  await scene.expectGains(-scene.payment, -STAKE, STAKE - FEE + scene.payment);
}

/** The result is worth nothing: the leg is vacant, and nobody is there to give it away again. */
async function rejected(scene: TaskScene): Promise<void> {
  await scene.accept();
  await scene.claim();
  await scene.dispute(scene.lister);
  await scene.rule(0);
  await scene.refused(await scene.confirm(scene.agent()), 'InvalidStatus');
  await scene.reclaimed();
  await scene.expectGains(STAKE - FEE, 0n, -STAKE);
}

async function agreed(scene: TaskScene): Promise<void> {
  const { relay, job } = scene;
  await scene.accept();
  await scene.claim();
  const agreement = { courier: scene.agent(), signer: scene.lister, form: 'agreed', percent: 40 } as const;
  await scene.send(await relay.moves.rule(job, agreement));
  await scene.send(await scene.confirm(scene.lister));
  await scene.settle();
  const payment = (scene.payment * 40n) / 100n;
  await scene.expectGains(-payment, 0n, payment);
}

/** A claim before the deadline is waited for beyond it, by the funder too. */
async function claimedAtTheDeadline(scene: TaskScene): Promise<void> {
  const { relay, deadline } = scene;
  await scene.accept();
  await until(relay, deadline - BEFORE_THE_DEADLINE);
  await scene.claim();
  const at = (await scene.since()) + CLOCK;
  await until(relay, deadline);
  await scene.refused(await scene.reclaim(), 'ClaimPending');
  // The poster may confirm at any time; who has no part in it ends the claim.
  const crank = await scene.confirm(await relay.person('stranger'));
  await scene.opens('anybody ends a claim', crank, { at, refusal: 'ReviewOpen' });
  await scene.send(await scene.reclaim());
  await scene.expectGains(-scene.payment, 0n, scene.payment, 0n);
}

/** The agent works beyond the deadline, and its stake returns. */
async function acceptedAtTheDeadline(scene: TaskScene): Promise<void> {
  await scene.accept();
  await scene.refused(scene.relay.tasks.cancel(scene.job), 'InvalidStatus');
  await scene.reclaimed(scene.agent());
  await scene.expectGains(0n, 0n, 0n);
}

/** One leg is paid; nobody is there to give the next one away. */
async function halfDone(scene: TaskScene): Promise<void> {
  await scene.accept();
  await scene.claim();
  await scene.send(await scene.confirm(scene.lister));
  await scene.reclaimed();
  await scene.expectGains(-scene.payment, 0n, scene.payment, 0n);
}

async function onlyListed(scene: TaskScene): Promise<void> {
  await scene.send(scene.relay.tasks.cancel(scene.job));
  await scene.expectGains(0n, 0n, 0n);
}

export const TASK_PLAYS: Readonly<Record<string, Play<TaskScene>>> = {
  'nobody reads it': { legs: 1, run: unread },
  'the receiver confirms': { legs: 1, run: received },
  'silent arbiter': { legs: 1, arbiter: 'silent', run: (scene) => undecided(scene, 'poster') },
  'silent arbiter of a receiver': { legs: 1, arbiter: 'silent', run: (scene) => undecided(scene, 'receiver') },
  'agent never answers': { legs: 1, run: unanswered },
  'silent agent': { legs: 1, run: silentAgent },
  'agent leaves': { legs: 1, run: leaving },
  'late agent': { legs: 1, run: late },
  ruled: { legs: 1, arbiter: 'rules', run: ruled },
  'hostile receiver': { legs: 1, arbiter: 'rules', run: overruled },
  rejected: { legs: 1, arbiter: 'rules', run: rejected },
  agreed: { legs: 1, run: agreed },
  'claimed at the deadline': { legs: 2, run: claimedAtTheDeadline },
  'accepted at the deadline': { legs: 1, run: acceptedAtTheDeadline },
  'half done': { legs: 2, run: halfDone },
  'only listed': { legs: 1, assigned: 0, run: onlyListed },
};
