import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { listPackage } from '@legwork/sdk';
import { generateKeyPairSigner } from '@solana/kit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { postedTask, untilTask } from '../operations/digitalTasks/scene.js';
import { draft, PLACES, untilPackage } from '../support/market.js';
import { withService } from '../support/service.js';
import { PATIENT, policyAgent, runDaemon } from './support/agents.js';
import { LossyProxy } from './support/lossyProxy.js';

const proxy = await LossyProxy.start();
/** Agents reach the service through the proxy, and nobody pays for their reputation but they themselves. */
const service = withService({
  settings: () => ({ PUBLIC_URL: proxy.url, NEWCOMER_SOL: '0', NEWCOMER_IP_SOL: '0' }),
});
beforeAll(() => {
  proxy.target = service.current.server.url;
});
beforeEach(() => {
  proxy.fate = () => 'pass';
});
afterAll(() => proxy.close());

const home = { home: [PLACES.alexanderplatz.lat, PLACES.alexanderplatz.lng], radiusKm: 30, handoff: { how: 'auto' } };
const bidsOn = async (packageId: string) => {
  const bids = service.current.db.selectFrom('bids').select('agent_pubkey').where('package_id', '=', packageId);
  return (await bids.execute()).map(({ agent_pubkey: agent }) => agent);
};
/** How the agent's bids ended; null: they have not. */
const endsOfBids = async (pubkey: string) => {
  const bids = service.current.db.selectFrom('bids').select('ended_because').where('agent_pubkey', '=', pubkey);
  return (await bids.orderBy('ended_because').execute()).map(({ ended_because: because }) => because);
};
const listed = async () => {
  const shipper = await service.current.party();
  return listPackage(shipper.client, shipper.signer, draft());
};
const worker = (script: string, fields: object = {}) =>
  policyAgent(service.current, {
    service: proxy.url,
    worker: { run: { command: [process.execPath, '-e', script] } },
    ...fields,
  });
const courier = (fields: object = {}) => policyAgent(service.current, { service: proxy.url, courier: home, ...fields });

