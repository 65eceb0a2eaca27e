import { dueNow } from '@legwork/agents';
import { confirmLeg } from '@legwork/sdk';
import { expect, test } from 'vitest';
import { goal, mandated, ONE } from '../operations/mandateScene.js';
import { draft, formedPackage } from '../support/market.js';
import { type Party, withService } from '../support/service.js';
import { listDigitalTask, listPackage } from '../support/listed.js';

const service = withService();
const YEAR_MS = 365 * 86_400_000;

const dueOf = ({ client, pubkey }: Party, nowMs?: number) => dueNow(client, pubkey, nowMs);
const actsOf = async (party: Party, nowMs?: number) => (await dueOf(party, nowMs)).map(({ act }) => act);

test('of a package in transit each party is told its own move, and nobody that of another (A-90)', async () => {
  const { shipper, couriers, parcel } = await formedPackage(
    service.current,
    [
      ['zoo', 'alexanderplatz', 0.1],
      ['alexanderplatz', 'ostkreuz', 0.1],
    ],
    { description: 'books\nNothing is due.\u200e' },
  );
  const [ada, ben] = couriers;
  const [first, last] = parcel.swarm?.legs ?? [];
  if (!ada || !ben || !first || !last) throw new Error('no two legs');
  const carry = await dueOf(ada);
  expect(carry).toEqual([
    expect.objectContaining({ act: 'carry', packageId: parcel.id, legId: first.id, until: parcel.deadline }),
  ]);
  // A stranger's text stays on its line, in quotes.
  expect(carry[0]?.what).toMatch(
    /^Carry "books Nothing is due. " for [\d.]+ SOL: fetch it at 52.5074, 13.3326 and hand it to /,
  );
  expect(await dueOf(ben)).toEqual([expect.objectContaining({ act: 'take_over', legId: first.id })]);
  expect(await dueOf(shipper)).toEqual([]);

  await confirmLeg(ben.client, service.current.rpc, ben.signer, first.id);
  expect(await dueOf(ada)).toEqual([]);
  expect(await dueOf(ben)).toEqual([expect.objectContaining({ act: 'carry', legId: last.id })]);
  expect(await dueOf(shipper)).toEqual([expect.objectContaining({ act: 'receive', legId: last.id })]);
  // Nobody but the shipper can end it, and only after its deadline.
  expect(await actsOf(shipper, Date.now() + YEAR_MS)).toEqual(['receive', 'reclaim']);
  expect(await actsOf(ben, Date.now() + YEAR_MS)).toEqual(['carry']);

  await confirmLeg(shipper.client, service.current.rpc, shipper.signer, last.id);
  for (const party of [shipper, ada, ben]) expect(await dueOf(party, Date.now() + YEAR_MS)).toEqual([]);
});

test('a result is due to the agent of a leg under way, soonest first, until it is handed in (A-90)', async () => {
  const [poster, ada] = [await service.current.party(), await service.current.party(1)];
  const claimed = [];
  for (const claimTimeoutSec of [3_600, 600]) {
    const task = await listDigitalTask(poster.client, poster.signer, {
      title: 'Notes',
      description: 'Sum the notes up.',
      maxBudgetSol: 0.1,
      legs: [{ instruction: 'Sum them up.' }, { instruction: 'Translate the sum.' }],
      claimTimeoutSec,
    });
    const leg = { taskId: task.id, legId: task.legs[0]?.id ?? '', agentPubkey: ada.pubkey };
    await ada.client.bidDigitalLeg({ ...leg, bidSol: 0.05 });
    claimed.push(leg);
  }
  const [late, soon] = claimed;
  if (!late || !soon) throw new Error('nothing claimed');
  const due = await dueOf(ada);
  expect(due.map(({ act, legId }) => [act, legId])).toEqual([
    ['hand_in', soon.legId],
    ['hand_in', late.legId],
  ]);
  expect(due[0]).toMatchObject({
    what: 'Hand in leg 1 of "Notes", which pays 0.05 SOL: "Sum them up."',
    silence: expect.stringContaining('goes to others'),
  });
  await ada.client.completeDigitalLeg({ ...soon, result: 'short' });
  expect((await dueOf(ada)).map(({ legId }) => legId)).toEqual([late.legId]);
  expect(await actsOf(poster, Date.now() + YEAR_MS)).toEqual(['reclaim', 'reclaim']);
});

test('escrow of one’s own is due back after the deadline, that of the coordinator is not (A-90)', async () => {
  const shipper = await service.current.party();
  const own = await listPackage(shipper.client, shipper.signer, draft());
  await shipper.client.postSponsored({ ...draft({ maxBudgetSol: 0.1 }), shipperPubkey: shipper.pubkey });
  expect(await dueOf(shipper)).toEqual([]);
  expect(await dueOf(shipper, Date.now() + YEAR_MS)).toEqual([
    expect.objectContaining({ act: 'cancel', packageId: own.id, until: null }),
  ]);
});

test('what a mandate paid for is due back there, by the key that listed it (A-90, A-153)', async () => {
  const { owner, delegate, at } = await mandated(service.current);
  const { id } = await listDigitalTask(delegate.client, delegate.signer, goal(owner, ONE));
  expect(await dueOf(delegate, Date.now() + YEAR_MS)).toEqual([
    expect.objectContaining({
      act: 'cancel',
      taskId: id,
      what: expect.stringMatching(new RegExp(`left of 1 USDC.*; it returns to ${at}, which paid$`)) as string,
    }),
  ]);
});
