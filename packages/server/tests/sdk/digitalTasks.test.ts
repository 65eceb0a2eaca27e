import { taskLegAddress } from '@legwork/program-client';
import { resultHash } from '@legwork/protocol/rules';
import {
  cancelDigitalTask,
  closeDigitalTask,
  fetchRelayAccounts,
  reclaimDigitalTask,
  signDigitalTask,
} from '@legwork/sdk';
import { address } from '@solana/kit';
import { expect, test } from 'vitest';
import { claim, goal, handIn, postedTask, untilTask } from '../operations/digitalTasks/scene.js';
import { withService } from '../support/service.js';
import { onceFinal } from '../support/onceFinal.js';
import { submitDigitalTask } from '../support/listed.js';

const service = withService();

const FEE = 5_000n;

async function balance(pubkey: string): Promise<bigint> {
  const { value } = await service.current.rpc.getBalance(address(pubkey), { commitment: 'confirmed' }).send();
  return value;
}

test('(M-51, S-55) a goal without legs is signed for with the plan of the service, and listed once however often it is submitted', async () => {
  const poster = await service.current.party(1);
  const { legs: _given, ...unplanned } = goal();
  const listing = await signDigitalTask(poster.client, poster.signer, unplanned);
  const listed = await submitDigitalTask(poster.client, listing);
  expect(listed).toMatchObject({ id: listing.taskId, isPlanned: true, status: 'listed' });
  expect(listed.legs.map(({ instruction }) => instruction)).toEqual(listing.instructions);
  expect(listing.instructions).toEqual(['Group the feedback by topic,', 'then sum each group up.']);
  expect(onceFinal(await submitDigitalTask(poster.client, listing))).toEqual(onceFinal(listed));
});

test('(M-60) cancelDigitalTask returns the escrow and waits until the service shows it; repeated, it answers the same', async () => {
  const { rpc } = service.current;
  const { poster, task } = await postedTask(service.current);
  const before = await balance(poster.pubkey);
  const end = [poster.client, rpc, poster.signer, task.id] as const;
  await expect(closeDigitalTask(...end)).rejects.toMatchObject({ code: 'invalid_status' });
  const cancelled = await cancelDigitalTask(...end);
  expect(cancelled).toMatchObject({ id: task.id, status: 'failed', failureReason: 'cancelled' });
  expect(await balance(task.onChainVault)).toBe(0n);
  const after = await balance(poster.pubkey);
  expect(after - before).toBeGreaterThanOrEqual(100_000_001n - FEE);
  expect(cancelled).toMatchObject({ open: null, signature: expect.any(String) as string });
  expect(onceFinal(cancelled)).toMatchObject(onceFinal(await cancelDigitalTask(...end)));
  expect(await balance(poster.pubkey)).toBe(after);
});

test('(M-58, M-59) fetchRelayAccounts shows a task with its vault, and the legs that agents have', async () => {
  const { rpc, server } = service.current;
  const { task } = await postedTask(service.current);
  const agent = await service.current.party(0);
  await claim(agent, task, 0);
  await handIn(agent, task, 0, 'Two topics.');
  await untilTask(service.current, task.id, ({ completedLegs }) => completedLegs === 1);
  const accounts = await fetchRelayAccounts(rpc, server.programId);
  const own = accounts.find((account) => account.address === task.onChainTask);
  expect(own).toMatchObject({
    kind: 'task',
    data: { numLegs: 2, completedLegs: 1, maxBudget: 100_000_001n },
    vault: task.onChainVault,
    vaultLamports: await balance(task.onChainVault),
  });
  const legAt = await taskLegAddress(address(server.programId), address(task.onChainTask), 0);
  const leg = accounts.find((account) => account.address === legAt);
  expect(leg).toMatchObject({
    kind: 'taskLeg',
    data: { agent: agent.pubkey, paymentLamports: 50_000_000n, resultHash: resultHash('Two topics.').bytes },
  });
});

test('(M-60) a task under way is not cancelled; after its deadline reclaimDigitalTask returns what is left, closeDigitalTask the rent', async () => {
  const { rpc } = service.current;
  const { poster, task } = await postedTask(service.current);
  const agent = await service.current.party(0);
  await claim(agent, task, 0);
  await handIn(agent, task, 0);
  await untilTask(service.current, task.id, ({ completedLegs }) => completedLegs === 1);
  const end = [poster.client, rpc, poster.signer, task.id] as const;
  await expect(cancelDigitalTask(...end)).rejects.toMatchObject({ code: 'invalid_status' });
  await expect(reclaimDigitalTask(...end)).rejects.toMatchObject({ code: 'invalid_status' });
  await service.current.advanceTime(72 * 3_600 + 60);
  const before = await balance(poster.pubkey);
  const reclaimed = await reclaimDigitalTask(...end);
  expect(reclaimed).toMatchObject({ status: 'failed', failureReason: 'reclaimed', completedLegs: 1 });
  const after = await balance(poster.pubkey);
  expect(after - before).toBeGreaterThanOrEqual(50_000_001n - FEE);
  expect(await balance(agent.pubkey)).toBe(50_000_000n);
  await closeDigitalTask(...end);
  expect(await balance(poster.pubkey)).toBeGreaterThan(after);
  await expect(closeDigitalTask(...end)).rejects.toMatchObject({ code: 'invalid_status' });
});