describe('an agent of a policy', () => {
  test('pays for its own reputation, once, when the coordinator does not (A-24)', async () => {
    const agent = await courier();
    const { id } = await listed();
    const { told } = await runDaemon([agent]);
    await untilPackage(service.current, id, ({ status }) => status === 'in_transit');
    // The chain may be formed before the agent has told of it.
    await expect.poll(() => told, PATIENT).toContain('paid for its own reputation account');
    expect(told.filter((words) => words === 'paid for its own reputation account')).toHaveLength(1);
    const signed = (await agent.journal()).filter(({ kind }) => kind === 'signed');
    expect(signed.map(({ instruction }) => instruction)).toEqual(['openReputation']);
    expect(await bidsOn(id)).toEqual([agent.pubkey]);
  });

  test('never bids twice when it does not hear the answer, and is started again (A-23)', async () => {
    const agent = await courier();
    proxy.fate = ({ path, method }) => (path === '/bids' && method === 'POST' ? 'lose' : 'pass');
    const { id } = await listed();
    const first = await runDaemon([agent]);
    await expect.poll(() => bidsOn(id), PATIENT).toHaveLength(1);
    await expect.poll(() => first.told.join('\n'), PATIENT).toContain('/bids');
    await first.stop();
    expect((await agent.journal()).filter(({ kind }) => kind === 'answered')).toEqual([]);
    proxy.fate = () => 'pass';
    await runDaemon([agent]);
    await untilPackage(service.current, id, ({ status }) => status === 'in_transit');
    await expect
      .poll(async () => (await agent.journal()).filter(({ kind }) => kind === 'answered'), PATIENT)
      .toHaveLength(1);
    expect(await bidsOn(id)).toHaveLength(1);
    expect((await agent.journal()).filter(({ kind }) => kind === 'called')).toHaveLength(1);
  });

  test('signs a move once when it does not hear the answer, and is started again (A-36)', async () => {
    const { address: arbiterPubkey } = await generateKeyPairSigner();
    const agent = await courier({
      accept: { arbiters: [arbiterPubkey] },
      limits: { legsAtOnce: 1, stakePerLeg: 0.1, stakeInAll: 0.1 },
    });
    const isMove = (path: string, method: string) => path === '/turns' && method === 'POST';
    proxy.fate = ({ path, method }) => (isMove(path, method) ? 'lose' : 'pass');
    const shipper = await service.current.party();
    const terms = { arbiterPubkey };
    const { id } = await listPackage(shipper.client, shipper.signer, draft({ terms }));
    const first = await runDaemon([agent]);
    const stageIs = (stage: string) =>
      untilPackage(service.current, id, ({ swarm }) => swarm?.legs[0]?.stage === stage);
    await stageIs('accepted');
    await first.stop();
    proxy.fate = () => 'pass';
    await runDaemon([agent]);
    await stageIs('carried');
    const stakes = (await agent.journal()).filter(({ kind, stakeLamports }) => kind === 'signed' && stakeLamports);
    expect(stakes).toHaveLength(1);
  });

  test.for([
    ['handed it in', '/turns/build-tx', 503, 0],
    ['claimed with it, and did not hear so', '/turns', 'lose', 1],
  ] as const)(
    'claims once with a result, if it was stopped after it had %s (A-23, A-45)',
    async ([, path, fate, signed]) => {
      const { address: arbiterPubkey } = await generateKeyPairSigner();
      const policy = { accept: { arbiters: [arbiterPubkey] } };
      const agent = await worker(`require('node:fs').appendFileSync('runs', 'x'); console.log(Math.random())`, policy);
      const terms = { arbiterPubkey };
      const { task } = await postedTask(service.current, { legs: [{ instruction: 'Roll.' }], terms });
      const untilClaimed = () => untilTask(service.current, task.id, ({ legs }) => legs[0]?.stage === 'claimed');
      const made = async (what: object) =>
        (await agent.journal()).filter((line) => Object.entries(what).every(([name, value]) => line[name] === value));
      let isHandedIn = false;
      proxy.fate = (asked) => {
        if (asked.path.endsWith('/complete')) isHandedIn = true;
        return isHandedIn && asked.method === 'POST' && asked.path === path ? fate : 'pass';
      };
      const first = await runDaemon([agent]);
      const isRefused = () => Promise.resolve(first.told.join('\n').includes('503'));
      const isClaimed = async () => (await untilClaimed()).legs.length === 1;
      await expect.poll(signed === 0 ? isRefused : isClaimed, PATIENT).toBe(true);
      await first.stop();
      expect(await made({ instruction: 'claim' })).toHaveLength(signed);
      proxy.fate = () => 'pass';
      await runDaemon([agent]);
      await untilClaimed();
      await expect.poll(() => made({ instruction: 'claim' }), PATIENT).toHaveLength(1);
      expect(await made({ call: 'completeDigitalLeg' })).toHaveLength(1);
      expect(await readFile(join(dirname(agent.file), 'runs'), 'utf8')).toBe('x');
    },
  );

  test('hands in the result that it had before it was stopped, and works no second time (A-23, A-41)', async () => {
    const work = `require('node:fs').appendFileSync('runs', 'x'); console.log('made at ' + process.hrtime.bigint())`;
    const agent = await worker(work);
    proxy.fate = ({ path }) => (path.endsWith('/complete') ? 503 : 'pass');
    const { task } = await postedTask(service.current, { legs: [{ instruction: 'Say when.' }] });
    const first = await runDaemon([agent]);
    await expect.poll(() => first.told.join('\n'), PATIENT).toContain('503');
    await first.stop();
    proxy.fate = () => 'pass';
    await runDaemon([agent]);
    const done = await untilTask(service.current, task.id, ({ status }) => status === 'completed');
    expect(await readFile(join(dirname(agent.file), 'runs'), 'utf8')).toBe('x');
    const called = (await agent.journal()).find(({ call }) => call === 'completeDigitalLeg');
    expect(called?.['input']).toMatchObject({ result: done.legs[0]?.result });
  });

  test('carries on with the others while one package is in trouble (A-25)', async () => {
    const agent = await courier({ limits: { legsAtOnce: 2 } });
    const [troubled, fine] = [await listed(), await listed()];
    proxy.fate = ({ path, body }) => (path === '/bids' && body.includes(troubled.id) ? 500 : 'pass');
    const { told } = await runDaemon([agent]);
    await untilPackage(service.current, fine.id, ({ status }) => status === 'in_transit');
    expect(await bidsOn(troubled.id)).toEqual([]);
    proxy.fate = () => 'pass';
    await untilPackage(service.current, troubled.id, ({ status }) => status === 'in_transit');
    expect(told.join('\n')).toContain('500');
  });

  test('has no more legs at once than its policy allows (A-21)', async () => {
    const agent = await courier({ limits: { legsAtOnce: 2 } });
    for (let count = 0; count < 4; count += 1) await listed();
    const { daemon } = await runDaemon([agent]);
    const legs = () => daemon.health.map(({ legs: underWay }) => underWay)[0] ?? 0;
    await expect.poll(legs, PATIENT).toBe(2);
    const pollMs = daemon.health[0]?.lastPollMs ?? 0;
    await expect.poll(() => daemon.health[0]?.lastPollMs ?? 0, PATIENT).toBeGreaterThan(pollMs);
    expect(await endsOfBids(agent.pubkey)).toHaveLength(2);
  });

  test('waits for a service that is not there, and starts when it is (A-25)', async () => {
    const agent = await courier();
    proxy.fate = () => 502;
    const { told, stop } = await runDaemon([agent]);
    await expect.poll(() => told.join('\n'), PATIENT).toContain('cannot work yet');
    proxy.fate = () => 'pass';
    await expect.poll(() => told.join('\n'), PATIENT).toContain('registered');
    await stop();
  });

  test('does the work of a leg once that is assigned while the list of its legs is read (A-41)', async () => {
    const agent = await worker(
      `require('node:fs').appendFileSync('runs', 'x'); setTimeout(() => console.log('done'), 300)`,
    );
    const { task } = await postedTask(service.current, { legs: [{ instruction: 'Wait.' }] });
    // A task in progress was pending when that list was read.
    proxy.rename = (path) => path.replace('status=pending', 'status=in_progress');
    const { stop } = await runDaemon([agent]);
    await untilTask(service.current, task.id, ({ status }) => status === 'completed');
    await stop();
    proxy.rename = (path) => path;
    expect(await readFile(join(dirname(agent.file), 'runs'), 'utf8')).toBe('x');
    expect((await agent.journal()).filter(({ call }) => call === 'completeDigitalLeg')).toHaveLength(1);
  });

  test('ends its work when it is stopped, and does it after the next start (A-22)', async () => {
    // Stays until the file "go" is there.
    const work = `const fs = require('node:fs'); fs.appendFileSync('runs', 'x');
      setInterval(() => fs.existsSync('go') && (console.log('done'), process.exit()), 20)`;
    const agent = await worker(work);
    const { task } = await postedTask(service.current, { legs: [{ instruction: 'Wait.' }] });
    const runs = () => readFile(join(dirname(agent.file), 'runs'), 'utf8').catch(() => '');
    const first = await runDaemon([agent]);
    await expect.poll(runs, PATIENT).toBe('x');
    await first.stop();
    expect((await agent.journal()).map(({ call }) => call)).not.toContain('completeDigitalLeg');
    await writeFile(join(dirname(agent.file), 'go'), '');
    await runDaemon([agent]);
    await untilTask(service.current, task.id, ({ status }) => status === 'completed');
    expect(await runs()).toBe('xx');
  });

  test('waits while another daemon works with its key (A-22)', async () => {
    const agent = await courier();
    const first = await runDaemon([agent]);
    await expect.poll(() => first.told.join('\n'), PATIENT).toContain('registered');
    const second = await runDaemon([agent]);
    await expect.poll(() => second.told.join('\n'), PATIENT).toContain(`process ${process.pid} works with`);
    await first.stop();
    await expect.poll(() => second.told.join('\n'), PATIENT).toContain('registered');
  });

  test('withdraws the bids beyond a limit that was lowered (A-21)', async () => {
    const { zoo, alexanderplatz } = PLACES;
    const ways = [{ from: [zoo.lat, zoo.lng], to: [alexanderplatz.lat, alexanderplatz.lng] }];
    const fields = (legsAtOnce: number) => ({
      service: proxy.url,
      courier: { itinerary: ways },
      limits: { legsAtOnce },
    });
    const agent = await policyAgent(service.current, fields(2));
    // Nobody takes them on from Alexanderplatz: the bids stand.
    await listed();
    await listed();
    const first = await runDaemon([agent]);
    await expect.poll(() => endsOfBids(agent.pubkey), PATIENT).toEqual([null, null]);
    await first.stop();
    await agent.rewrite(fields(1));
    const { daemon } = await runDaemon([agent]);
    await expect.poll(() => endsOfBids(agent.pubkey), PATIENT).toEqual(['withdrawn', null]);
    await expect.poll(() => daemon.health[0]?.bids, PATIENT).toBe(1);
  });
});

test('agents of one process share a search and a stream, and do without events (A-20)', async () => {
  const agents = [await courier(), await courier(), await courier()];
  let polls = 0;
  const streams = new Set<string>();
  proxy.fate = ({ method, path }) => {
    if (method === 'GET' && path.startsWith('/work?kind=package')) polls += 1;
    if (path.startsWith('/ws')) streams.add(path);
    return path.startsWith('/ws') ? 503 : 'pass';
  };
  const startedMs = performance.now();
  const { daemon, told } = await runDaemon(agents);
  await expect.poll(() => told.filter((words) => words.startsWith('registered')), PATIENT).toHaveLength(3);
  await expect.poll(() => told.join('\n'), PATIENT).toContain('no events, the market is searched');
  await expect.poll(() => polls, PATIENT).toBeGreaterThan(0);
  const { id } = await listed();
  await untilPackage(service.current, id, ({ status }) => status === 'in_transit');
  expect(daemon.health).toHaveLength(3);
  // One at the start, and one each ten seconds since; a search of each agent would be three times as many.
  expect(polls).toBeLessThanOrEqual(1 + Math.floor((performance.now() - startedMs) / 10_000));
  expect(streams.size).toBe(1);
});
