import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { ensureReputation } from '@legwork/sdk';
import { claim, untilTask } from '../operations/digitalTasks/scene.js';
import { listDigitalTask } from '../support/listed.js';
import { withService } from '../support/service.js';
import { at } from '../operations/turns/scene.js';
import { balanceOf, deadlineIn, keyed, type Keyed, out, outOf, pickedUp, relay } from './scene.js';

const service = withService();
/** Nothing of it answers while people leave. */
afterEach(() => service.current.restart());

const FEE = 5_000n;
/** The payment for a bid of 0.1 SOL by a courier without a record (M-26). */
const PAYMENT = 121_428_571n;
const RELAY = [
  ['zoo', 'alexanderplatz', 0.05],
  ['alexanderplatz', 'ostkreuz', 0.05],
] as const;
const ALL_THE_WAY = [['zoo', 'ostkreuz', 0.1]] as const;

async function textFile({ file }: Keyed, text: string): Promise<string> {
  const path = join(file, '../text.txt');
  await writeFile(path, text);
  return path;
}

test('courier, receiver and shipper get out by command with an RPC alone, to the lamport (A-160, A-161, A-163)', async () => {
  const { current } = service;
  const cast = await relay(current, ALL_THE_WAY, { terms: { stakeSol: 0.05 } });
  await pickedUp(current, cast);
  const { shipper, receiver, listing } = cast;
  const courier = at(cast.couriers, 0);
  await current.stop();
  const before = await Promise.all([shipper, courier, receiver].map((one) => balanceOf(current, one)));
  const file = join(courier.file, '../evidence.txt');
  await writeFile(file, 'It stands at the door.');

  const seen = await outOf(current, courier);
  expect(seen).toContain(listing);
  expect(seen).toContain('exit claim');
  expect(await outOf(current, courier, 'claim', listing, '--file', file)).toContain('Nothing was signed');
  expect(await outOf(current, courier, 'claim', listing, '--file', file, '--yes')).toContain('done: transaction');
  expect(await outOf(current, receiver)).toContain(`pays 0.121428571 SOL to ${courier.pubkey}`);
  // A text that nothing compares with the claim would reassure for nothing.
  expect((await out(current, receiver, 'confirm', listing, '--file', file, '--yes')).stderr).toContain(
    'without a text',
  );
  await outOf(current, receiver, 'confirm', listing, '--leg', '1', '--yes');
  const dry = await outOf(current, shipper, '--all');
  expect(dry).toContain('exit settle');
  expect(dry).toContain('Nothing was signed');
  const all = await outOf(current, shipper, '--all', '--yes');
  expect(all).toContain('exit settle');
  expect(all).toContain('exit close');

  const after = await Promise.all([shipper, courier, receiver].map((one) => balanceOf(current, one)));
  const [back = 0n, earned, confirmed] = after.map((now, index) => now - (before[index] ?? 0n));
  expect(earned).toBe(PAYMENT + 50_000_000n - FEE);
  expect(confirmed).toBe(-FEE);
  // The rest of the budget, the rents of vault and account but for what keeps the id used, less two fees.
  expect(back).toBe(500_000_000n - PAYMENT + 890_880n + 272n * 6_960n - 2n * FEE);
  expect(await outOf(current, shipper)).toContain('This ledger has nothing of this key');
});

test('a courier whom nobody answers is paid by silence, and nothing is done by --all that others lose by (A-163)', async () => {
  const { current } = service;
  const cast = await relay(current, ALL_THE_WAY, { terms: { stakeSol: 0.05 } });
  await pickedUp(current, cast);
  const { shipper, receiver, listing } = cast;
  const courier = at(cast.couriers, 0);
  await current.stop();
  const before = await balanceOf(current, courier);
  const file = await textFile(courier, 'Nobody is here.');
  await outOf(current, courier, 'claim', listing, '--file', file, '--yes');
  expect(await outOf(current, courier, '--all', '--yes')).toMatch(/Nothing that only gains.*The next can from/);
  expect((await out(current, shipper, 'reclaim', listing, '--yes')).stderr).toContain(
    `Your key cannot reclaim ${listing}`,
  );
  await current.advanceTime(24 * 3600);
  for (const one of [receiver, shipper]) expect(await outOf(current, one, '--all')).not.toContain('exit crank');
  expect(await outOf(current, courier, '--all', '--yes')).toContain('exit crank');
  expect((await balanceOf(current, courier)) - before).toBe(PAYMENT + 50_000_000n - 2n * FEE);
  expect(await outOf(current, shipper, '--all', '--yes')).toMatch(/exit settle[^]*exit close/);
});

