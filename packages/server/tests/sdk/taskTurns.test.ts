import {
  type ClaimedResult,
  type DigitalTaskDetail,
  followTurns,
  type Judge,
  makeMove,
  type LegworkClient,
  type TurnPolicy,
  verify,
} from '@legwork/sdk';
import { resultHash } from '@legwork/protocol/rules';
import { describe, expect, onTestFinished, test } from 'vitest';
import { claim, goal, legIdOf, untilTask } from '../operations/digitalTasks/scene.js';
import { courier } from '../operations/turns/scene.js';
import { type Party, withService } from '../support/service.js';
import { listDigitalTask } from '../support/listed.js';

let arbiter: Party | undefined;
const service = withService();
const STAKE = 20_000_000n;
const REASON = 'It sums up nothing.';

/** The arbiter here: one for all tests. */
async function ruler(): Promise<Party> {
  arbiter ??= await service.current.party(1);
  return arbiter;
}

interface Scene {
  readonly poster: Party;
  readonly agent: Party;
  readonly task: DigitalTaskDetail;
}

/** A task with terms whose first leg an agent has; `receiver` verifies it in the poster's place. */
async function assignedTask(receiver?: Party): Promise<Scene> {
  const [poster, agent] = [await service.current.party(3), await courier(service.current)];
  const roles = { arbiterPubkey: (await ruler()).pubkey, ...(receiver && { receiverPubkey: receiver.pubkey }) };
  const task = await listDigitalTask(poster.client, poster.signer, {
    ...goal(),
    terms: { preset: 'standard', ...roles },
  });
  await claim(agent, task, 0);
  await untilTask(service.current, task.id, ({ legs }) => legs[0]?.stage === 'pending');
  return { poster, agent, task };
}

const untilStage = ({ task }: Scene, stage: string) =>
  untilTask(service.current, task.id, ({ legs }) => legs[0]?.stage === stage);

/** Runs until the test ends, or it is stopped. */
function running(run: (signal: AbortSignal) => Promise<void>): AbortController {
  const stopping = new AbortController();
  const ended = run(stopping.signal);
  onTestFinished(async () => {
    stopping.abort();
    await ended;
  });
  return stopping;
}

const follow = ({ client, signer }: Party, policy: TurnPolicy) =>
  running((signal) => followTurns(client, signer, policy, { signal, everyMs: 100 }));

interface Verifying {
  readonly client?: LegworkClient;
  readonly failed?: (error: unknown) => void;
}

async function verifying({ client, signer }: Party, judge: Judge, more: Verifying = {}): Promise<AbortController> {
  const limits = { maxStakesLamports: 10n * STAKE, arbiters: [(await ruler()).pubkey] };
  const { failed = () => undefined } = more;
  return running((signal) => verify(more.client ?? client, signer, judge, { ...limits, failed, signal, everyMs: 100 }));
}

const judgeBy =
  (isRight: (result: string) => boolean): Judge =>
  ({ result }) =>
    Promise.resolve(isRight(result) ? { confirm: true } : { confirm: false, reason: REASON });

/** Lets the clock of the leg run until this many seconds are left of it. */
async function untilLeft(scene: Scene, seconds: number): Promise<void> {
  const { legs } = await scene.poster.client.getDigitalTask({ taskId: scene.task.id });
  const [leg] = legs;
  await service.current.advanceTime(((leg?.until?.getTime() ?? 0) - (leg?.since?.getTime() ?? 0)) / 1000 - seconds);
}

describe('followTurns', () => {
  test('accepts a leg of a task, hands its result in, and its verifier confirms it (T-46, T-91)', async () => {
    const verifier = await service.current.party(1);
    const scene = await assignedTask(verifier);
    follow(scene.agent, { result: ({ leg }) => `done: ${leg.instruction}` });
    const asked: ClaimedResult[] = [];
    await verifying(verifier, (claimed) => {
      asked.push(claimed);
      return Promise.resolve({ confirm: true });
    });
    const { legs } = await untilStage(scene, 'completed');
    expect(asked).toMatchObject([{ result: `done: ${legs[0]?.instruction}`, previousResults: [], artifacts: [] }]);
    expect(legs[0]).toMatchObject({ result: `done: ${legs[0]?.instruction}`, paymentLamports: 50_000_000n });
  });

  test('leaves a leg of a task in time that has no result, without a loss (T-10)', async () => {
    const scene = await assignedTask();
    const asked: boolean[] = [];
    follow(scene.agent, { result: (_, isLast) => void asked.push(isLast) });
    await untilStage(scene, 'accepted');
    await untilLeft(scene, 100);
    await expect.poll(() => asked.includes(true)).toBe(true);
    const { legs } = await untilTask(service.current, scene.task.id, ({ legs: [leg] }) => leg?.agentPubkey === null);
    expect(legs[0]?.forfeitedLamports ?? 0n).toBe(0n);
  });

  test('is paid by silence where nobody judges (T-33)', async () => {
    const scene = await assignedTask();
    follow(scene.agent, { result: () => 'late (2)' });
    await untilStage(scene, 'claimed');
    await untilLeft(scene, -1);
    const { legs } = await untilStage(scene, 'completed');
    expect(legs[0]).toMatchObject({ result: 'late (2)', paymentLamports: 50_000_000n });
  });
});

