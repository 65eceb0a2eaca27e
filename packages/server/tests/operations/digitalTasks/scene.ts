import { sql } from 'kysely';
import { expect } from 'vitest';
import { type DigitalTaskDetail, type DigitalTaskDraft } from '@legwork/sdk';
import { type Refusal, refusalOf } from '../../support/sdkRefusal.js';
import type { Party, TestService } from '../../support/service.js';
import { changesBetween, snapshot, untilQuiet, untilTakenBack } from '../../support/snapshot.js';
import { listDigitalTask } from '../../support/listed.js';
import { until } from '../../support/until.js';

/** A goal that is paid in SOL. */
type SolDraft = Extract<DigitalTaskDraft, { maxBudgetSol: number }>;

/** A goal of two legs that pay 0.05 SOL each; one lamport cannot be shared. */
export function goal(changes: Partial<SolDraft> = {}): SolDraft {
  return {
    title: 'Sum up the feedback',
    description: 'Group the feedback by topic, then sum each group up.',
    maxBudgetSol: 0.100000001,
    legs: [{ instruction: 'Group it by topic.' }, { instruction: 'Sum each group up.' }],
    ...changes,
  };
}

/** So many legs. */
export function legs(count: number): { instruction: string }[] {
  return Array.from({ length: count }, (_, index) => ({ instruction: `step ${index}` }));
}

/** A digital task that its poster pays for. */
export async function postedTask(
  service: TestService,
  changes: Partial<SolDraft> = {},
): Promise<{ poster: Party; task: DigitalTaskDetail }> {
  const poster = await service.party();
  return { poster, task: await listDigitalTask(poster.client, poster.signer, goal(changes)) };
}

/** The id of a task's leg. */
export function legIdOf(task: DigitalTaskDetail, legIndex: number): string {
  const leg = task.legs[legIndex];
  if (!leg) throw new Error(`the task has no leg ${legIndex}`);
  return leg.id;
}

/** The agent claims a leg, with a signature. */
export function claim(agent: Party, task: DigitalTaskDetail, legIndex: number, bidSol = 0.01) {
  const path = { taskId: task.id, legId: legIdOf(task, legIndex) };
  // Of a token as many whole ones: each has a million.
  const asked = task.asset === 'sol' ? { bidSol } : { bid: String(Math.round(bidSol * 1e6)) };
  return agent.client.bidDigitalLeg({ ...path, agentPubkey: agent.pubkey, ...asked });
}

/** The agent hands in the result of a leg, with a signature. */
export function handIn(agent: Party, task: DigitalTaskDetail, legIndex: number, result = `result ${legIndex}`) {
  const path = { taskId: task.id, legId: legIdOf(task, legIndex) };
  return agent.client.completeDigitalLeg({ ...path, agentPubkey: agent.pubkey, result });
}

/** The agent gives a leg back, with a signature. */
export function giveBack(agent: Party, task: DigitalTaskDetail, legIndex: number) {
  const path = { taskId: task.id, legId: legIdOf(task, legIndex) };
  return agent.client.releaseDigitalLeg({ ...path, agentPubkey: agent.pubkey });
}

/** Asks until the task is as `done` says, for at most 20 seconds. */
export async function untilTask(
  service: TestService,
  taskId: string,
  done: (task: DigitalTaskDetail) => boolean,
): Promise<DigitalTaskDetail> {
  const { client } = await service.party(0);
  let last: DigitalTaskDetail | undefined;
  return until(
    () => `task ${taskId}, which is ${JSON.stringify(last, replacer)}`,
    async () => {
      last = await client.getDigitalTask({ taskId });
      return done(last) && last;
    },
  );
}

const replacer = (_key: string, value: unknown) => (typeof value === 'bigint' ? value.toString() : value);

/** Reports whether the leg of a task is open: for {@link untilTask}. */
export function isOpen(legIndex: number): (task: DigitalTaskDetail) => boolean {
  return (task) => task.legs[legIndex]?.isOpen ?? false;
}

/** Lets the time of a leg run out now, if it is assigned. */
export async function runOut({ db }: TestService, legId: string): Promise<void> {
  await db
    .updateTable('digital_legs')
    .set({ due_at: new Date(Date.now() - 1) })
    .where('id', '=', legId)
    .where('status', '=', 'in_progress')
    .execute();
}

/** The wallet's balance in lamports. */
export async function balanceOf({ rpc }: TestService, { signer }: Party): Promise<bigint> {
  return (await rpc.getBalance(signer.address, { commitment: 'confirmed' }).send()).value;
}

/** The events about a task so far, each without what is the same in all. */
export async function eventsOf({ db }: TestService, taskId: string): Promise<{ type: string; payload: object }[]> {
  return db
    .selectFrom('events')
    .select(['type', 'payload'])
    .where('subject', '=', `task:${taskId}`)
    .orderBy('id')
    .execute();
}

/** The refusal of a call, which must leave every table and account as it was. */
export async function refused(service: TestService, call: () => Promise<unknown>): Promise<Refusal> {
  await untilTakenBack(service);
  await untilQuiet(service);
  const before = await snapshot(service);
  const refusal = await refusalOf(call());
  expect(changesBetween(before, await snapshot(service))).toEqual([]);
  return refusal;
}

/** Waits until a connection to this database waits for a row that another one holds. */
export async function untilLockWaits({ db }: TestService): Promise<void> {
  await until('somebody waits for a lock', async () => {
    const { rows } = await sql<{ waits: boolean }>`
      select exists (select from pg_stat_activity where datname = current_database()
        and wait_event_type = 'Lock' and wait_event in ('transactionid', 'tuple')) as waits`.execute(db);
    return rows[0]?.waits;
  });
}
