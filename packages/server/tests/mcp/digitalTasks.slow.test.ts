import { MAX_RESULT_BYTES } from '@legwork/protocol/contract';
import { resultHash } from '@legwork/protocol/rules';
import { address } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { goal, legIdOf, postedTask } from '../operations/digitalTasks/scene.js';
import { withService } from '../support/service.js';
import {
  answeredAlike,
  answerOf,
  callOverMcp,
  callTool,
  connectClient,
  failureOf,
  rpc,
  toolsCall,
} from './toolCalls.js';
import { onceFinal } from '../support/onceFinal.js';
import { until } from '../support/until.js';

const service = withService();

type Json = Record<string, unknown>;
interface Leg extends Json {
  id: string;
  status: string;
  isOpen: boolean;
  isWorkable: boolean;
  result: string | null;
}

const SHARE = 50_000_000n;

const legsOf = (task: Json): Leg[] => task['legs'] as Leg[];
const rest = async (path: string): Promise<unknown> => (await fetch(`${service.current.server.url}${path}`)).json();
const readTask = (taskId: string): Promise<Json> => answerOf(service.current, 'svc_get_digital_task', { taskId });

async function balance(pubkey: string): Promise<bigint> {
  const { value } = await service.current.rpc.getBalance(address(pubkey), { commitment: 'confirmed' }).send();
  return value;
}

/** Asks as an agent would, until the task is as `done` says. */
async function untilTask(taskId: string, done: (task: Json) => boolean): Promise<Json> {
  let last: Json | undefined;
  return until(
    () => `the task, which is ${JSON.stringify(last)}`,
    async () => {
      last = await readTask(taskId);
      return done(last) && last;
    },
  );
}

/** Repeats a call, which is safe, until the ledger has shown what it asked for. */
async function untilShown(tool: string, args: Json, shown: Json): Promise<Json> {
  for (let tries = 0; tries < 20; tries += 1) {
    const answer = await answerOf(service.current, tool, args);
    if (Object.entries(shown).every(([name, value]) => answer[name] === value)) return answer;
  }
  throw new Error(`${tool} did not get there`);
}

const claim = (args: Json) => untilShown('svc_bid_digital_leg', args, { status: 'in_progress' });
const handIn = (args: Json) => untilShown('svc_complete_digital_leg', args, { status: 'completed' });

test('agents that have only the tools take a digital task from posting to settlement (S-35)', async () => {
  const [poster, first, second] = [
    await service.current.party(0),
    await service.current.party(0),
    await service.current.party(0),
  ];
  for (const { pubkey } of [first, second])
    await answerOf(service.current, 'svc_register_agent', { agentPubkey: pubkey });
  const { legs: _planned, ...unplanned } = goal();
  const posted = await answerOf(service.current, 'svc_post_digital_task', {
    ...unplanned,
    shipperPubkey: poster.pubkey,
  });
  const taskId = String(posted['id']);
  expect(posted).toMatchObject({ status: 'listed', isPlanned: true, numLegs: 2, paymentPerLegLamports: Number(SHARE) });
  expect(legsOf(posted).map((leg) => leg['instruction'])).toEqual([
    'Group the feedback by topic,',
    'then sum each group up.',
  ]);
  const found = await answerOf(service.current, 'svc_list_digital_tasks', { open: true });
  expect(found).toMatchObject({
    items: [{ id: taskId, legs: [{ isOpen: true, isWorkable: true }, { isOpen: true }] }],
  });
  const [one, two] = legsOf(posted).map(({ id }) => ({ taskId, legId: id }));
  const before = await Promise.all([first, second].map(({ pubkey }) => balance(pubkey)));

  expect(await claim({ ...one, agentPubkey: first.pubkey, bidSol: 0.05 })).toMatchObject({
    isWorkable: true,
    previousResult: null,
    dueAt: expect.any(String),
  });
  const reserve = { ...two, agentPubkey: second.pubkey, bidSol: 0.05 };
  expect(await answerOf(service.current, 'svc_bid_digital_leg', reserve)).toMatchObject({
    status: 'pending',
    isWorkable: false,
    dueAt: null,
  });
  expect(await answerOf(service.current, 'svc_list_digital_tasks', { open: true })).toMatchObject({ items: [] });
  const early = { ...two, agentPubkey: second.pubkey, result: 'too early' };
  expect(await failureOf(service.current, 'svc_complete_digital_leg', early)).toMatchObject({
    code: 'leg_out_of_order',
  });

  const handedIn = { ...one, agentPubkey: first.pubkey, result: 'Topics: delivery (12), price (7).' };
  expect(await handIn(handedIn)).toMatchObject({
    paymentLamports: Number(SHARE),
    resultHash: resultHash(handedIn.result).hex,
    nextLeg: { legId: two?.legId, agentPubkey: second.pubkey },
  });
  const turned = await untilTask(taskId, (task) => legsOf(task)[1]?.status === 'in_progress');
  expect(turned).toMatchObject({ completedLegs: 1, legs: [{ result: handedIn.result }, { result: null }] });
  expect(await callOverMcp(service.current, '2026', 'svc_bid_digital_leg', reserve)).toMatchObject({
    structuredContent: { status: 'in_progress', previousResult: handedIn.result },
  });
  const last = { ...early, result: 'Two paragraphs.' };
  expect(await callOverMcp(service.current, '2025', 'svc_complete_digital_leg', last)).toMatchObject({
    isError: false,
    structuredContent: { nextLeg: null, resultBytes: 15 },
  });

  const completed = await untilTask(taskId, ({ status }) => status === 'completed');
  expect(completed).toMatchObject({
    refundLamports: 1,
    legs: [{ paymentLamports: Number(SHARE) }, { paymentLamports: Number(SHARE) }],
  });
  for (const [index, { pubkey }] of [first, second].entries()) {
    expect(await balance(pubkey)).toBe((before[index] ?? 0n) + SHARE);
    expect(await answerOf(service.current, 'svc_get_reputation', { agentPubkey: pubkey })).toMatchObject({
      legsCompleted: 1,
      reliabilityScore: 100,
    });
  }
});

