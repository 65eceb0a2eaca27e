import { reclaimDigitalTask, uploadArtifact } from '@legwork/sdk';
import { claim, legIdOf, untilTask } from '../operations/digitalTasks/scene.js';
import { courier, signedWith } from '../operations/turns/scene.js';
import { begunBy, type Bound, boundTask, claimResult, moveInTask, reasonOf } from '../operations/turns/taskScene.js';
import type { Party, TestService } from '../support/service.js';

/** Digital tasks with terms, each with another past, by id. */
export interface TaskTermsScene {
  /** Reclaimed while its agent worked on the second leg. */
  reclaimed: string;
  /**
   * Its first leg was left in time, then its agent was late, then its result was rejected, and then there was one with files.
   * Nobody disputed the second. Settled.
   */
  replaced: string;
  /** Disputed by the receiver, and the arbiter was silent. Settled. */
  defaulted: string;
  /** Disputed by the poster, and ruled. Settled. */
  ruled: string;
  /** Poster and agent agreed on a part. Settled. */
  agreed: string;
  /** The first leg was confirmed at once, the second is accepted. It requires something of its agents. */
  accepted: string;
  /** Its only leg is claimed. */
  claimed: string;
  /** Its only leg is disputed. */
  disputed: string;
  /** Its only leg has an agent who has not accepted. */
  pending: string;
}

const CLOCKS = { carrySec: 3600, handoffSec: 300, reviewSec: 300, arbitrationSec: 300 };
/** How long the keeper leaves a late agent alone, and the ledger's clock may be a second behind. */
const GRACE_SEC = 130;
/** Long enough for the agents to be in time, sooner than the deadlines of the other tasks. */
const SOON_SEC = 6 * 3600;

const ONE_LEG = { legs: [{ instruction: 'Sum it up.' }] };

async function untilStage(service: TestService, { task }: Bound, index: number, stage: string): Promise<void> {
  await untilTask(service, task.id, ({ legs }) => legs[index]?.stage === stage);
}

async function untilOpen(service: TestService, { task }: Bound, index: number): Promise<void> {
  await untilTask(service, task.id, ({ legs }) => legs[index]?.isOpen ?? false);
}

async function untilSettled(service: TestService, { task }: Bound): Promise<string> {
  await untilTask(service, task.id, ({ status }) => status === 'completed');
  return task.id;
}

/** Somebody works on the leg and hands something in; the poster confirms it at once. */
async function completed(service: TestService, bound: Bound, index: number): Promise<void> {
  await claimResult(bound, index, await begunBy(service, bound, index), `result ${index}`);
  await moveInTask(bound, index, bound.poster, 'confirm');
  await untilStage(service, bound, index, 'completed');
}

async function reclaimed(service: TestService): Promise<string> {
  const deadline = new Date(Date.now() + SOON_SEC * 1000).toISOString();
  const bound = await boundTask(service, { ...CLOCKS, carrySec: SOON_SEC / 4 }, { deadline });
  const { poster, task } = bound;
  await completed(service, bound, 0);
  await service.advanceTime(SOON_SEC - 600);
  await begunBy(service, bound, 1);
  await service.advanceTime(610);
  await reclaimDigitalTask(poster.client, service.rpc, poster.signer, task.id);
  await untilTask(service, task.id, ({ status }) => status === 'failed');
  return task.id;
}

/** The agent hands in a result with files, and claims. */
async function claimWithFiles(bound: Bound, agent: Party): Promise<void> {
  const legId = legIdOf(bound.task, 0);
  const leg = { taskId: bound.task.id, legId, agentPubkey: agent.pubkey };
  const file = { content: new TextEncoder().encode('topic,sum\n'), name: 'sums.csv', contentType: 'text/csv' };
  const artifacts = [await uploadArtifact(agent.client, { ...leg, ...file })];
  const { claimTransaction } = await agent.client.completeDigitalLeg({ ...leg, result: 'see the file', artifacts });
  await agent.client.submitTurn({ legId, transaction: await signedWith(claimTransaction ?? '', [agent.signer]) });
}

