import { makeMove } from '@legwork/sdk';
import { address, generateKeyPairSigner } from '@solana/kit';
import { expect, test } from 'vitest';
import { policyAgent, runDaemon } from '../agents/support/agents.js';
import { legIdOf, postedTask, untilTask } from '../operations/digitalTasks/scene.js';
import { signedWith } from '../operations/turns/scene.js';
import { withService } from '../support/service.js';
import { land } from '../support/transactions.js';
import { until } from '../support/until.js';
import { balanceOf, give } from './scene.js';

const arbiter = await generateKeyPairSigner();
const service = withService({ settings: () => ({ ARBITER_PUBKEY: arbiter.address, AIRDROP: 'off' }) });
/** Of a task of a tenth of a SOL. */
const STAKE = 20_000_000n;
const ECHO = `process.stdin.resume().on('end', () => console.log('done'))`;

test('a daemon that has nothing but the stake accepts, hands in and claims, and its journal has what it signed (A-148)', async () => {
  const { current } = service;
  const run = { command: [process.execPath, '-e', ECHO], timeoutSec: 60 };
  const agent = await policyAgent(current, { worker: { run, capabilities: ['poor'] } }, 0);
  const bank = await current.party(2);
  const opened = await bank.client.buildOpenReputationTx({ agentPubkey: agent.pubkey, payerPubkey: bank.pubkey });
  await land(current, await signedWith(opened.transaction, [bank.signer]));
  await give(current, bank, agent.pubkey, STAKE);
  await until('the reputation account is mirrored', async () => {
    const { mirroredAt } = await bank.client.getReputation({ agentPubkey: agent.pubkey });
    return mirroredAt !== null;
  });
  await runDaemon([agent]);
  const legs = [{ instruction: 'Sum it up.' }];
  const { poster, task } = await postedTask(current, { title: 'Sum up poor', terms: 'standard', legs });
  await untilTask(current, task.id, (found) => found.legs[0]?.stage === 'claimed');
  const meant = { legId: legIdOf(task, 0), taskId: task.id };
  await makeMove(poster.client, poster.signer, { ...meant, action: 'confirm' });
  await untilTask(current, task.id, ({ status }) => status === 'completed');
  const signed = (await agent.journal()).filter(({ kind }) => kind === 'signed');
  expect(signed.map(({ instruction, lamports }) => [instruction, lamports])).toEqual([
    ['accept', '0'],
    ['claim', '0'],
  ]);
  expect(await balanceOf(current, address(agent.pubkey))).toBe(STAKE + 100_000_001n);
});
