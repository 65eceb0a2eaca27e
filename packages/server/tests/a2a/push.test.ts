import {
  GetTaskPushNotificationConfigRequest,
  SendMessageRequest,
  StreamResponse,
  type TaskPushNotificationConfig,
  TaskState,
} from '@a2a-js/sdk';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { claim, handIn, postedTask, untilTask } from '../operations/digitalTasks/scene.js';
import { sweepSubscriptions } from '../../src/webhooks/webhookRows.js';
import { type Party, withService } from '../support/service.js';
import { until } from '../support/until.js';
import { verifiesV1a } from '../webhooks/receiver.js';
import { Follower } from './follower.js';
import { a2aClient, call, detailsOf, posting } from './scene.js';

/** A key may have three; receivers are on this machine. */
const service = withService({
  settings: () => ({ WEBHOOK_TARGETS: 'any', LIMIT_WEBHOOKS: '3', LIMIT_WEBHOOKS_PER_ADDRESS: '0' }),
});

const ask = (verb: string, params: object, by?: Party) =>
  call(service.current, `${verb}TaskPushNotificationConfig${verb === 'List' ? 's' : ''}`, params, {
    ...(by && { by }),
  });
const leg = { instruction: 'Sum it up.' };
const oneLeg = { legs: [leg] };

async function rows() {
  return service.current.db.selectFrom('webhooks').select(['id', 'disabled_at', 'attempts']).execute();
}

/** Lets the next try of everything be due. */
const tryNow = () => sql`update webhooks set available_at = now() where told is not null`.execute(service.current.db);

/** An agent does the leg of a task. */
async function done(taskId: string, result: string): Promise<void> {
  const agent = await service.current.party(1);
  const task = await untilTask(service.current, taskId, () => true);
  await claim(agent, task, 0);
  await untilTask(service.current, taskId, ({ status }) => status === 'in_progress');
  await handIn(agent, task, 0, result);
  await untilTask(service.current, taskId, ({ status }) => status === 'completed');
}