describe('tools of digital tasks', () => {
  test('svc_get_digital_task answers a task with its legs, as REST does (S-35)', async () => {
    const { task } = await postedTask(service.current);
    const answer = await answeredAlike(service.current, 'svc_get_digital_task', { taskId: task.id });
    expect(onceFinal(answer)).toEqual(onceFinal(await rest(`/digital-tasks/${task.id}`)));
    expect(answer).toMatchObject({ status: 'listed', isPlanned: false, legs: [{ legIndex: 0 }, { legIndex: 1 }] });
  });

  test('svc_list_digital_tasks answers summaries, a total and the next page (S-35)', async () => {
    const long = { description: 'x'.repeat(4000), legs: [{ instruction: 'y'.repeat(4000) }] };
    const { task, poster } = await postedTask(service.current, long);
    const shipper = poster.pubkey;
    const other = await postedTask(service.current);
    const mine = await answeredAlike(service.current, 'svc_list_digital_tasks', { shipper });
    expect(mine).toMatchObject({
      total: 1,
      nextCursor: null,
      items: [{ id: task.id, description: `${'x'.repeat(299)}…`, legs: [{ instruction: `${'y'.repeat(299)}…` }] }],
    });
    const first = await answeredAlike(service.current, 'svc_list_digital_tasks', { limit: 1, status: 'listed' });
    expect(first).toMatchObject({ items: [{ id: other.task.id }], nextCursor: expect.any(String) });
    const second = { limit: 1, status: 'listed', cursor: first['nextCursor'] };
    expect(await answeredAlike(service.current, 'svc_list_digital_tasks', second)).toMatchObject({
      items: [{ id: task.id }],
    });
    expect(await answeredAlike(service.current, 'svc_list_digital_tasks', { shipper, open: false })).toMatchObject({
      total: 1,
    });
    expect(await answeredAlike(service.current, 'svc_list_digital_tasks', { shipper, open: true })).toMatchObject({
      total: 1,
    });
    expect(await failureOf(service.current, 'svc_list_digital_tasks', { open: 'yes' })).toMatchObject({
      code: 'invalid_input',
      errors: [{ field: 'open' }],
    });
  });

  test('svc_bid_digital_leg and svc_complete_digital_leg answer a repeat as the first call (S-57, S-58)', async () => {
    const agent = await service.current.party(0);
    const { task } = await postedTask(service.current);
    const leg = { taskId: task.id, legId: legIdOf(task, 0), agentPubkey: agent.pubkey };
    const bid = { ...leg, bidSol: 0.05 };
    const claimed = await claim(bid);
    expect(await answeredAlike(service.current, 'svc_bid_digital_leg', bid)).toEqual(claimed);
    expect(claimed).toMatchObject({
      status: 'in_progress',
      bidLamports: Number(SHARE),
      instruction: 'Group it by topic.',
    });
    const result = { ...leg, result: 'Done.' };
    const done = await handIn(result);
    expect(onceFinal(await answeredAlike(service.current, 'svc_complete_digital_leg', result))).toEqual(
      onceFinal(done),
    );
    expect(done).toMatchObject({ status: 'completed', taskStatus: 'in_progress', paymentLamports: Number(SHARE) });
  });

  test.for(['2026', '2025'] as const)(
    'svc_post_digital_task posts over MCP of %s as over /mcp/call (S-35)',
    async (revision) => {
      const { pubkey } = await service.current.party(0);
      const wanted = { ...goal(), shipperPubkey: pubkey };
      const { isError, structuredContent } = await callOverMcp(
        service.current,
        revision,
        'svc_post_digital_task',
        wanted,
      );
      const overCall = await answerOf(service.current, 'svc_post_digital_task', wanted);
      const shape = (task: Json) => [task['status'], task['numLegs'], task['shipperPubkey'], Object.keys(task)];
      expect([isError, shape((structuredContent ?? {}) as Json)]).toEqual([false, shape(overCall)]);
      expect(onceFinal(await readTask(String(overCall['id'])))).toEqual(onceFinal(overCall));
    },
  );

  test('refuse what breaks a rule in the words of the rule, alike over MCP (S-36)', async () => {
    const agent = await service.current.party(0);
    const { task, poster } = await postedTask(service.current);
    const leg = { taskId: task.id, legId: legIdOf(task, 0) };
    for (const [args, code, field] of [
      [{ ...leg, agentPubkey: poster.pubkey, bidSol: 0.05 }, 'self_dealing', 'agentPubkey'],
      [{ ...leg, agentPubkey: agent.pubkey, bidSol: 0.050000001 }, 'bid_above_share', 'bidSol'],
      [{ ...leg, agentPubkey: agent.pubkey, bidSol: 0 }, 'invalid_input', 'bidSol'],
    ] as const) {
      const failure = await failureOf(service.current, 'svc_bid_digital_leg', args);
      expect(failure).toMatchObject({ code, errors: [{ field }] });
      expect(await answeredAlike(service.current, 'svc_bid_digital_leg', args)).toEqual({});
    }
    const notHers = { ...leg, agentPubkey: agent.pubkey, result: 'x' };
    expect(await failureOf(service.current, 'svc_complete_digital_leg', notHers)).toMatchObject({
      code: 'not_your_leg',
      hint: expect.stringContaining('svc_bid_digital_leg'),
    });
  });
});

