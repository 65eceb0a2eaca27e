import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { SendMessageRequest, type StreamResponse, type Task, TaskState } from '@a2a-js/sdk';
import { expect, test } from 'vitest';
import { claim, handIn, untilTask } from '../operations/digitalTasks/scene.js';
import { withService } from '../support/service.js';
import { until } from '../support/until.js';
import { a2aClient, posting } from './scene.js';

const service = withService();

/** The text of the parts of an artifact. */
const textsOf = ({ artifacts }: Pick<Task, 'artifacts'>) =>
  artifacts.map(({ parts }) => parts.map(({ content }) => content?.value as unknown));

test('a client of the official SDK posts a task, an agent does it over REST, and the stream tells until it is complete (S-281, S-283)', async () => {
  const [poster, agent] = await Promise.all([service.current.party(0), service.current.party(0)]);
  const client = await a2aClient(service.current, poster);
  const asked = posting({ maxBudgetSol: 0.02, legs: [{ instruction: 'Sum it up in one line.' }] });
  const told: NonNullable<StreamResponse['payload']>[] = [];
  for await (const { payload } of client.sendMessageStream(SendMessageRequest.fromJSON(asked))) {
    if (payload === undefined) throw new Error('the stream told nothing');
    told.push(payload);
    if (payload.$case !== 'task') continue;
    // The agent knows nothing of A2A.
    const task = await untilTask(service.current, payload.value.id, () => true);
    await claim(agent, task, 0);
    await untilTask(service.current, task.id, ({ status }) => status === 'in_progress');
    await handIn(agent, task, 0, 'All are content.');
  }
  const [first, ...others] = told;
  if (first?.$case !== 'task') throw new Error('the stream does not begin with the task');
  expect(first.value).toMatchObject({ contextId: poster.pubkey, status: { state: TaskState.TASK_STATE_SUBMITTED } });
  const artifacts = others.filter((one) => one.$case === 'artifactUpdate');
  expect(artifacts.map(({ value }) => value.artifact?.parts[0]?.content?.value as unknown)).toEqual([
    'All are content.',
  ]);
  const last = others.at(-1);
  expect(last?.$case === 'statusUpdate' && last.value.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);

  const read = await client.getTask({ tenant: '', id: first.value.id });
  expect([read.status?.state, textsOf(read)]).toEqual([TaskState.TASK_STATE_COMPLETED, [['All are content.']]]);
  // What REST shows is the same task.
  const shown = await poster.client.getDigitalTask({ taskId: read.id });
  expect(shown).toMatchObject({
    status: 'completed',
    shipperPubkey: poster.pubkey,
    title: 'Sum up the feedback.',
    description: 'Sum up the feedback.',
    maxBudgetLamports: 20_000_000n,
  });
  expect(read.metadata).toMatchObject({
    page: `${service.current.server.url}/t/${read.id}`,
    numLegs: 1,
    completedLegs: 1,
  });
});

test('the example on the page for orchestrators does what the page says (S-281, S-283)', async () => {
  const [poster, agent] = await Promise.all([service.current.party(0), service.current.party(0)]);
  const root = new URL('../../../../', import.meta.url);
  const [, example = ''] = /^```ts\n(.*?)^```$/ms.exec(readFileSync(new URL('docs/agents/a2a.md', root), 'utf8')) ?? [];
  const env = { ...process.env, LEGWORK_URL: service.current.server.url, POSTER_PUBKEY: poster.pubkey };
  const running = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', example], {
    cwd: fileURLToPath(root),
    env,
  });
  const task = await until('the example has posted', async () => {
    const [posted] = (await agent.client.listDigitalTasks({ shipper: poster.pubkey })).items;
    return posted && agent.client.getDigitalTask({ taskId: posted.id });
  });
  await claim(agent, task, 0);
  await untilTask(service.current, task.id, ({ status }) => status === 'in_progress');
  await handIn(agent, task, 0, 'shipping 12');
  const lines = (await running).stdout.trim().split('\n');
  expect(lines[0]).toBe(`posted ${task.id} ${service.current.server.url}/t/${task.id}`);
  expect(lines).toContain('result shipping 12');
  expect(lines.at(-1)).toBe('TASK_STATE_COMPLETED');
  expect(task).toMatchObject({ title: 'Group the feedback at https://example.com/feedback.txt by topic.', numLegs: 1 });
});