describe('a stranger', () => {
  test('who does not sign has nothing told to anybody, and posts nothing on the way (S-287)', async () => {
    const { poster, task } = await postedTask(service.current, oneLeg);
    const { url } = await Follower.start();
    for (const verb of ['Create', 'Get', 'List', 'Delete'])
      expect([verb, detailsOf(await ask(verb, { taskId: task.id, id: 'x', url }))]).toMatchObject([
        verb,
        { code: -32_000, reason: 'SIGNATURE_REQUIRED' },
      ]);
    const config = { returnImmediately: true, taskPushNotificationConfig: { url } };
    const data = { shipperPubkey: poster.pubkey, maxBudgetSol: 0.02, ...oneLeg };
    const refused = await call(service.current, 'SendMessage', posting(data, {}, config));
    expect(detailsOf(refused)).toMatchObject({ code: -32_000, reason: 'SIGNATURE_REQUIRED' });
    expect((await poster.client.listDigitalTasks({ shipper: poster.pubkey })).items).toHaveLength(1);
    expect(await rows()).toEqual([]);
  });

  test('has a server that wants nothing asked once, whatever happens to the task later (S-287)', async () => {
    const [stranger, victim] = [await service.current.party(0), await Follower.start()];
    const { task } = await postedTask(service.current, oneLeg);
    victim.status = 404;
    expect((await ask('Create', { taskId: task.id, url: victim.url }, stranger)).error).toBeUndefined();
    await until('it is sent nothing more', async () => (await rows()).some((row) => row.disabled_at !== null));
    // One that takes what it is told sees how far the log was told.
    const willing = await Follower.start();
    await ask('Create', { taskId: task.id, id: 'willing', url: willing.url }, stranger);
    await done(task.id, 'All are content.');
    await until('the willing one has it all', async () => willing.arrived.at(-1)?.body.includes('COMPLETED'));
    await tryNow();
    expect(victim.arrived).toHaveLength(1);
    // What its receiver does not want blocks its key for three days, and no longer.
    await sql`update webhooks set disabled_at = now() - interval '3 days 1 minute' where disabled_at is not null`.execute(
      service.current.db,
    );
    expect(await sweepSubscriptions(service.current.db)).toBe(1);
  });

  test('who asks for a thousand at once gets as many as a key has webhooks; one beyond posts no task either (S-287)', async () => {
    const [stranger, receiver] = [await service.current.party(0), await Follower.start()];
    const { task } = await postedTask(service.current, oneLeg);
    const asked = Array.from({ length: 12 }, (_, index) =>
      ask('Create', { taskId: task.id, id: `${index}`, url: receiver.url }, stranger),
    );
    const told = (await Promise.all(asked)).map((one) => (one.error ? detailsOf(one).reason : 'kept'));
    expect(told.filter((one) => one === 'kept')).toHaveLength(3);
    expect(told.filter((one) => one === 'TOO_MANY_WEBHOOKS')).toHaveLength(9);
    const config = { returnImmediately: true, taskPushNotificationConfig: { url: receiver.url } };
    const refused = await call(service.current, 'SendMessage', posting({ maxBudgetSol: 0.02, ...oneLeg }, {}, config), {
      by: stranger,
    });
    expect(detailsOf(refused)).toMatchObject({
      reason: 'TOO_MANY_WEBHOOKS',
      fields: ['configuration.taskPushNotificationConfig.url'],
    });
    expect((await stranger.client.listDigitalTasks({ shipper: stranger.pubkey })).items).toEqual([]);
    const { result } = await ask('List', { taskId: task.id }, stranger);
    for (const { id } of result['configs'] as { id: string }[]) await ask('Delete', { taskId: task.id, id }, stranger);
  });

  test("sees, changes and ends nobody else's (S-287)", async () => {
    const [stranger, receiver, other] = [
      await service.current.party(0),
      await Follower.start(),
      await Follower.start(),
    ];
    const { poster, task } = await postedTask(service.current, oneLeg);
    const named = { taskId: task.id, id: 'mine' };
    // At once or one after another: of one id there is one.
    await Promise.all([1, 2, 3, 4].map(() => ask('Create', { ...named, url: receiver.url }, poster)));
    expect(await rows()).toHaveLength(1);
    expect((await ask('List', named, stranger)).result).toMatchObject({ configs: [] });
    expect(detailsOf(await ask('Get', named, stranger))).toMatchObject({ code: -32_001, reason: 'TASK_NOT_FOUND' });
    expect((await ask('Delete', named, stranger)).result).toEqual({});
    await ask('Create', { ...named, url: other.url }, stranger);
    expect((await ask('Get', named, poster)).result).toEqual({ ...named, url: receiver.url });
    for (const by of [poster, stranger]) await ask('Delete', named, by);
    expect(await rows()).toEqual([]);
  });

  test('writes no other header than those two, and no second line into them (S-287)', async () => {
    const [stranger, { url }] = [await service.current.party(0), await Follower.start()];
    const { task } = await postedTask(service.current, oneLeg);
    for (const wrong of [
      { token: 'a\r\nx-evil: 1' },
      { token: 'é' },
      { token: 'x'.repeat(2001) },
      { authentication: { scheme: 'Bearer x', credentials: 'y' } },
      { authentication: { scheme: 'Bearer\r\nx:', credentials: 'y' } },
      { authentication: { scheme: 'Bearer', credentials: 'y\nx-evil: 1' } },
      { authentication: 'Bearer' },
      { id: 'x'.repeat(201) },
      { url: 'ftp://127.0.0.1/' },
      { url: 'javascript:alert(1)' },
      { url: undefined },
    ])
      expect([wrong, detailsOf(await ask('Create', { taskId: task.id, url, ...wrong }, stranger))]).toMatchObject([
        wrong,
        { code: -32_602, reason: 'INVALID_INPUT' },
      ]);
    expect(detailsOf(await ask('Create', { taskId: 'x', url }, stranger)).code).toBe(-32_001);
    expect(await rows()).toEqual([]);
  });
});

