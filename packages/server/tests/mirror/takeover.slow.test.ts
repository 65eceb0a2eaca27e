import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setCoordinator } from '@legwork/deploy';
import { loadOrCreateKeypair } from '@legwork/ledger';
import { createLegworkClient, papersOf } from '@legwork/sdk';
import { address, lamports } from '@solana/kit';
import { expect, inject, test } from 'vitest';
import { auditOf, linesOf } from '../audit/scene.js';
import { claim, handIn, postedTask, untilTask } from '../operations/digitalTasks/scene.js';
import { carryTo, formedWithTerms, move } from '../operations/turns/scene.js';
import { confirmAll, formedPackage, untilPackage } from '../support/market.js';
import { type Party, withService } from '../support/service.js';
import { untilQuiet } from '../support/snapshot.js';
import { until } from '../support/until.js';

const choice: { COORDINATOR_KEYPAIR?: string } = {};
const service = withService({ settings: (usual) => ({ ...usual, ...choice }) });

test('another operator with another key carries on where the ledger is: relays end, a task is handed in again, the books match (S-258)', {
  timeout: 240_000,
}, async () => {
  const { current } = service;
  const plain = await formedPackage(current, [['zoo', 'ostkreuz', 0.1]]);
  const bound = await formedWithTerms(current);
  await carryTo(current, bound, 1);
  const agent = await current.party(1);
  const { poster, task } = await postedTask(current);
  await claim(agent, task, 0);
  await untilTask(current, task.id, ({ legs }) => legs[0]?.status === 'in_progress');
  await untilQuiet(current);

  const { keypairs, rpcUrl } = current.ledger;
  const path = join(inject('scratch'), `coordinator-${task.id}.json`);
  const named = await loadOrCreateKeypair(path);
  await current.rpc.requestAirdrop(named.address, lamports(5_000_000_000n)).send();
  await setCoordinator({
    rpcUrl,
    programAddress: address(keypairs.program.signer.address),
    authority: keypairs.authority.signer,
    coordinator: named.address,
  });
  choice.COORDINATOR_KEYPAIR = path;
  await current.loseDatabase();
  const again = <P extends Party>(party: P) => ({
    ...party,
    client: createLegworkClient({ url: current.server.url, signer: party.signer }),
  });
  const [shipper, owner, worker] = [again(plain.shipper), again(poster), again(agent)];
  await until('all is rebuilt', async () => {
    const { items } = await shipper.client.listPackages({});
    return items.length === 2 && (await shipper.client.listDigitalTasks({})).items.length === 1;
  });
  await owner.client.givePapers(papersOf(task));

  const parcel = await shipper.client.getPackage({ packageId: plain.parcel.id });
  await confirmAll(current, { shipper, couriers: plain.couriers.map(again), parcel });
  const cast = { ...bound, shipper: again(bound.shipper), couriers: bound.couriers.map(again) };
  const [, second, third] = cast.couriers;
  if (second === undefined || third === undefined) throw new Error('three couriers carry it');
  await move(current, cast, 1, third, 'confirm');
  await move(current, cast, 2, cast.shipper, 'confirm');
  for (const { id } of [parcel, bound.parcel]) {
    await untilPackage(current, id, ({ status }) => status === 'delivered');
  }
  // What it had handed in to the former service is lost.
  await handIn(worker, await worker.client.getDigitalTask({ taskId: task.id }), 0);
  await untilQuiet(current);
  const { legs } = await owner.client.getDigitalTask({ taskId: task.id });
  expect(legs[0]).toMatchObject({ status: 'completed', agentPubkey: agent.pubkey });
  expect(linesOf((await auditOf(current)).differences)).toEqual([]);
  await rm(path);
});
