import { describe, expect, test } from 'vitest';
import { postedTask, untilTask } from '../operations/digitalTasks/scene.js';
import { withService } from '../support/service.js';
import { PATIENT, policyAgent, runDaemon } from './support/agents.js';

const service = withService();

/** Answers with what it got, and the length of the result before. */
const ECHO = `let text = ''; process.stdin.on('data', (part) => (text += part)).on('end', () => {
  const { instruction, previousResult } = JSON.parse(text);
  console.log(instruction + ' ' + (previousResult ?? '').length);
})`;
const echo = { run: { command: [process.execPath, '-e', ECHO] } };

describe('worker daemons', () => {
  test('claim, work, hand in and are paid, each a leg of a task (A-40, A-41)', async () => {
    const agents = [
      await policyAgent(service.current, { worker: echo }, 0),
      await policyAgent(service.current, { worker: echo }, 0),
    ];
    await runDaemon(agents);
    const { task } = await postedTask(service.current);
    const done = await untilTask(service.current, task.id, ({ status }) => status === 'completed');
    expect(done.legs.map(({ result }) => result)).toEqual(['Group it by topic. 0', 'Sum each group up. 20']);
    expect(new Set(done.legs.map(({ agentPubkey }) => agentPubkey))).toEqual(
      new Set(agents.map(({ pubkey }) => pubkey)),
    );
  });

  test('gives a leg back when its work fails three times (A-42)', async () => {
    const failing = { run: { command: [process.execPath, '-e', 'process.exit(3)'] } };
    const agent = await policyAgent(service.current, { worker: failing }, 0);
    const { task } = await postedTask(service.current);
    const running = await runDaemon([agent]);
    await expect.poll(() => running.told.join('\n'), PATIENT).toContain('gave back leg 1');
    await untilTask(service.current, task.id, ({ legs }) => legs[0]?.agentPubkey === null);
    await running.stop();
    const calls = (await agent.journal()).filter(({ kind }) => kind === 'called').map(({ call }) => call);
    expect(calls).toEqual(['bidDigitalLeg', 'releaseDigitalLeg']);
  });
});
