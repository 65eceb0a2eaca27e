import { decodeRelayInstruction } from '@legwork/program-client';
import { address, getBase58Encoder } from '@solana/kit';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { refusalOf } from '../../support/sdkRefusal.js';
import type { Lie } from '../../support/lyingNode.js';
import { TestService } from '../../support/service.js';
import { balanceOf, claim, eventsOf, handIn, legIdOf, legs, postedTask, untilTask } from './scene.js';

let service: TestService;

beforeAll(async () => {
  service = await TestService.start({ lying: true });
});
afterEach(() => service.node.mend());
afterAll(() => service.close());

/** How often the ledger was told to do this to the account, by transactions that landed. */
async function timesDone(name: 'confirmTaskLeg' | 'assignTaskLeg', onChainLeg: string): Promise<number> {
  const found = await service.rpc.getSignaturesForAddress(address(onChainLeg), { commitment: 'confirmed' }).send();
  const counts = found
    .filter(({ err }) => err === null)
    .map(async ({ signature }) => {
      const landed = await service.rpc
        .getTransaction(signature, { commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: 0 })
        .send();
      const { accountKeys, instructions } = landed?.transaction.message ?? { accountKeys: [], instructions: [] };
      const decoded = instructions.map(({ accounts, data, programIdIndex }) =>
        decodeRelayInstruction(address(service.server.programId), {
          programAddress: address(String(accountKeys[programIdIndex])),
          accounts: accounts.map((index) => ({ address: address(String(accountKeys[index])), role: 0 })),
          data: getBase58Encoder().encode(data),
        }),
      );
      return decoded.filter((instruction) => instruction?.name === name).length;
    });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

const nothing: Lie = { kind: 'refused' };
const lost: Lie = { kind: 'unanswered' };
/** The program's error where the account of the task is nobody's: `InvalidAccountOwner`. */
const refusal = { err: { InstructionError: [0, { Custom: 6025 }] }, logs: [], accounts: null, unitsConsumed: 0 };
const unknown: Lie = { kind: 'says', result: { context: { slot: 1 }, value: { ...refusal, returnData: null } } };

/** An agent at work on the only leg of a task. */
async function atWork() {
  const [{ task }, agent] = await Promise.all([postedTask(service, { legs: legs(1) }), service.party(1)]);
  await claim(agent, task, 0);
  return { task, agent, before: await balanceOf(service, agent) };
}

/** The agent is paid for its result, once. */
async function requirePaidOnce({ task, agent, before }: Awaited<ReturnType<typeof atWork>>): Promise<void> {
  const shown = await untilTask(service, task.id, ({ status }) => status === 'completed');
  expect(shown.legs[0]).toMatchObject({ result: 'done', paymentLamports: 100_000_001n });
  expect((await balanceOf(service, agent)) - before).toBe(100_000_001n);
  expect(await timesDone('confirmTaskLeg', shown.legs[0]?.onChainLeg ?? '')).toBe(1);
  const types = (await eventsOf(service, task.id)).map(({ type }) => type);
  expect(types.filter((type) => type === 'TASK_LEG_COMPLETED')).toHaveLength(1);
  expect(await handIn(agent, task, 0, 'done')).toMatchObject({
    status: 'completed',
    confirmSignature: shown.legs[0]?.confirmSignature,
  });
}

test('while the ledger is away, a result is stored and answered without a payment, which comes once afterwards (S-58, M-58)', async () => {
  const scene = await atWork();
  await service.node.begin(nothing);
  const answers = await Promise.all([0, 1].map(() => handIn(scene.agent, scene.task, 0, 'done')));
  for (const answer of answers) {
    expect(answer).toMatchObject({ status: 'in_progress', paymentLamports: null, confirmSignature: null });
  }
  await service.node.mend();
  await requirePaidOnce(scene);
});

test('a confirmation whose answers are lost on the way is made once (S-58, M-58)', async () => {
  const scene = await atWork();
  await service.node.begin(lost);
  expect(await handIn(scene.agent, scene.task, 0, 'done')).toMatchObject({ legId: legIdOf(scene.task, 0) });
  await service.node.mend();
  await requirePaidOnce(scene);
});

test('while the ledger is away, nothing is claimed, and claims go on afterwards (S-57)', async () => {
  const { task } = await postedTask(service);
  const agent = await service.party(1);
  await service.node.begin(nothing);
  expect(await refusalOf(claim(agent, task, 0))).toMatchObject({ status: 503, code: 'ledger_unavailable' });
  expect((await agent.client.getDigitalTask({ taskId: task.id })).legs[0]?.agentPubkey).toBeNull();
  await service.node.mend();
  expect(await claim(agent, task, 0)).toMatchObject({ isWorkable: true });
});

test('an assignment whose answers are lost on the way is made once (M-56, S-57)', async () => {
  const { task } = await postedTask(service, { legs: legs(1) });
  const agent = await service.party(1);
  await service.node.begin(lost);
  await claim(agent, task, 0);
  await service.node.mend();
  const shown = await untilTask(service, task.id, ({ status }) => status === 'in_progress');
  expect(await timesDone('assignTaskLeg', shown.legs[0]?.onChainLeg ?? '')).toBe(1);
});

test('where the node does not show yet what was listed, a claim is kept and its assignment made once it does (M-61, S-104)', async () => {
  const { task } = await postedTask(service, { legs: legs(1) });
  const agent = await service.party(1);
  const told = await service.node.begin(unknown, ['simulateTransaction']);
  await claim(agent, task, 0);
  expect(told.hits).toBeGreaterThan(0);
  await service.node.mend();
  const shown = await untilTask(service, task.id, ({ status }) => status === 'in_progress');
  expect(shown.legs[0]?.agentPubkey).toBe(agent.signer.address);
  expect(await timesDone('assignTaskLeg', shown.legs[0]?.onChainLeg ?? '')).toBe(1);
});