describe('verify', () => {
  test('disputes what is wrong with a reason and a stake, and pays what was ruled (T-15, T-20)', async () => {
    const scene = await assignedTask();
    const { poster, agent, task } = scene;
    follow(agent, { result: () => 'lorem ipsum' });
    await verifying(
      poster,
      judgeBy((result) => result !== 'lorem ipsum'),
    );
    const { legs } = await untilStage(scene, 'disputed');
    expect(legs[0]).toMatchObject({ disputerPubkey: poster.pubkey, reasonHash: resultHash(REASON).hex });
    const by = await ruler();
    const move = { legId: legIdOf(task, 0), taskId: task.id };
    await makeMove(by.client, by.signer, { ...move, action: 'rule', percent: 10 });
    const { legs: paid } = await untilStage(scene, 'completed');
    expect(paid[0]).toMatchObject({ percent: 10, paymentLamports: 5_000_000n });
  });

  test('killed between the evidence and the dispute it disputes once (A-95)', async () => {
    const scene = await assignedTask();
    const { poster, agent, task } = scene;
    follow(agent, { result: () => 'lorem ipsum' });
    await untilStage(scene, 'claimed');
    let hasDied = false;
    const dying: LegworkClient = {
      ...poster.client,
      buildTurnTx: () => {
        hasDied = true;
        return Promise.reject(new Error('killed'));
      },
    };
    const first = await verifying(
      poster,
      judgeBy(() => false),
      { client: dying },
    );
    await expect.poll(() => hasDied).toBe(true);
    first.abort();
    await verifying(
      poster,
      judgeBy(() => false),
    );
    await untilStage(scene, 'disputed');
    const { items } = await poster.client.listEvidence({ legId: legIdOf(task, 0) });
    expect(items.map(({ text }) => text)).toEqual(['lorem ipsum', REASON]);
    const { movements } = await poster.client.getTaskMoney({ taskId: task.id });
    expect(movements.filter(({ what }) => what === 'stake')).toHaveLength(2);
  });

  test('disputes a claim that no text can be had for, once a third of the review is over (A-94)', async () => {
    const scene = await assignedTask();
    const { poster, agent, task } = scene;
    const move = { legId: legIdOf(task, 0), taskId: task.id };
    await makeMove(agent.client, agent.signer, { ...move, action: 'accept' });
    await makeMove(agent.client, agent.signer, { ...move, action: 'claim', hash: 'ab'.repeat(32) });
    const asked: unknown[] = [];
    await untilLeft(scene, 1_000);
    await verifying(poster, (claimed) => {
      asked.push(claimed);
      return Promise.resolve({ confirm: true });
    });
    await untilStage(scene, 'disputed');
    expect(asked).toEqual([]);
  });

  test('without a verdict it tells why, and asks nobody when the review nears its end (A-94)', async () => {
    const scene = await assignedTask();
    const { poster, agent } = scene;
    follow(agent, { result: () => 'late (2)' });
    await untilStage(scene, 'claimed');
    const failures: string[] = [];
    const unable: Judge = () => Promise.reject(new Error('the tests cannot be run'));
    const first = await verifying(poster, unable, { failed: (error) => failures.push(String(error)) });
    await expect.poll(() => failures).toEqual(['Error: the tests cannot be run']);
    first.abort();
    await untilLeft(scene, 100);
    let asked = 0;
    await verifying(poster, () => Promise.resolve(void (asked += 1)));
    await untilLeft(scene, -1);
    await untilStage(scene, 'completed');
    expect(asked).toBe(0);
  });
});
