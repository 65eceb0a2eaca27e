import { type DigitalTaskDetail, makeMove, type MoveAction, resultHash, type PackageDraft } from '@legwork/sdk';
import { generateKeyPairSigner, lamports } from '@solana/kit';
import { beforeEach, describe, expect, test } from 'vitest';
import { legIdOf, postedTask, untilTask } from '../operations/digitalTasks/scene.js';
import { type Party, withService } from '../support/service.js';
import { PATIENT, type PolicyAgent, policyAgent, runDaemon } from './support/agents.js';

const arbiter = await generateKeyPairSigner();
const service = withService({ settings: () => ({ ARBITER_PUBKEY: arbiter.address }) });

/** Answers with what it got, and the length of the result before. */
const ECHO = `let text = ''; process.stdin.on('data', (part) => (text += part)).on('end', () => {
  const { instruction, previousResult } = JSON.parse(text);
  console.log(instruction + ' ' + (previousResult ?? '').length);
})`;
/** The topic of the test: its agents claim nothing of the others. */
let topic = 'topic0';
let topics = 0;
beforeEach(() => {
  topic = `topic${(topics += 1)}`;
});

const worker = (more: object = {}, { script = ECHO, timeoutSec = 60 } = {}) => {
  const run = { command: [process.execPath, '-e', script], timeoutSec };
  return policyAgent(service.current, { worker: { run, capabilities: [topic] }, ...more });
};

const ONE_LEG = { legs: [{ instruction: 'Sum it up.' }] };
/** A task of a tenth of a SOL with terms: the stake is a fifth of it. */
const listed = (terms: PackageDraft['terms'] = 'standard', changes: Parameters<typeof postedTask>[1] = {}) =>
  postedTask(service.current, { title: `Sum up ${topic}`, terms, ...changes });

const until = (task: DigitalTaskDetail, index: number, stage: string) =>
  untilTask(service.current, task.id, ({ legs }) => legs[index]?.stage === stage);

const move = (by: Party, task: DigitalTaskDetail, index: number, action: MoveAction, more: object = {}) => {
  const asked = { legId: legIdOf(task, index), taskId: task.id, action, ...more };
  return makeMove(by.client, by.signer, asked, { rpc: service.current.rpc });
};

/** Lamports of stakes that did not return to who posted them. */
const stakesLost = async ({ id: taskId }: DigitalTaskDetail) => {
  const { movements } = await (await service.current.party(0)).client.getTaskMoney({ taskId });
  const sumOf = (kind: string) =>
    movements.reduce((sum, { what, amount: one }) => (what === kind ? sum + one : sum), 0n);
  return sumOf('stake') - sumOf('stake_returned');
};

const signedBy = async (agent: PolicyAgent) =>
  (await agent.journal()).filter(({ kind }) => kind === 'signed').map(({ instruction }) => instruction);

