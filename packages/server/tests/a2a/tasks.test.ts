import { cancelDigitalTask, completeDigitalLeg, type DigitalTaskDetail, makeMove, uploadArtifact } from '@legwork/sdk';
import { describe, expect, test } from 'vitest';
import { claim, goal, handIn, legIdOf, postedTask, untilTask } from '../operations/digitalTasks/scene.js';
import { courier } from '../operations/turns/scene.js';
import { listDigitalTask } from '../support/listed.js';
import { type Party, withService } from '../support/service.js';
import { until } from '../support/until.js';
import { call, detailsOf, posting, postRaw } from './scene.js';

const service = withService();

interface Shown {
  id: string;
  status: { state: string; message: { parts: { text: string }[] }; timestamp: string };
  artifacts?: { artifactId: string; parts: Record<string, unknown>[] }[];
}

async function read(id: string): Promise<Shown> {
  const { result, error } = await call(service.current, 'GetTask', { id });
  if (error) throw new Error(error.message);
  return result as unknown as Shown;
}
const stateOf = async ({ id }: Pick<DigitalTaskDetail, 'id'>) => (await read(id)).status.state;
const textOf = ({ status }: Shown) => status.message.parts[0]?.text;

/** What comes over a stream until it ends, or until `isEnough`. */
async function streamed(
  method: string,
  params: unknown,
  isEnough: (told: Record<string, unknown>[]) => boolean = () => false,
) {
  const response = await postRaw(service.current, JSON.stringify({ jsonrpc: '2.0', id: 'mine', method, params }));
  const told: Record<string, unknown>[] = [];
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    const lines = text.split('\n\n');
    text = lines.pop() ?? '';
    for (const line of lines) {
      if (!line.startsWith('data: ')) continue;
      const { id, result } = JSON.parse(line.slice(6)) as { id: string; result: Record<string, unknown> };
      told.push({ ...result, id });
    }
    if (isEnough(told)) break;
  }
  return told;
}

/** A task of one leg with terms, whose result its poster is to look at. */
async function reviewedTask() {
  const [poster, agent, arbiter] = [
    await service.current.party(3),
    await courier(service.current),
    await service.current.party(0),
  ];
  const terms = { preset: 'standard', arbiterPubkey: arbiter.pubkey } as const;
  const task = await listDigitalTask(
    poster.client,
    poster.signer,
    goal({ legs: [{ instruction: 'Sum it up.' }], terms }),
  );
  await claim(agent, task, 0);
  await untilTask(service.current, task.id, ({ legs }) => legs[0]?.stage === 'pending');
  const move = (by: Party, action: 'accept' | 'confirm') =>
    makeMove(by.client, by.signer, { taskId: task.id, legId: legIdOf(task, 0), action });
  return { poster, agent, task, move };
}

/** The id of a task that the coordinator pays for. */
async function sponsored(by: Party): Promise<string> {
  const data = { maxBudgetSol: 0.02, legs: [{ instruction: 'Sum it up.' }] };
  const { result } = await call(service.current, 'SendMessage', posting(data), { by });
  return (result['task'] as Shown).id;
}