test('a shipper takes a package back: early by name alone, a stake by name alone, else by --all (A-163, T-38, T-39)', async () => {
  const { current } = service;
  const [early, carried, waiting] = await Promise.all([
    relay(current, ALL_THE_WAY, { terms: { stakeSol: 0.05 } }),
    relay(current, ALL_THE_WAY, { terms: { stakeSol: 0.05 } }),
    relay(current, ALL_THE_WAY, { terms: { stakeSol: 0.05 } }),
  ]);
  await pickedUp(current, carried);
  await current.stop();
  await outOf(current, at(waiting.couriers, 0), 'accept', waiting.listing, '--yes');
  expect(await outOf(current, early.shipper, '--all')).not.toContain('exit reclaim');
  expect(await outOf(current, early.shipper, 'reclaim', early.listing, '--yes')).toContain(
    'who has a leg of it has it no longer',
  );
  await outOf(current, at(waiting.couriers, 0), 'vacate', waiting.listing, '--yes');
  expect((await out(current, carried.shipper, 'reclaim', carried.listing)).stderr).toContain(
    'Your key can reclaim it from',
  );
  await current.advanceTime(73 * 3600);
  const forfeits = await outOf(current, carried.shipper);
  expect(forfeits).toContain('is not paid and loses its stake of 0.05 SOL to the funder');
  expect(await outOf(current, carried.shipper, '--all')).not.toContain('exit reclaim');
  const before = await balanceOf(current, carried.shipper);
  await outOf(current, carried.shipper, 'reclaim', carried.listing, '--yes');
  expect((await balanceOf(current, carried.shipper)) - before).toBe(500_000_000n + 50_000_000n + 890_880n - FEE);
  expect(await outOf(current, waiting.shipper, '--all', '--yes')).toMatch(/exit reclaim[^]*exit close/);
});

test('a shipper whose first courier is late takes the leg, its stake and the package back before the deadline (A-160, T-38)', async () => {
  const { current } = service;
  const cast = await relay(current, ALL_THE_WAY, { terms: { stakeSol: 0.05 } });
  await pickedUp(current, cast);
  const { shipper, receiver, listing } = cast;
  await current.stop();
  // A party that only receives it can take nothing from anybody.
  expect(await outOf(current, receiver)).toContain('the shipper can take the leg from it');
  await current.advanceTime(24 * 3600);
  const before = await balanceOf(current, shipper);
  await outOf(current, shipper, 'crank', listing, '--yes');
  await outOf(current, shipper, 'reclaim', listing, '--yes');
  expect((await balanceOf(current, shipper)) - before).toBe(500_000_000n + 50_000_000n + 890_880n - 2n * FEE);
});