test('a client of the official SDK is told of its task, signed, from the posting to the end: each update as a stream tells it (S-287)', async () => {
  const [poster, receiver] = [await service.current.party(0), await Follower.start()];
  const client = await a2aClient(service.current, poster);
  const asked = posting(
    { maxBudgetSol: 0.02, ...oneLeg },
    {},
    {
      returnImmediately: true,
      taskPushNotificationConfig: {
        url: receiver.url,
        token: 'a-token',
        authentication: { scheme: 'Bearer', credentials: 'a.credential' },
      },
    },
  );
  const task = await client.sendMessage(SendMessageRequest.fromJSON(asked));
  if (!('artifacts' in task)) throw new Error('a message was sent for a task');
  const { configs } = await client.listTaskPushNotificationConfig({
    tenant: '',
    taskId: task.id,
    pageSize: 0,
    pageToken: '',
  });
  // Secrets are told to nobody again.
  expect(configs).toMatchObject([{ id: task.id, taskId: task.id, url: receiver.url, token: '' }]);
  expect(configs[0]?.authentication).toEqual({ scheme: 'Bearer', credentials: '' });
  await done(task.id, 'All are content.');
  await until('the end is told', async () => receiver.arrived.at(-1)?.body.includes('COMPLETED'));

  const { arrived } = receiver;
  const kinds = arrived.map(({ kind }) => kind);
  expect([kinds[0], kinds.at(-1)]).toEqual(['task', 'statusUpdate']);
  expect(kinds.filter((kind) => kind !== 'statusUpdate')).toEqual(['task', 'artifactUpdate']);
  const payloads = arrived.map(({ told }) => StreamResponse.fromJSON(told).payload);
  expect(payloads.map((one) => one?.$case)).toEqual(kinds);
  const last = payloads.at(-1);
  expect(last?.$case === 'statusUpdate' && last.value.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
  const ids = arrived.map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(ids.length);
  const card = (await (await fetch(`${service.current.server.url}/.well-known/agent-card.json`)).json()) as {
    capabilities: { pushNotifications: boolean; extensions: [{ params: { publicKey: string } }] };
  };
  expect(card.capabilities.pushNotifications).toBe(true);
  for (const one of arrived) {
    expect(one.headers).toMatchObject({
      'content-type': 'application/json',
      authorization: 'Bearer a.credential',
      'x-a2a-notification-token': 'a-token',
    });
    expect(verifiesV1a(card.capabilities.extensions[0].params.publicKey, one)).toBe(true);
    expect(verifiesV1a(card.capabilities.extensions[0].params.publicKey, { ...one, body: `${one.body} ` })).toBe(false);
  }
  // It ends with its task, and makes room for another.
  await until('it is gone', async () => (await rows()).length === 0);
});

test('the official SDK sets, reads and ends the notifications of a task; set again, one is replaced and told anew (S-287)', async () => {
  const [first, second] = [await Follower.start(), await Follower.start()];
  const { poster, task } = await postedTask(service.current, oneLeg);
  const client = await a2aClient(service.current, poster);
  const config = (url: string): TaskPushNotificationConfig => ({
    tenant: '',
    id: 'mine',
    taskId: task.id,
    url,
    token: '',
    authentication: undefined,
  });
  expect(await client.createTaskPushNotificationConfig(config(first.url))).toMatchObject({
    id: 'mine',
    url: first.url,
  });
  await first.until(1);
  await client.createTaskPushNotificationConfig(config(second.url));
  const [told] = await second.until(1);
  expect(told?.told).toMatchObject({ task: { id: task.id, status: { state: 'TASK_STATE_SUBMITTED' } } });
  const named = GetTaskPushNotificationConfigRequest.fromJSON({ taskId: task.id, id: 'mine' });
  expect(await client.getTaskPushNotificationConfig(named)).toMatchObject({ url: second.url });
  await client.deleteTaskPushNotificationConfig(named);
  await client.deleteTaskPushNotificationConfig(named);
  await expect(client.getTaskPushNotificationConfig(named)).rejects.toThrow(/no such config/);
  // The field names of the specification's own file are taken as well.
  expect((await ask('List', { task_id: task.id }, poster)).result).toEqual({ configs: [], nextPageToken: '' });
});

test('whose receiver is away is told what it missed, once it is back and the service was stopped in between (S-287)', async () => {
  const receiver = await Follower.start();
  const { poster, task } = await postedTask(service.current, oneLeg);
  receiver.status = 503;
  await ask('Create', { taskId: task.id, url: receiver.url }, poster);
  await until('a try failed', async () => (await rows())[0]?.attempts === 1);
  await service.current.stop();
  await service.current.restart();
  await done(task.id, 'All are content.');
  receiver.status = 200;
  await tryNow();
  await until('it has the end', async () => receiver.arrived.at(-1)?.body.includes('COMPLETED'));
  await until('it is gone', async () => (await rows()).length === 0);
  const [failed] = receiver.arrived;
  expect(failed?.told).toMatchObject({ task: { status: { state: 'TASK_STATE_SUBMITTED' } } });
  // All of it at once: nothing had been taken before.
  expect(receiver.arrived.at(-1)?.told).toMatchObject({
    task: { status: { state: 'TASK_STATE_COMPLETED' }, artifacts: [{ parts: [{ text: 'All are content.' }] }] },
  });
});

test('a repetition has the id of what it repeats, and of a task that is over the end is told once (S-287)', async () => {
  const receiver = await Follower.start();
  const { poster, task } = await postedTask(service.current, oneLeg);
  await done(task.id, 'All are content.');
  receiver.status = 500;
  await ask('Create', { taskId: task.id, url: receiver.url }, poster);
  await receiver.until(1);
  receiver.status = 200;
  await until('it came again', async () => {
    await tryNow();
    return receiver.arrived.length > 1;
  });
  expect(new Set(receiver.arrived.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  await until('it is gone', async () => (await rows()).length === 0);
});