describe('a digital task is a Task', () => {
  test('listed and paid by its poster alone it is submitted, then working, then completed with its results and files (S-282)', async () => {
    const [agent, other] = await Promise.all([service.current.party(1), service.current.party(1)]);
    const { poster, task } = await postedTask(service.current);
    const listed = await read(task.id);
    expect(listed).toMatchObject({
      contextId: poster.pubkey,
      status: { state: 'TASK_STATE_SUBMITTED' },
      artifacts: [],
    });
    expect(textOf(listed)).toBe('Listed with 0.100000001 SOL in escrow; no agent works on it yet.');
    await claim(agent, task, 0);
    await untilTask(service.current, task.id, ({ status }) => status === 'in_progress');
    expect(await stateOf(task)).toBe('TASK_STATE_WORKING');
    const path = { taskId: task.id, legId: legIdOf(task, 0) };
    const content = new Blob(['topic,count\n']);
    const file = await uploadArtifact(agent.client, { ...path, content, name: 'topics.csv', contentType: 'text/csv' });
    await agent.client.completeDigitalLeg({
      ...path,
      agentPubkey: agent.pubkey,
      result: 'One line a topic.',
      artifacts: [file],
    });
    await untilTask(service.current, task.id, ({ completedLegs }) => completedLegs === 1);
    const half = await read(task.id);
    expect([half.status.state, textOf(half)]).toEqual(['TASK_STATE_WORKING', '1 of 2 legs are completed and paid.']);
    const [, link] = half.artifacts?.[0]?.parts ?? [];
    expect(half.artifacts).toMatchObject([
      {
        artifactId: path.legId,
        parts: [
          { text: 'One line a topic.' },
          { filename: 'topics.csv', mediaType: 'text/csv', metadata: { sha256: file.sha256, bytes: 12 } },
        ],
      },
    ]);
    expect(await (await fetch(String(link?.['url']))).text()).toBe('topic,count\n');
    await claim(other, task, 1);
    await untilTask(service.current, task.id, ({ legs }) => legs[1]?.status === 'in_progress');
    await handIn(other, task, 1);
    await untilTask(service.current, task.id, ({ status }) => status === 'completed');
    const over = await read(task.id);
    expect(over.status.state).toBe('TASK_STATE_COMPLETED');
    expect(over.artifacts).toHaveLength(2);
    expect(Date.parse(over.status.timestamp)).toBeGreaterThanOrEqual(Date.parse(listed.status.timestamp));
  });

  test('whose result waits for its review wants its poster, and shows the result once it is confirmed (S-282)', async () => {
    const { poster, agent, task, move } = await reviewedTask();
    await move(agent, 'accept');
    const result = 'All are content.';
    await completeDigitalLeg(agent.client, agent.signer, { taskId: task.id, legId: legIdOf(task, 0), result });
    await untilTask(service.current, task.id, ({ legs }) => legs[0]?.stage === 'claimed');
    const waiting = await read(task.id);
    expect(waiting).toMatchObject({ status: { state: 'TASK_STATE_INPUT_REQUIRED' }, artifacts: [] });
    expect(textOf(waiting)).toContain(`${service.current.server.url}/t/${task.id} has both moves`);
    const listed = await call(service.current, 'ListTasks', {
      contextId: poster.pubkey,
      status: 'TASK_STATE_INPUT_REQUIRED',
    });
    expect(listed.result).toMatchObject({ totalSize: 1, tasks: [{ id: task.id }] });
    await move(poster, 'confirm');
    await untilTask(service.current, task.id, ({ status }) => status === 'completed');
    expect(await read(task.id)).toMatchObject({
      status: { state: 'TASK_STATE_COMPLETED' },
      artifacts: [{ parts: [{ text: 'All are content.' }] }],
    });
  });

  test('that its poster paid for is cancelled by its wallet and by no call: the refusal says where (S-282, S-286)', async () => {
    const { poster, task } = await postedTask(service.current);
    const refused = await call(service.current, 'CancelTask', { id: task.id }, { by: poster });
    expect(detailsOf(refused)).toMatchObject({ code: -32_002, reason: 'TASK_NOT_CANCELABLE' });
    expect(refused.error?.message).toContain(`${service.current.server.url}/t/${task.id}`);
    await cancelDigitalTask(poster.client, service.current.rpc, poster.signer, task.id);
    await untilTask(service.current, task.id, ({ status }) => status === 'failed');
    expect(await stateOf(task)).toBe('TASK_STATE_CANCELED');
    expect(detailsOf(await call(service.current, 'CancelTask', { id: task.id })).code).toBe(-32_002);
  });

  test("that the coordinator pays for is cancelled by its poster's signature, once, and by nobody else's (S-286)", async () => {
    const [poster, stranger] = await Promise.all([service.current.party(0), service.current.party(0)]);
    const id = await sponsored(poster);
    const asked = async (by?: Party) => call(service.current, 'CancelTask', { id }, by && { by });
    for (const by of [undefined, stranger]) {
      const refused = await asked(by);
      expect(detailsOf(refused)).toMatchObject({ code: -32_002, reason: 'TASK_NOT_CANCELABLE' });
      expect(refused.error?.message).toContain('by signing this call with its key');
    }
    expect(await stateOf({ id })).toBe('TASK_STATE_SUBMITTED');
    const answers = await Promise.all([asked(poster), asked(poster)]);
    expect(answers.map(({ result }) => (result as unknown as Shown).status.state)).toEqual([
      'TASK_STATE_CANCELED',
      'TASK_STATE_CANCELED',
    ]);
    const intents = service.current.db.selectFrom('outbox').select('status').where('subject', '=', `task:${id}`);
    expect(await intents.where('kind', '=', 'cancel_task').execute()).toHaveLength(1);
    await until('the money is back', async () => {
      const advances = service.current.db.selectFrom('sponsorships').select('is_returned').where('subject_id', '=', id);
      return (await advances.executeTakeFirst())?.is_returned;
    });
    expect(detailsOf(await asked(poster)).code).toBe(-32_002);
  });

  test('that an agent works on is cancelled by nobody (S-286)', async () => {
    const [poster, agent] = await Promise.all([service.current.party(0), service.current.party(1)]);
    const id = await sponsored(poster);
    await claim(agent, await poster.client.getDigitalTask({ taskId: id }), 0);
    await untilTask(service.current, id, ({ status }) => status === 'in_progress');
    const refused = await call(service.current, 'CancelTask', { id }, { by: poster });
    expect(detailsOf(refused)).toMatchObject({ code: -32_002, reason: 'TASK_NOT_CANCELABLE' });
    expect(refused.error?.message).toContain('An agent works on the task');
    expect(await stateOf({ id })).toBe('TASK_STATE_WORKING');
  });

  test('takes no further messages, and says what there is to do instead (S-281)', async () => {
    const { poster, task } = await postedTask(service.current);
    const say = (changes: object) => call(service.current, 'SendMessage', posting({}, { taskId: task.id, ...changes }));
    expect(detailsOf(await say({}))).toMatchObject({ code: -32_004, reason: 'UNSUPPORTED_OPERATION' });
    expect(detailsOf(await say({ contextId: poster.pubkey }))).toMatchObject({ code: -32_004 });
    expect(detailsOf(await say({ contextId: 'another' }))).toMatchObject({
      code: -32_602,
      fields: ['message.contextId'],
    });
    expect(detailsOf(await say({ taskId: 'nothing' }))).toMatchObject({ code: -32_001 });
  });
});

