import { createUuid } from '@legwork/protocol/contract';
import { describe, expect, test } from 'vitest';
import {
  claim,
  goal,
  handIn,
  isOpen,
  legIdOf,
  postedTask,
  runOut,
  untilTask,
} from '../operations/digitalTasks/scene.js';
import { bidInput, confirmAll, draft, formedPackage, untilPackage } from '../support/market.js';
import { type Party, type TestService, withService } from '../support/service.js';
import { changesBetween, snapshot, untilQuiet } from '../support/snapshot.js';
import { answerOf, callSigned, callTool, failureOf } from './toolCalls.js';

const service = withService();
const all = withService({ settings: () => ({ UNSIGNED_CALLS: 'all' }) });
const none = withService({ settings: () => ({ UNSIGNED_CALLS: 'none' }) });

/** A package that takes bids for an hour. */
async function openPackage(of: TestService): Promise<string> {
  const { pubkey } = await of.party(0);
  const parcel = { ...draft(), shipperPubkey: pubkey, biddingWindowSec: 3600 };
  return String((await answerOf(of, 'svc_post_task', parcel))['id']);
}

/** Unsigned calls that would bind the agent, with a task that has an open leg. */
async function bindingCalls(of: TestService, { pubkey }: Pick<Party, 'pubkey'>) {
  const agent = await of.party(0);
  const { task } = await postedTask(of);
  const leg = { taskId: task.id, legId: legIdOf(task, 0), agentPubkey: pubkey };
  const bid = { ...bidInput(agent, await openPackage(of), 'zoo', 'ostkreuz', 0.1), agentPubkey: pubkey };
  return [
    ['svc_submit_bid', bid],
    ['svc_bid_digital_leg', { ...leg, bidSol: 0.01 }],
    ['svc_complete_digital_leg', { ...leg, result: 'not hers' }],
  ] as const;
}

/** Each call is refused for want of a signature and changes nothing. */
async function expectRefused(of: TestService, { pubkey }: Pick<Party, 'pubkey'>): Promise<void> {
  const calls = await bindingCalls(of, { pubkey });
  await untilQuiet(of);
  const before = await snapshot(of);
  for (const [tool, args] of calls) {
    const failure = await failureOf(of, tool, args);
    expect([tool, failure]).toMatchObject([tool, { code: 'signature_required', errors: [{ field: 'agentPubkey' }] }]);
  }
  expect(changesBetween(before, await snapshot(of))).toEqual([]);
}

const asks = ({ client, pubkey }: Party, requireSignedCalls: boolean) =>
  client.updateAgent({ agentPubkey: pubkey, requireSignedCalls });
const reputationOf = ({ client, pubkey }: Party) => client.getReputation({ agentPubkey: pubkey });

