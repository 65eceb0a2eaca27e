import {
  cancelDigitalTask,
  closeDigitalTask,
  type DigitalTaskDetail,
  type DigitalTaskDraft,
  reclaimDigitalTask,
  uploadArtifact,
} from '@legwork/sdk';
import { confirmAll, formedPackage, untilPackage } from '../support/market.js';
import type { Party, TestService } from '../support/service.js';
import { listDigitalTask } from '../support/listed.js';
import { until } from '../support/until.js';

/** A goal that is paid in SOL. */
type SolDraft = Extract<DigitalTaskDraft, { maxBudgetSol: number }>;

/** A digital task in each state that the ledger knows. */
export interface TaskScene {
  /** Two legs, nobody at work: the second is reserved, and was by another agent who withdrew. */
  listed: string;
  /** One leg, whose agent gave it back. */
  listedAgain: string;
  /** Three legs: completed, assigned after another agent gave it back, open. */
  inProgress: string;
  /** Two legs; settled. */
  completed: string;
  /** Settled, its account closed. */
  closed: string;
  cancelled: string;
  /** Two legs, the first confirmed and paid, the second assigned. */
  reclaimed: string;
  /** Has completed a leg of a package and one of a digital task, which is of `completed`. */
  worker: string;
}

/** Long enough for the agents to be in time, sooner than the deadlines of the other tasks. */
const SOON_SEC = 6 * 3600;

function goal(numLegs: number, changes: Partial<SolDraft> = {}): SolDraft {
  return {
    title: 'Customer feedback',
    description: 'Group the feedback by topic, then sum each group up.',
    maxBudgetSol: 0.05,
    legs: Array.from({ length: numLegs }, (_, index) => ({ instruction: `Do step ${index + 1}.` })),
    ...changes,
  };
}

/** Somebody posts digital tasks, and others work on them. */
class Office {
  readonly service: TestService;
  readonly poster: Party;

  constructor(service: TestService, poster: Party) {
    this.service = service;
    this.poster = poster;
  }

  post(numLegs: number, changes?: Partial<SolDraft>): Promise<DigitalTaskDetail> {
    return listDigitalTask(this.poster.client, this.poster.signer, goal(numLegs, changes));
  }

  /** Asks until the task is as `done` says. */
  async until(taskId: string, done: (task: DigitalTaskDetail) => boolean): Promise<void> {
    await until(`digital task ${taskId}`, async () => done(await this.poster.client.getDigitalTask({ taskId })));
  }

  #ofLeg({ id: taskId, legs }: DigitalTaskDetail, index: number, { pubkey: agentPubkey }: Party) {
    return { taskId, legId: legs[index]?.id ?? '', agentPubkey };
  }

  async claim(task: DigitalTaskDetail, index: number, agent?: Party): Promise<Party> {
    const by = agent ?? (await this.service.party(0));
    await by.client.bidDigitalLeg({ ...this.#ofLeg(task, index, by), bidSol: 0.001 });
    return by;
  }

  /** Somebody has the leg, and the ledger shows it. */
  async assign(task: DigitalTaskDetail, index: number, agent?: Party): Promise<Party> {
    const by = await this.claim(task, index, agent);
    await this.until(task.id, ({ legs }) => legs[index]?.status === 'in_progress');
    return by;
  }

  async release(task: DigitalTaskDetail, index: number, agent: Party): Promise<void> {
    await agent.client.releaseDigitalLeg(this.#ofLeg(task, index, agent));
    await this.until(task.id, ({ legs }) => legs[index]?.agentPubkey === null);
  }

  /** Somebody takes the leg, hands in a result, of the first leg with files, and is paid. */
  async complete(task: DigitalTaskDetail, index: number, agent?: Party): Promise<void> {
    const by = await this.claim(task, index, agent);
    const result = `What step ${index + 1} gave: ✓ “done”.`;
    const leg = this.#ofLeg(task, index, by);
    const artifacts = [];
    for (const name of index === 0 ? ['Topics “1”.csv', 'topics.csv'] : []) {
      const content = new TextEncoder().encode(`topic,${name}\n`);
      artifacts.push(
        await uploadArtifact(by.client, { ...leg, content, name, contentType: 'text/csv; charset=utf-8' }),
      );
    }
    await by.client.completeDigitalLeg({ ...leg, result, artifacts });
    await this.until(task.id, ({ legs }) => legs[index]?.status === 'completed');
  }

  async settled(numLegs: number, agent?: Party): Promise<string> {
    const task = await this.post(numLegs);
    for (let index = 0; index < numLegs; index += 1) await this.complete(task, index, index === 0 ? agent : undefined);
    await this.until(task.id, ({ status }) => status === 'completed');
    return task.id;
  }
}

async function listed(office: Office): Promise<string> {
  const task = await office.post(2);
  const fickle = await office.claim(task, 1);
  await office.release(task, 1, fickle);
  await office.claim(task, 1);
  return task.id;
}

async function listedAgain(office: Office): Promise<string> {
  const task = await office.post(1);
  await office.release(task, 0, await office.assign(task, 0));
  await office.until(task.id, ({ status }) => status === 'listed');
  return task.id;
}

async function inProgress(office: Office): Promise<string> {
  const task = await office.post(3);
  await office.complete(task, 0);
  await office.release(task, 1, await office.assign(task, 1));
  await office.assign(task, 1);
  return task.id;
}

async function closed(office: Office): Promise<string> {
  const { service, poster } = office;
  const taskId = await office.settled(1);
  await closeDigitalTask(poster.client, service.rpc, poster.signer, taskId);
  return taskId;
}

async function cancelled(office: Office): Promise<string> {
  const { service, poster } = office;
  const { id } = await office.post(1);
  await cancelDigitalTask(poster.client, service.rpc, poster.signer, id);
  return id;
}

async function underWay(office: Office): Promise<string> {
  const deadline = new Date(Date.now() + SOON_SEC * 1000).toISOString();
  const task = await office.post(2, { deadline });
  await office.complete(task, 0);
  await office.assign(task, 1);
  return task.id;
}

/** Delivers a package of one leg. @returns its courier */
async function courier(service: TestService): Promise<Party> {
  const market = await formedPackage(service, [['zoo', 'ostkreuz', 0.1]]);
  await confirmAll(service, market);
  await untilPackage(service, market.parcel.id, ({ status }) => status === 'delivered');
  const [carrier] = market.couriers;
  if (!carrier) throw new Error('somebody carried it');
  return carrier;
}

/** Plays all of them on the service. */
export async function playTaskScene(service: TestService): Promise<TaskScene> {
  const office = new Office(service, await service.party());
  const worker = await courier(service);
  const reclaimed = await underWay(office);
  const scene = {
    listed: await listed(office),
    listedAgain: await listedAgain(office),
    inProgress: await inProgress(office),
    completed: await office.settled(2, worker),
    closed: await closed(office),
    cancelled: await cancelled(office),
    reclaimed,
    worker: worker.pubkey,
  };
  // The ledger's clock counts whole seconds, and may be one behind.
  await service.advanceTime(SOON_SEC + 10);
  const { poster } = office;
  await reclaimDigitalTask(poster.client, service.rpc, poster.signer, reclaimed);
  return scene;
}