describe('a stream', () => {
  test('begins with the task, tells what changes, and ends with it; who subscribes later sees the same end (S-283)', async () => {
    const agent = await service.current.party(1);
    const { task } = await postedTask(service.current, { legs: [{ instruction: 'Sum it up.' }] });
    const all = [streamed('SubscribeToTask', { id: task.id }), streamed('SubscribeToTask', { id: task.id })];
    await claim(agent, task, 0);
    await untilTask(service.current, task.id, ({ status }) => status === 'in_progress');
    await handIn(agent, task, 0, 'All are content.');
    for (const told of await Promise.all(all)) {
      expect(told.map(({ id }) => id)).toEqual(told.map(() => 'mine'));
      expect(told[0]).toMatchObject({ task: { id: task.id } });
      expect(told.filter((one) => 'artifactUpdate' in one)).toMatchObject([
        { artifactUpdate: { artifact: { parts: [{ text: 'All are content.' }] } } },
      ]);
      expect(told.at(-1)).toMatchObject({
        statusUpdate: { taskId: task.id, status: { state: 'TASK_STATE_COMPLETED' } },
      });
    }
    const late = await call(service.current, 'SubscribeToTask', { id: task.id });
    expect(detailsOf(late)).toMatchObject({ code: -32_004, reason: 'UNSUPPORTED_OPERATION' });
  });

  test('of a message that posts nothing has that one answer (S-283)', async () => {
    expect(await streamed('SendStreamingMessage', posting(undefined))).toMatchObject([
      { message: { role: 'ROLE_AGENT' } },
    ]);
  });

  test('ends when the service stops (S-283)', async () => {
    const { task } = await postedTask(service.current);
    let begun: (() => void) | undefined;
    const hasBegun = new Promise<void>((resolve) => (begun = resolve));
    const stream = streamed('SubscribeToTask', { id: task.id }, () => {
      begun?.();
      return false;
    });
    await hasBegun;
    await service.current.stop();
    expect(await stream).toMatchObject([{ task: { id: task.id } }]);
    await service.current.restart();
  });
});