async function disputedBy(service: TestService, bound: Bound, disputer: Party): Promise<Party> {
  const agent = await begunBy(service, bound, 0);
  await claimResult(bound, 0, agent, 'lorem ipsum');
  await moveInTask(bound, 0, disputer, 'dispute', { hash: await reasonOf(disputer, bound.task, 0) });
  return agent;
}

async function replaced(service: TestService): Promise<string> {
  const bound = await boundTask(service, CLOCKS);
  const { poster, arbiter } = bound;
  await moveInTask(bound, 0, await begunBy(service, bound, 0), 'vacate');
  await untilOpen(service, bound, 0);
  await begunBy(service, bound, 0);
  await service.advanceTime(CLOCKS.carrySec + GRACE_SEC);
  await untilOpen(service, bound, 0);
  await disputedBy(service, bound, poster);
  await moveInTask(bound, 0, arbiter, 'rule', { percent: 0 });
  await untilOpen(service, bound, 0);
  await claimWithFiles(bound, await begunBy(service, bound, 0));
  await moveInTask(bound, 0, poster, 'confirm');
  await untilStage(service, bound, 0, 'completed');
  await claimResult(bound, 1, await begunBy(service, bound, 1), 'it is summed up');
  await service.advanceTime(CLOCKS.reviewSec);
  return untilSettled(service, bound);
}

async function defaulted(service: TestService): Promise<string> {
  const receiver = await service.party(1);
  const bound = await boundTask(service, { ...CLOCKS, receiverPubkey: receiver.pubkey }, ONE_LEG);
  await disputedBy(service, bound, receiver);
  await service.advanceTime(CLOCKS.arbitrationSec);
  return untilSettled(service, bound);
}

async function ruled(service: TestService): Promise<string> {
  const bound = await boundTask(service, CLOCKS, ONE_LEG);
  await disputedBy(service, bound, bound.poster);
  const reason = { legId: legIdOf(bound.task, 0), text: 'a third of it is right' };
  const { hash } = await bound.arbiter.client.putEvidence(reason);
  await moveInTask(bound, 0, bound.arbiter, 'rule', { percent: 33, hash });
  return untilSettled(service, bound);
}

async function agreed(service: TestService): Promise<string> {
  const bound = await boundTask(service, CLOCKS, ONE_LEG);
  const agent = await begunBy(service, bound, 0);
  await claimResult(bound, 0, agent, 'half of it');
  await moveInTask(bound, 0, bound.poster, 'agree', { percent: 50, with: agent });
  return untilSettled(service, bound);
}

async function accepted(service: TestService): Promise<string> {
  const bound = await boundTask(service, CLOCKS, { requirements: { minScore: 0 } });
  await completed(service, bound, 0);
  await begunBy(service, bound, 1);
  return bound.task.id;
}

async function claimed(service: TestService): Promise<string> {
  const bound = await boundTask(service, CLOCKS, ONE_LEG);
  await claimResult(bound, 0, await begunBy(service, bound, 0), 'it is summed up');
  return bound.task.id;
}

async function disputed(service: TestService): Promise<string> {
  const bound = await boundTask(service, CLOCKS, ONE_LEG);
  await disputedBy(service, bound, bound.poster);
  return bound.task.id;
}

async function pending(service: TestService): Promise<string> {
  const bound = await boundTask(service, CLOCKS, ONE_LEG);
  await claim(await courier(service), bound.task, 0);
  await untilStage(service, bound, 0, 'pending');
  return bound.task.id;
}

/** Plays all of them on the service; those in which nothing may happen any more last, because the ledger's clock goes on for all. */
export async function playTaskTermsScene(service: TestService): Promise<TaskTermsScene> {
  return {
    reclaimed: await reclaimed(service),
    replaced: await replaced(service),
    defaulted: await defaulted(service),
    ruled: await ruled(service),
    agreed: await agreed(service),
    accepted: await accepted(service),
    claimed: await claimed(service),
    disputed: await disputed(service),
    pending: await pending(service),
  };
}