describe('a key is bound by its signature alone, once it has signed', () => {
  const ways: [what: string, sign: (agent: Party) => Promise<unknown>][] = [
    ['a registration', ({ client, pubkey }) => client.registerAgent({ agentPubkey: pubkey })],
    [
      'a change of its profile',
      ({ client, pubkey }) => client.updateAgent({ agentPubkey: pubkey, displayName: 'Ada' }),
    ],
    [
      'a bid',
      async (agent) =>
        agent.client.submitBid(bidInput(agent, await openPackage(service.current), 'zoo', 'ostkreuz', 0.1)),
    ],
    ['a claim', async (agent) => claim(agent, (await postedTask(service.current)).task, 1)],
    [
      'a result',
      async (agent) => {
        const { task } = await postedTask(service.current);
        const leg = { taskId: task.id, legId: legIdOf(task, 0), agentPubkey: agent.pubkey };
        await answerOf(service.current, 'svc_bid_digital_leg', { ...leg, bidSol: 0.01 });
        await handIn(agent, task, 0);
      },
    ],
  ];

  test.for(ways)('%s (S-16)', async ([, sign]) => {
    const agent = await service.current.party(1);
    await sign(agent);
    await expectRefused(service.current, agent);
    expect((await agent.client.getAgent({ agentPubkey: agent.pubkey })).requireSignedCalls).toBe(true);
  });

  test('so a stranger can no longer ruin its reputation with claims that run out (S-16)', async () => {
    const agent = await service.current.party(1);
    await agent.client.registerAgent({ agentPubkey: agent.pubkey });
    const { task } = await postedTask(service.current, { legs: [{ instruction: 'Do it.' }] });
    await claim(agent, task, 0);
    await handIn(agent, task, 0);
    expect(await reputationOf(agent)).toMatchObject({ legsAccepted: 1, legsCompleted: 1 });
    for (let times = 0; times < 3; times += 1) {
      const { task: other } = await postedTask(service.current, { legs: [{ instruction: 'Do it.' }] });
      const leg = { taskId: other.id, legId: legIdOf(other, 0), agentPubkey: agent.pubkey };
      const { body } = await callTool(service.current, 'svc_bid_digital_leg', { ...leg, bidSol: 0.01 });
      expect(body.isError).toBe(true);
      await runOut(service.current, leg.legId);
    }
    await untilQuiet(service.current);
    expect(await reputationOf(agent)).toMatchObject({ legsAccepted: 1, legsCompleted: 1, reliabilityScore: 100 });
  });

  test('but not by confirming a handoff, nor by asking to see its own bids (S-16)', async () => {
    const begun = await formedPackage(service.current, [['zoo', 'ostkreuz', 0.1]]);
    await confirmAll(service.current, begun);
    const { shipper } = begun;
    await shipper.client.listBids({ packageId: begun.item.id });
    expect((await untilPackage(service.current, begun.item.id, ({ status }) => status === 'delivered')).id).toBe(
      begun.item.id,
    );
    const [, claimed] = await bindingCalls(service.current, shipper);
    expect((await callTool(service.current, ...claimed)).body.isError).toBe(false);
  });

  test('and a refused call of its own does not count as signed (S-16)', async () => {
    const agent = await service.current.party(1);
    const missing = bidInput(agent, createUuid(), 'zoo', 'ostkreuz', 0.1);
    await expect(agent.client.submitBid(missing)).rejects.toMatchObject({ code: 'not_found' });
    const [bid] = await bindingCalls(service.current, agent);
    expect((await callTool(service.current, ...bid)).body.isError).toBe(false);
  });

  test('while every other tool stays open to it (S-16)', async () => {
    const agent = await service.current.party(1);
    await asks(agent, true);
    const others: [string, Record<string, unknown>][] = [
      ['svc_register_agent', { agentPubkey: agent.pubkey }],
      ['svc_post_task', { ...draft(), shipperPubkey: agent.pubkey }],
      ['svc_post_digital_task', { ...goal(), shipperPubkey: agent.pubkey }],
      ['svc_get_reputation', { agentPubkey: agent.pubkey }],
    ];
    for (const [tool, args] of others) {
      expect([tool, (await callTool(service.current, tool, args)).body.isError]).toEqual([tool, false]);
    }
  });

  test('until its signed profile opens it again, and for good then (S-16)', async () => {
    const agent = await service.current.party(1);
    await asks(agent, true);
    await expectRefused(service.current, agent);
    expect(await asks(agent, false)).toMatchObject({ requireSignedCalls: false });
    const [bid, claimed] = await bindingCalls(service.current, agent);
    expect((await callTool(service.current, ...bid)).body.isError).toBe(false);
    await callSigned(service.current, agent.signer, ...claimed);
    const [again] = await bindingCalls(service.current, agent);
    expect((await callTool(service.current, ...again)).body.isError).toBe(false);
  });

  test('and what was done unsigned in its name before binds it no more (M-38, M-56)', async () => {
    const [agent, rival] = [await service.current.party(1), await service.current.party(1)];
    const shipper = await service.current.party(0);
    const parcel = { ...draft(), shipperPubkey: shipper.pubkey, biddingWindowSec: 60 };
    const packageId = String((await answerOf(service.current, 'svc_post_task', parcel))['id']);
    await answerOf(service.current, 'svc_submit_bid', bidInput(agent, packageId, 'zoo', 'ostkreuz', 0.01));
    await rival.client.submitBid(bidInput(rival, packageId, 'zoo', 'ostkreuz', 0.4));
    const { task } = await postedTask(service.current);
    const second = { taskId: task.id, legId: legIdOf(task, 1), agentPubkey: agent.pubkey };
    await answerOf(service.current, 'svc_bid_digital_leg', { ...second, bidSol: 0.01 });

    await agent.client.registerAgent({ agentPubkey: agent.pubkey });
    await claim(rival, task, 0);
    await handIn(rival, task, 0);
    await untilTask(service.current, task.id, isOpen(1));
    await service.current.db
      .updateTable('packages')
      .set({ evaluate_at: new Date(), bidding_closes_at: new Date() })
      .where('id', '=', packageId)
      .execute();
    const { swarm } = await untilPackage(service.current, packageId, ({ status }) => status === 'in_transit');
    expect(swarm?.legs.map(({ agentPubkey }) => agentPubkey)).toEqual([rival.pubkey]);
    expect(await reputationOf(agent)).toMatchObject({ legsAccepted: 0 });
  });
});

describe('UNSIGNED_CALLS', () => {
  const toolsOf = async (of: TestService) => {
    const { tools } = (await (await fetch(`${of.server.url}/mcp/tools`)).json()) as {
      tools: { name: string; description: string }[];
    };
    return tools.filter(({ description }) => /signature|signed/.test(description)).map(({ name }) => name);
  };
  const binding = ['svc_submit_bid', 'svc_bid_digital_leg', 'svc_complete_digital_leg'];

  test.for([
    ['newcomers', service],
    ['all', all],
    ['none', none],
  ] as const)('%s: /config and the tools say so (S-16)', async ([mode, of]) => {
    const { client } = await of.current.party(0);
    expect((await client.getConfig({})).limits.unsignedCalls).toBe(mode);
    expect(await toolsOf(of.current)).toEqual(expect.arrayContaining(binding));
  });

  test('all: only who asked for it is bound by its signature alone (S-16)', async () => {
    const agent = await all.current.party(1);
    await agent.client.registerAgent({ agentPubkey: agent.pubkey });
    const [bid] = await bindingCalls(all.current, agent);
    expect((await callTool(all.current, ...bid)).body.isError).toBe(false);
    await asks(agent, true);
    await expectRefused(all.current, agent);
  });

  test('none: unsigned calls bind nobody, signed ones do (S-16)', async () => {
    const agent = await none.current.party(1);
    await expectRefused(none.current, agent);
    await asks(agent, false);
    await expectRefused(none.current, agent);
    const [bid] = await bindingCalls(none.current, agent);
    expect((await callSigned(none.current, agent.signer, ...bid)).body.isError).toBe(false);
  });
});