test('what is disputed the arbiter rules, who is told which texts nobody but the parties has (A-164)', async () => {
  const { current } = service;
  const cast = await relay(current, ALL_THE_WAY, { terms: { stakeSol: 0.05 } });
  await pickedUp(current, cast);
  const { shipper, receiver, arbiter, listing } = cast;
  const courier = at(cast.couriers, 0);
  await current.stop();
  const before = await Promise.all([courier, receiver, arbiter].map((one) => balanceOf(current, one)));
  await outOf(current, courier, 'claim', listing, '--file', await textFile(courier, 'there'), '--yes');
  await outOf(current, receiver, 'dispute', listing, '--file', await textFile(receiver, 'not there'), '--yes');
  const seen = await outOf(current, arbiter);
  expect(seen).toContain('The text of the claim of leg 1 is with its courier');
  expect(seen).toContain('So is the reason of the dispute');
  expect((await out(current, arbiter, 'rule', listing, '--yes')).stderr).toContain('--percent 0 to 100');
  await outOf(current, arbiter, 'rule', listing, '--percent', '40', '--yes');
  expect(await outOf(current, courier, '--all', '--yes')).toContain('as it was ruled');
  const paid = (PAYMENT * 40n) / 100n;
  const shared = ((2n * 50_000_000n - 25_000_000n) * 40n) / 100n;
  // The courier has its stake and its share of both back, less the fees of a claim and of carrying the ruling out.
  const due = [paid + shared - 50_000_000n - 2n * FEE, 75_000_000n - shared - 50_000_000n - FEE, 25_000_000n - FEE];
  const after = await Promise.all([courier, receiver, arbiter].map((one) => balanceOf(current, one)));
  // Its own stake had left the courier's wallet before.
  expect(after.map((now, index) => now - (before[index] ?? 0n))).toEqual([
    (due[0] ?? 0n) + 50_000_000n,
    ...due.slice(1),
  ]);
  expect(await outOf(current, shipper, '--all', '--yes')).toMatch(/exit settle[^]*exit close/);
});

test('without terms the next one confirms, or the shipper reclaims after the deadline, by name (A-160, P-41, P-54)', async () => {
  const { current } = service;
  const cast = await relay(current, RELAY, { terms: 'plain' });
  const [first, second] = [at(cast.couriers, 0), at(cast.couriers, 1)];
  const { shipper, listing } = cast;
  await current.stop();
  const before = await balanceOf(current, first);
  expect(await outOf(current, first)).toContain('there is nothing for you to do');
  await outOf(current, second, 'confirm', listing, '--yes');
  expect(await balanceOf(current, first)).toBeGreaterThan(before);
  expect((await out(current, second, 'confirm', listing)).stderr).toContain('Your key cannot confirm');
  await current.advanceTime(73 * 3600);
  expect(await outOf(current, shipper, '--all')).toContain('Nothing that only gains');
  expect(await outOf(current, shipper, 'reclaim', listing, '--yes')).toContain(
    `${second.pubkey}, whose leg it is, is not paid any more`,
  );
  expect(await outOf(current, shipper, '--all', '--yes')).toContain('exit close');
});

test('a result is paid by who has read exactly that one, and another key can pay the fee (A-164)', async () => {
  const { current } = service;
  const [poster, agent, arbiter, verifier] = [
    await keyed(current),
    await keyed(current),
    await keyed(current),
    await keyed(current, 0),
  ];
  const task = await listDigitalTask(poster.client, poster.signer, {
    title: 'Group it',
    description: 'Group the feedback.',
    legs: [{ instruction: 'Group it.' }],
    maxBudgetSol: 0.1,
    deadline: await deadlineIn(current),
    terms: { arbiterPubkey: arbiter.pubkey, receiverPubkey: verifier.pubkey, stakeSol: 0.02 },
  });
  await ensureReputation(agent.client, current.rpc, agent.signer, task);
  await claim(agent, task, 0);
  await untilTask(current, task.id, ({ legs }) => legs[0]?.stage === 'pending');
  await current.stop();
  const listing = task.onChainTask;
  const before = await balanceOf(current, agent);
  await outOf(current, agent, 'accept', listing, '--yes');
  const result = await textFile(agent, 'late (2), too dear (1)');
  await outOf(current, agent, 'claim', listing, '--file', result, '--yes');
  expect(await outOf(current, verifier)).toContain('The text of the claim of leg 1 is with its agent');
  const other = await textFile(verifier, 'late (3)');
  const confirm = ['confirm', listing, '--payer', poster.file, '--yes'];
  expect((await out(current, verifier, ...confirm, '--file', other)).stderr).toContain('claims');
  expect((await out(current, verifier, 'confirm', listing, '--yes')).stderr).toContain('have another key pay');
  await outOf(current, verifier, ...confirm, '--file', result);
  expect((await balanceOf(current, agent)) - before).toBe(100_000_000n - 2n * FEE);
  expect(await outOf(current, poster, '--all', '--yes')).toMatch(/exit settle[^]*exit close/);
});
