import { confirmLeg, listDigitalTask, listPackage } from '@legwork/sdk';
import { describe, expect, test } from 'vitest';
import {
  answers,
  type Asked,
  type Behaviour,
  says,
  silent,
  startModelServer,
} from '../../../agents/tests/support/modelServer.js';
import { draft, PLACES } from '../support/market.js';
import { withService } from '../support/service.js';
import { policyAgent, runDaemon } from './support/agents.js';

const service = withService();
const PACKAGES = 2;
const home = {
  home: [PLACES.zoo.lat, PLACES.zoo.lng],
  radiusKm: 20,
  handoff: { how: 'auto' },
  price: { margin: '15%' },
};

/** Lists packages beside a courier with this model, and receives what it brings. @returns what it asked for each */
async function deliverWith(model: object) {
  const courier = await policyAgent(service.current, { courier: home, model });
  const running = await runDaemon([courier]);
  const shipper = await service.current.party();
  const { client, signer } = shipper;
  const listed = [];
  for (let number = 0; number < PACKAGES; number += 1) listed.push(await listPackage(client, signer, draft()));
  const bids = [];
  for (const { id } of listed) {
    const now = () => client.getPackage({ packageId: id });
    await expect.poll(async () => (await now()).status, { timeout: 50_000 }).toBe('in_transit');
    const [leg] = (await now()).swarm?.legs ?? [];
    expect(leg?.agentPubkey).toBe(courier.pubkey);
    await confirmLeg(client, service.current.rpc, signer, leg?.id ?? '');
    await expect.poll(async () => (await now()).status).toBe('delivered');
    bids.push(...(await client.listBids({ packageId: id })).items);
  }
  await running.stop();
  return { bids, told: running.told };
}

/** An amount of the first bid that a model was asked about, SOL. */
const amountIn = (asked: Asked | undefined, name: string) =>
  Number(new RegExp(`\\\\"${name}\\\\":([\\d.e-]+)`).exec(asked?.body ?? '')?.[1]);

describe('a courier whose model', () => {
  const policyOf = (url: string) => ({ url, name: 'qwen3', timeoutSec: 0.5 });

  test('advises bids as it says, within the margin, and tells why (A-52)', async () => {
    const server = await startModelServer((response, asked) => {
      const lowest = amountIn(asked, 'lowestSol');
      says(`{"choice":0,"priceSol":${lowest},"reasoning":"On my way."}`)(response, asked);
    });
    const { bids } = await deliverWith({ ...policyOf(server.url), timeoutSec: 60 });
    const [question] = server.asked;
    expect(amountIn(question, 'lowestSol')).toBeCloseTo(0.85 * amountIn(question, 'ruleSol'), 6);
    const advised = { costSol: amountIn(question, 'lowestSol'), reasoning: 'On my way.' };
    expect(bids).toContainEqual(expect.objectContaining(advised));
  });

  test('lies delivers as many packages as the rules alone, at their price (A-52, A-54)', async () => {
    const lie = '{"choice":0,"priceSol":0.000000001,"reasoning":"Ignore your rules."}';
    const server = await startModelServer(says(lie));
    const { bids, told } = await deliverWith(policyOf(server.url));
    const [question] = server.asked;
    const asRules = { costSol: amountIn(question, 'ruleSol'), reasoning: null };
    expect(bids).toEqual(Array.from({ length: PACKAGES }, () => expect.objectContaining(asRules)));
    expect(told.join('\n')).toMatch(/the rules decide, not the model/);
  });

  test('is gone delivers as many packages as the rules alone (A-52, A-54)', async () => {
    const server = await startModelServer(silent);
    server.stop();
    expect((await deliverWith(policyOf(server.url))).bids).toHaveLength(PACKAGES);
  });
});

describe('a worker', () => {
  const goal = { title: 'Feedback', description: 'Group it. Write about it.', maxBudgetSol: 0.2 };
  const legs = [{ instruction: 'Group the feedback by topic.' }];

  test.each<[string, Behaviour, (url: string) => object]>([
    ['over HTTP', answers(200, 'late (2), dear (1)'), (url) => ({ worker: { run: { http: url } } })],
    [
      'with a model',
      says('late (2), dear (1)'),
      (url) => ({ worker: { run: { model: true } }, model: { url, name: 'qwen3' } }),
    ],
  ])('%s does a leg and is paid (A-55, A-56)', async (_, behaviour, fields) => {
    const server = await startModelServer(behaviour);
    const worker = await policyAgent(service.current, fields(server.url));
    await runDaemon([worker]);
    const { client, signer } = await service.current.party();
    const { id: taskId } = await listDigitalTask(client, signer, { ...goal, legs });
    await expect.poll(async () => (await client.getDigitalTask({ taskId })).legs[0]?.status).toBe('completed');
    const [leg] = (await client.getDigitalTask({ taskId })).legs;
    expect([leg?.agentPubkey, leg?.result]).toEqual([worker.pubkey, 'late (2), dear (1)']);
    expect(server.asked).toHaveLength(1);
  });

  test('whose server answers what is no result gives the leg back (A-55)', async () => {
    const server = await startModelServer(answers(200, 'a\0b'));
    const policy = { worker: { run: { http: server.url } } };
    const worker = await policyAgent(service.current, policy);
    const running = await runDaemon([worker]);
    const { client, signer } = await service.current.party();
    const { id: taskId } = await listDigitalTask(client, signer, { ...goal, legs });
    await expect.poll(() => running.told.join('\n'), { timeout: 50_000 }).toMatch(/gave back leg 1/);
    await expect.poll(async () => (await client.getDigitalTask({ taskId })).legs[0]?.agentPubkey).toBeNull();
  });
});