test('a message that waits is answered once the task is over (S-281)', async () => {
  const [poster, agent] = await Promise.all([service.current.party(0), service.current.party(1)]);
  const asked = call(
    service.current,
    'SendMessage',
    posting({ shipperPubkey: poster.pubkey, maxBudgetSol: 0.02, legs: [{ instruction: 'Sum it up.' }] }, {}, {}),
  );
  const task = await untilPosted(poster);
  await claim(agent, task, 0);
  await untilTask(service.current, task.id, ({ status }) => status === 'in_progress');
  await handIn(agent, task, 0, 'All are content.');
  expect((await asked).result).toMatchObject({
    task: {
      id: task.id,
      status: { state: 'TASK_STATE_COMPLETED' },
      artifacts: [{ parts: [{ text: 'All are content.' }] }],
    },
  });
});

/** The first task of a poster. */
const untilPosted = ({ client, pubkey }: Party) =>
  until('the task is posted', async () => {
    const [task] = (await client.listDigitalTasks({ shipper: pubkey })).items;
    return task && client.getDigitalTask({ taskId: task.id });
  });

test('the tasks of a key come in pages, the one of which something happened last first, without results unless they are asked for (S-285)', async () => {
  const [poster, agent] = await Promise.all([service.current.party(0), service.current.party(1)]);
  const ids: string[] = [];
  for (let posted = 0; posted < 3; posted += 1) {
    const data = { maxBudgetSol: 0.02, legs: [{ instruction: 'Sum it up.' }] };
    const { result } = await call(service.current, 'SendMessage', posting(data), { by: poster });
    ids.push((result['task'] as Shown).id);
  }
  const [first = '', second = '', third = ''] = ids;
  const task = await poster.client.getDigitalTask({ taskId: first });
  await claim(agent, task, 0);
  await untilTask(service.current, first, ({ status }) => status === 'in_progress');
  await handIn(agent, task, 0, 'All are content.');
  await untilTask(service.current, first, ({ status }) => status === 'completed');

  const list = async (params: object, by?: Party) =>
    (await call(service.current, 'ListTasks', params, { ...(by && { by }) })).result as unknown as {
      tasks: Shown[];
      nextPageToken: string;
      totalSize: number;
    };
  const page = await list({ pageSize: 2 }, poster);
  expect([page.tasks.map(({ id }) => id), page.totalSize]).toEqual([[first, third], 3]);
  expect(page.tasks.every((one) => !('artifacts' in one))).toBe(true);
  const rest = await list({ pageSize: 2, pageToken: page.nextPageToken }, poster);
  expect([rest.tasks.map(({ id }) => id), rest.nextPageToken]).toEqual([[second], '']);

  // Whoever names the key sees the same; who names none has none.
  const named = await list({ contextId: poster.pubkey, status: 'TASK_STATE_COMPLETED', includeArtifacts: true });
  expect(named.tasks.map(({ id, artifacts }) => [id, artifacts?.length])).toEqual([[first, 1]]);
  expect(await list({})).toMatchObject({ tasks: [], nextPageToken: '', totalSize: 0 });
  const since = page.tasks[1]?.status.timestamp;
  expect((await list({ contextId: poster.pubkey, statusTimestampAfter: since })).tasks.map(({ id }) => id)).toEqual([
    first,
    third,
  ]);
  for (const wrong of [
    { pageSize: 0 },
    { pageSize: 101 },
    { status: 'DONE' },
    { statusTimestampAfter: 'yesterday' },
    { historyLength: -1 },
    { pageToken: 'x' },
  ])
    expect([
      wrong,
      detailsOf(await call(service.current, 'ListTasks', { contextId: poster.pubkey, ...wrong })).code,
    ]).toEqual([wrong, -32_602]);
});
