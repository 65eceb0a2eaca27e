import { type Artifact, cancelDigitalTask, listDigitalTask, signDigitalTask, uploadArtifact } from '@legwork/sdk';
import { goal, legIdOf, postedTask, untilTask } from '../operations/digitalTasks/scene.js';
import { answerOf } from '../mcp/toolCalls.js';
import type { Party, TestService } from '../support/service.js';
import { land } from '../support/transactions.js';

/** A leg of a digital task, as requests name it. */
export type LegPath = {
  taskId: string;
  legId: string;
};

/** Digital tasks in every state that a request can be about. The worker is the agent of their legs. */
export interface WorldTasks {
  /** A leg of a task of which nobody claims anything. */
  quiet: LegPath;
  /** An open leg of a task that is listed. */
  open: LegPath;
  /** A leg that the worker has, and hands in what `result` says. */
  working: LegPath;
  /** A file of the result of `working`, which the worker has uploaded. */
  file: Omit<Artifact, 'bytes'>;
  /** A leg that the worker has, and sends files for. */
  uploading: LegPath;
  /** A leg that the worker has reserved. */
  reserved: LegPath;
  completedId: string;
  cancelledId: string;
  /** Of the one that was cancelled. */
  poster: Party;
  /** Under way, and its deadline has passed once the ledger's clock was moved as the world does. */
  lateId: string;
  /** A draft whose listing is on the ledger and was not told to the service. */
  unreported: { taskId: string; signature: string; transaction: string };
}

/** Nobody's time runs out while requests are sent. */
const PATIENT = { claimTimeoutSec: 86_400, deadline: new Date(Date.now() + 30 * 86_400_000).toISOString() };
const ONE_LEG = { legs: [{ instruction: 'Do it.' }] };

async function openLeg(service: TestService): Promise<LegPath> {
  const { task } = await postedTask(service, PATIENT);
  return { taskId: task.id, legId: legIdOf(task, 0) };
}

/** Claims a leg without a signature, so that signed and unsigned calls may complete or release it. */
async function claimed(service: TestService, worker: Party, legIndex: number, changes: Parameters<typeof goal>[0]) {
  const { task } = await postedTask(service, { ...PATIENT, ...changes });
  const path = { taskId: task.id, legId: legIdOf(task, legIndex) };
  await answerOf(service, 'svc_bid_digital_leg', { ...path, agentPubkey: worker.pubkey, bidSol: 0.01 });
  return path;
}

async function handIn(service: TestService, worker: Party, path: LegPath): Promise<void> {
  const done = { ...path, agentPubkey: worker.pubkey, result: 'Done.' };
  await answerOf(service, 'svc_complete_digital_leg', done);
  await untilTask(service, path.taskId, ({ legs }) => legs.some(({ status }) => status === 'completed'));
}

async function completedTask(service: TestService, worker: Party): Promise<string> {
  const path = await claimed(service, worker, 0, ONE_LEG);
  await handIn(service, worker, path);
  await untilTask(service, path.taskId, ({ status }) => status === 'completed');
  return path.taskId;
}

/** One leg is completed and nobody has the other, so that no clock of an agent runs. */
async function lateTask(service: TestService, worker: Party, deadline: string): Promise<string> {
  const path = await claimed(service, worker, 0, { claimTimeoutSec: 60, deadline });
  await handIn(service, worker, path);
  return path.taskId;
}

async function unreportedTask(service: TestService, poster: Party): Promise<WorldTasks['unreported']> {
  const { taskId, transaction } = await signDigitalTask(poster.client, poster.signer, goal(PATIENT));
  return { taskId, transaction, signature: await land(service, transaction) };
}

/**
 * Makes the tasks of a world.
 *
 * @param deadline of the task that is late
 */
export async function createTasks(service: TestService, worker: Party, deadline: string): Promise<WorldTasks> {
  const poster = await service.party(2);
  const { id: cancelledId } = await listDigitalTask(poster.client, poster.signer, goal());
  await cancelDigitalTask(poster.client, service.rpc, poster.signer, cancelledId);
  const working = await claimed(service, worker, 0, ONE_LEG);
  const content = new TextEncoder().encode('topic,count\n');
  const about = { content, name: 'topics.csv', contentType: 'text/csv; charset=utf-8' };
  return {
    file: await uploadArtifact(worker.client, { ...working, ...about }),
    quiet: await openLeg(service),
    open: await openLeg(service),
    working,
    uploading: await claimed(service, worker, 0, ONE_LEG),
    reserved: await claimed(service, worker, 1, {}),
    completedId: await completedTask(service, worker),
    cancelledId,
    poster,
    lateId: await lateTask(service, worker, deadline),
    unreported: await unreportedTask(service, poster),
  };
}
