import { listPackage } from '@legwork/sdk';
import { toLamports } from '@legwork/protocol/contract';
import { generateKeyPairSigner } from '@solana/kit';
import { expect, test } from 'vitest';
import { insertTasks, legRow, taskRow } from '../operations/digitalTasks/rows.js';
import { postedTask, untilTask } from '../operations/digitalTasks/scene.js';
import { draft, PLACES, untilPackage } from '../support/market.js';
import { insertPackages, packageRow } from '../support/packageRows.js';
import { withService } from '../support/service.js';
import { policyAgent, runDaemon } from './support/agents.js';

const service = withService();
const ARBITER = await generateKeyPairSigner();
const bound = withService({ settings: (usual) => ({ ...usual, ARBITER_PUBKEY: ARBITER.address }) });

/** More than ten pages of two hundred, which is what a daemon reads of one question. */
const MANY = 2_100;
const DAY_MS = 86_400_000;
const pay = toLamports(400_000_000n);

test('a worker finds a task beyond many newer ones that ask for capabilities it lacks, and what is reserved for it, and claims none of those (A-116, T-53)', async () => {
  const run = { command: [process.execPath, '-e', 'console.log("done")'] };
  const named = await policyAgent(service.current, { worker: { run, capabilities: ['sing'] } }, 0);
  const leg = { instruction: 'Read it aloud.' };
  const { task: reserved } = await postedTask(service.current, {
    legs: [leg],
    requirements: { capabilities: [named.pubkey] },
  });
  const { task } = await postedTask(service.current, { legs: [leg] });
  const asks = JSON.stringify({ capabilities: ['crane'] });
  const others = Array.from({ length: MANY }, () => taskRow({ max_budget_lamports: pay, requirements: asks }));
  const legs = others.map(({ id }) => legRow(id, 0));
  for (let from = 0; from < MANY; from += 700) {
    await insertTasks(service.current.db, others.slice(from, from + 700), legs.slice(from, from + 700));
  }
  const worker = await policyAgent(service.current, { worker: { run } }, 0);
  await runDaemon([worker, named]);
  const done = await untilTask(service.current, task.id, ({ status }) => status === 'completed');
  expect(done.legs[0]?.agentPubkey).toBe(worker.pubkey);
  const claims = (await worker.journal()).filter(({ call }) => call === 'bidDigitalLeg');
  expect(claims.map(({ subject }) => subject)).toEqual([done.legs[0]?.id]);
  const kept = await untilTask(service.current, reserved.id, ({ status }) => status === 'completed');
  expect(kept.legs[0]?.agentPubkey).toBe(named.pubkey);
});

test('a courier finds a package at its home beyond many newer ones elsewhere (A-116)', async () => {
  const shipper = await service.current.party();
  const { id } = await listPackage(shipper.client, shipper.signer, draft());
  const munich = { origin_lat: 48.14, origin_lng: 11.58, dest_lat: 48.1, dest_lng: 11.6, max_budget_lamports: pay };
  const deadline = new Date(Date.now() + DAY_MS);
  const others = Array.from({ length: MANY }, () => packageRow({ ...munich, deadline }));
  await insertPackages(service.current.db, others);
  const home = [PLACES.zoo.lat, PLACES.zoo.lng];
  const courier = await policyAgent(service.current, { courier: { home, radiusKm: 12, handoff: { how: 'auto' } } });
  await runDaemon([courier]);
  const found = await untilPackage(service.current, id, ({ swarm }) => swarm !== null);
  expect(found.swarm?.legs[0]?.agentPubkey).toBe(courier.pubkey);
});

test('a courier without a reputation account finds a package with terms beyond a page of newer ones, and a part of its way (A-116, A-24)', async () => {
  const shipper = await bound.current.party();
  const { id } = await listPackage(shipper.client, shipper.signer, draft({ terms: { preset: 'standard' } }));
  const elsewhere = { origin_lat: 48.14, origin_lng: 11.58, dest_lat: 48.1, dest_lng: 11.6, max_budget_lamports: pay };
  const deadline = new Date(Date.now() + DAY_MS);
  await insertPackages(
    bound.current.db,
    Array.from({ length: 250 }, () => packageRow({ ...elsewhere, deadline })),
  );
  // Where the package begins lies outside of what is near to this home: a courier of the first part has to join.
  const home = [PLACES.ostkreuz.lat, PLACES.ostkreuz.lng];
  const first = await policyAgent(bound.current, {
    courier: {
      itinerary: [
        { from: [PLACES.zoo.lat, PLACES.zoo.lng], to: [PLACES.alexanderplatz.lat, PLACES.alexanderplatz.lng] },
      ],
      handoff: { how: 'auto' },
    },
  });
  const second = await policyAgent(bound.current, { courier: { home, radiusKm: 5, handoff: { how: 'auto' } } });
  await runDaemon([first, second]);
  const formed = await untilPackage(bound.current, id, ({ swarm }) => swarm !== null);
  expect(formed.swarm?.legs.map(({ agentPubkey }) => agentPubkey)).toEqual([first.pubkey, second.pubkey]);
});
