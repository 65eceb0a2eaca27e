import { createLegworkClient, type DigitalTaskDetail, type PackageDetail } from '@legwork/sdk';
import { expect, test } from 'vitest';
import { listDigitalTask, listPackage } from '../../packages/server/tests/support/listed.js';
import { bidInput, draft } from '../../packages/server/tests/support/market.js';
import { type Party, withService } from '../../packages/server/tests/support/service.js';
import { Histories } from './histories.js';
import { staleReads } from './plant.js';
import { type Fetch, recorded } from './record.js';

const service = withService();

/** Everything that is recorded of people whose calls go over `send`. */
async function watch(send: Fetch = fetch) {
  const histories = new Histories();
  const people = async () => {
    const party = await service.current.party();
    const over = recorded(send, histories.note);
    return {
      ...party,
      client: createLegworkClient({ url: service.current.server.url, signer: party.signer, fetch: over }),
    };
  };
  const [shipper, agent, rival] = [await people(), await people(), await people()];
  return { histories, shipper, agent, rival };
}

function newTask({ client, signer }: Party): Promise<DigitalTaskDetail> {
  const task = { title: 'Summarise', description: 'Summarise the report.', maxBudgetSol: 0.2 };
  return listDigitalTask(client, signer, task);
}

function newPackage({ client, signer }: Party): Promise<PackageDetail> {
  return listPackage(client, signer, draft());
}

function legOf({ pubkey: agentPubkey }: Party, { id: taskId, legs: [leg] }: DigitalTaskDetail) {
  return { taskId, legId: leg?.id ?? '', agentPubkey };
}

/** Has a task done, and bids on a package. */
async function doAll({ shipper, agent, rival }: Awaited<ReturnType<typeof watch>>): Promise<void> {
  const task = await newTask(shipper);
  const claims = [agent, rival].map((one) => one.client.bidDigitalLeg({ ...legOf(one, task), bidSol: 0.1 }));
  const won = (await Promise.allSettled(claims)).findIndex(({ status }) => status === 'fulfilled');
  const holder = won === 0 ? agent : rival;
  await rival.client.getDigitalTask({ taskId: task.id });
  await holder.client.completeDigitalLeg({ ...legOf(holder, task), result: 'It is short.' });
  const parcel = await newPackage(shipper);
  const { id: bidId } = await agent.client.submitBid(bidInput(agent, parcel.id, 'hauptbahnhof', 'ostkreuz', 0.1));
  await shipper.client.listBids({ packageId: parcel.id });
  await agent.client.withdrawBid({ bidId });
  await shipper.client.listBids({ packageId: parcel.id });
  for (const { client } of [shipper, agent]) {
    await client.getDigitalTask({ taskId: task.id });
    await client.getPackage({ packageId: parcel.id });
  }
}

test('what a service answers is a history that one correct service could have given', async () => {
  const all = await watch();
  await doAll(all);
  const { findings, checked } = all.histories.judge();
  expect(findings).toEqual([]);
  expect(checked).toMatch(/^1\d calls, 0 of them without an answer, in 4 histories/);
});

test('a call that is cut off after the service acted may have taken place', async () => {
  let isCut = false;
  const all = await watch(async (url, init) => {
    const answer = await fetch(url, init);
    if (isCut) throw new TypeError('cut');
    return answer;
  });
  const { shipper, agent } = all;
  const task = await newTask(shipper);
  isCut = true;
  await agent.client.bidDigitalLeg({ ...legOf(agent, task), bidSol: 0.1 }).catch(() => undefined);
  isCut = false;
  await shipper.client.getDigitalTask({ taskId: task.id });
  const { findings, checked } = all.histories.judge();
  expect(findings).toEqual([]);
  expect(checked).not.toContain(' 0 of them without an answer');
});

test('a read that is stale is found', async () => {
  const all = await watch(staleReads(fetch, () => 0));
  const { shipper, agent } = all;
  const task = await newTask(shipper);
  for (let time = 0; time < 20; time += 1) await shipper.client.getDigitalTask({ taskId: task.id });
  await agent.client.bidDigitalLeg({ ...legOf(agent, task), bidSol: 0.1 });
  await shipper.client.getDigitalTask({ taskId: task.id });
  expect(all.histories.judge().findings).toEqual([expect.stringContaining('"kind":"read","agent":null')]);
});

test('a claim that was given to two is found (M-54)', async () => {
  // A service that has not seen the first claim answers the second one like it.
  let first = '';
  const all = await watch(async (url, init) => {
    const answer = await fetch(url, init);
    if (!new URL(url).pathname.endsWith('/bid')) return answer;
    if (answer.status === 409) return new Response(first, { status: 201, headers: answer.headers });
    first = await answer.clone().text();
    return answer;
  });
  const { shipper, agent, rival } = all;
  const task = await newTask(shipper);
  for (const one of [agent, rival]) await one.client.bidDigitalLeg({ ...legOf(one, task), bidSol: 0.1 });
  const finding = expect.stringMatching(
    `^leg ${task.legs[0]?.id} .*"kind":"claim","agent":"${rival.pubkey}","said":"done"`,
  );
  expect(all.histories.judge().findings).toEqual([finding]);
});

test('a bid that was acknowledged and then is not there is found', async () => {
  const all = await watch();
  const { shipper, agent } = all;
  const parcel = await newPackage(shipper);
  const bid = await agent.client.submitBid(bidInput(agent, parcel.id, 'hauptbahnhof', 'ostkreuz', 0.1));
  await service.current.db.deleteFrom('bids').where('id', '=', bid.id).execute();
  await shipper.client.listBids({ packageId: parcel.id });
  expect(all.histories.judge().findings).toEqual([expect.stringContaining(`bid ${bid.id} of ${parcel.id}`)]);
});