describe('worker daemons and tasks with terms', () => {
  test('open a reputation, claim, accept, hand in and are paid by the confirmation of the poster (A-24, A-44, A-45)', async () => {
    const agents = [await worker(), await worker()];
    const { told } = await runDaemon(agents);
    const { poster, task } = await listed();
    for (const index of [0, 1]) {
      await until(task, index, 'claimed');
      await move(poster, task, index, 'confirm');
    }
    const done = await untilTask(service.current, task.id, ({ status }) => status === 'completed');
    expect(done.legs.map(({ result }) => result)).toEqual(['Group it by topic. 0', 'Sum each group up. 20']);
    expect(new Set(done.legs.map(({ agentPubkey }) => agentPubkey))).toEqual(
      new Set(agents.map(({ pubkey }) => pubkey)),
    );
    for (const agent of agents) expect(await signedBy(agent)).toEqual(['openReputation', 'accept', 'claim']);
    expect(told.join('\n')).toContain('with a stake of 0.02 SOL');
    const accepted = (await agents[0]?.journal())?.find(({ instruction }) => instruction === 'accept');
    // The sum it counted as spent is the fee.
    expect(accepted).toMatchObject({ stakeLamports: '20000000', lamports: expect.stringMatching(/^\d{4,5}$/) });
  });

  test('hand in the files that their command leaves, and the next one gets them (A-41, A-45)', async () => {
    const script = `let text = ''; process.stdin.on('data', (part) => (text += part)).on('end', async () => {
      const { instruction, previousFiles } = JSON.parse(text);
      const before = await Promise.all(previousFiles.map(async ({ url }) => (await fetch(url)).text()));
      const { writeFileSync } = require('node:fs');
      writeFileSync(process.env.LEGWORK_FILES + '/b.csv', before.join() + 'late,2');
      writeFileSync(process.env.LEGWORK_FILES + '/a.bin', instruction);
      console.log('See the files.');
    })`;
    const agents = [await worker({}, { script }), await worker({}, { script })];
    await runDaemon(agents);
    const { poster, task } = await listed();
    for (const index of [0, 1]) {
      await until(task, index, 'claimed');
      await move(poster, task, index, 'confirm');
    }
    const { legs } = await untilTask(service.current, task.id, ({ status }) => status === 'completed');
    for (const { instruction, result, artifacts, resultHash: hash } of legs) {
      expect(artifacts).toMatchObject([
        { name: 'a.bin', bytes: instruction.length },
        { name: 'b.csv', contentType: 'text/csv' },
      ]);
      expect(resultHash(result ?? '', artifacts).hex).toBe(hash);
    }
    // The second one found both files of the first.
    expect(legs[1]?.artifacts[1]?.bytes).toBe('Group it by topic.,late,2late,2'.length);
  });

  test('leave a task alone whose terms the policy does not take (A-44)', async () => {
    const picky = await worker({ limits: { stakePerLeg: 0.01, stakeInAll: 1 } });
    const { task } = await listed();
    const { task: plain } = await listed('plain', { ...ONE_LEG, maxBudgetSol: 0.01 });
    await runDaemon([picky]);
    // It saw both: what pays more it claims first.
    await untilTask(service.current, plain.id, ({ status }) => status === 'completed');
    const left = await untilTask(service.current, task.id, () => true);
    expect(left.legs.map(({ agentPubkey }) => agentPubkey)).toEqual([null, null]);
    expect(await signedBy(picky)).toEqual([]);
  });

  test('leave in time what their command does not finish, and another one does it (A-45)', async () => {
    const slow = await worker({}, { script: 'setInterval(() => {}, 1000)', timeoutSec: 2_000 });
    const { poster, task } = await listed('standard', ONE_LEG);
    const first = await runDaemon([slow]);
    await until(task, 0, 'accepted');
    await service.current.advanceTime(2_400 - 100);
    await expect.poll(() => first.told.join('\n'), PATIENT).toContain(`left leg 1 of task ${task.id}`);
    await untilTask(service.current, task.id, ({ legs }) => legs[0]?.isOpen ?? false);
    expect(await stakesLost(task)).toBe(0n);
    expect(await signedBy(slow)).toEqual(['openReputation', 'accept', 'vacate']);
    await runDaemon([await worker()]);
    await until(task, 0, 'claimed');
    await move(poster, task, 0, 'confirm');
    await untilTask(service.current, task.id, ({ status }) => status === 'completed');
  });

  test('leave what their command failed at three times (A-42, A-45)', async () => {
    const failing = await worker({}, { script: 'process.exit(3)' });
    const { task } = await listed('standard', ONE_LEG);
    const { told } = await runDaemon([failing]);
    await expect.poll(() => told.join('\n'), PATIENT).toContain('its work failed 3 times');
    await untilTask(service.current, task.id, ({ legs }) => legs[0]?.isOpen ?? false);
    expect(await signedBy(failing)).toEqual(['openReputation', 'accept', 'vacate']);
    expect(await stakesLost(task)).toBe(0n);
  });

  test('do no leg again whose result was rejected (A-44)', async () => {
    const agent = await worker();
    const { poster, task } = await listed('standard', ONE_LEG);
    await service.current.rpc.requestAirdrop(arbiter.address, lamports(1_000_000_000n)).send();
    const judge = { ...(await service.current.party(0)), signer: arbiter };
    await runDaemon([agent]);
    await until(task, 0, 'claimed');
    await move(poster, task, 0, 'dispute', { text: 'It sums up nothing.' });
    await move(judge, task, 0, 'rule', { percent: 0 });
    await untilTask(service.current, task.id, ({ legs }) => legs[0]?.isOpen ?? false);
    // It still looks for work; what pays more it would claim first.
    const { task: plain } = await listed('plain', { ...ONE_LEG, maxBudgetSol: 0.01 });
    await untilTask(service.current, plain.id, ({ status }) => status === 'completed');
    const claims = (await agent.journal()).filter(({ call }) => call === 'bidDigitalLeg').map(({ subject }) => subject);
    expect(claims).toEqual([legIdOf(task, 0), legIdOf(plain, 0)]);
    expect(await signedBy(agent)).toEqual(['openReputation', 'accept', 'claim']);
  });
});