describe('the largest result', () => {
  /** Each of its bytes is six characters of JSON. */
  const result = '\u0001'.repeat(MAX_RESULT_BYTES);

  test('goes in by a tool, comes back as an excerpt, and whole from its resource and REST (S-56, S-62)', async () => {
    const [first, second] = [await service.current.party(0), await service.current.party(0)];
    const { task } = await postedTask(service.current);
    const { id: taskId, resourceUri } = task;
    const mine = { taskId, legId: legIdOf(task, 0), agentPubkey: first.pubkey };
    await claim({ ...mine, bidSol: 0.05 });
    const handedIn = await handIn({ ...mine, result });
    expect(handedIn).toMatchObject({ resultBytes: MAX_RESULT_BYTES, resultHash: resultHash(result).hex });
    expect(JSON.stringify(handedIn).length).toBeLessThan(2000);

    const shown = `${'\u0001'.repeat(3999)}…`;
    const excerpt = await answeredAlike(service.current, 'svc_get_digital_task', { taskId });
    expect(excerpt).toMatchObject({ legs: [{ result: shown, resultBytes: MAX_RESULT_BYTES }, { result: null }] });
    const next = { taskId, legId: legIdOf(task, 1), agentPubkey: second.pubkey, bidSol: 0.05 };
    expect(await answerOf(service.current, 'svc_bid_digital_leg', next)).toMatchObject({
      previousResult: shown,
      resourceUri,
    });

    const client = await connectClient(service.current.server.url, '2026');
    const { contents } = await client.readResource({ uri: resourceUri });
    await client.close();
    const [{ text = '' } = {}] = contents as { text?: string }[];
    expect(onceFinal(JSON.parse(text) as Json)).toEqual(onceFinal(await rest(`/digital-tasks/${taskId}`)));
    expect(legsOf(JSON.parse(text) as Json)[0]?.result).toBe(result);
  });

  test('goes in over MCP too, and one byte more is an argument at fault (S-62)', async () => {
    const agent = await service.current.party(0);
    const { task } = await postedTask(service.current);
    const mine = { taskId: task.id, legId: legIdOf(task, 0), agentPubkey: agent.pubkey };
    await claim({ ...mine, bidSol: 0.05 });
    const longer = { ...mine, result: `${result}x` };
    expect(await failureOf(service.current, 'svc_complete_digital_leg', longer)).toMatchObject({
      code: 'invalid_input',
      errors: [{ field: 'result', message: expect.stringContaining('262144') }],
    });
    const { status, body } = await rpc(
      service.current.server.url,
      toolsCall('svc_complete_digital_leg', { ...mine, result }),
    );
    expect([status, body]).toMatchObject([
      200,
      { result: { isError: false, structuredContent: { resultHash: resultHash(result).hex } } },
    ]);
    const { status: refused } = await callTool(service.current, 'svc_complete_digital_leg', {
      ...mine,
      result: result.repeat(2),
    });
    expect(refused).toBe(413);
  });
});
