import { type DigitalTaskDetail, makeMove, type MoveAction, type TermsChoice } from '@legwork/sdk';
import { generateKeyPairSigner } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { legIdOf, postedTask, untilTask } from '../operations/digitalTasks/scene.js';
import { type Party, withService } from '../support/service.js';
import { type PolicyAgent, policyAgent, runDaemon } from './support/agents.js';

const arbiter = await generateKeyPairSigner();
const service = withService({ settings: () => ({ ARBITER_PUBKEY: arbiter.address }) });

/** Answers with what it got, and the length of the result before. */
const ECHO = `let text = ''; process.stdin.on('data', (part) => (text += part)).on('end', () => {
  const { instruction, previousResult } = JSON.parse(text);
  console.log(instruction + ' ' + (previousResult ?? '').length);
})`;
const run = (script: string) => ({ run: { command: [process.execPath, '-e', script] } });
const worker = (script = ECHO, more: object = {}) => policyAgent(service.current, { worker: run(script), ...more });

const ONE_LEG = { legs: [{ instruction: 'Sum it up.' }] };
/** A task of a tenth of a SOL with terms: the stake is a fifth of it. */
const listed = (terms: TermsChoice = 'standard', changes: Parameters<typeof postedTask>[1] = {}) =>
  postedTask(service.current, { terms, ...changes });

const until = (task: DigitalTaskDetail, index: number, stage: string) =>
  untilTask(service.current, task.id, ({ legs }) => legs[index]?.stage === stage);

const move = (by: Party, task: DigitalTaskDetail, index: number, action: MoveAction) =>
  makeMove(
    by.client,
    by.signer,
    { legId: legIdOf(task, index), taskId: task.id, action },
    { rpc: service.current.rpc },
  );

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
  });

  test('are paid by the clock when the poster says nothing (A-45)', async () => {
    await runDaemon([await worker()]);
    const { task } = await listed({ preset: 'standard', reviewSec: 600 }, ONE_LEG);
    await until(task, 0, 'claimed');
    await service.current.advanceTime(700);
    const paid = await untilTask(service.current, task.id, ({ status }) => status === 'completed');
    expect(paid.legs[0]).toMatchObject({ result: 'Sum it up. 0', paymentLamports: 100_000_001n, percent: null });
  });
});
