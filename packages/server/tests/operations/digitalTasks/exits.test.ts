import { createUuid } from '@legwork/protocol/contract';
import { cancelDigitalTask, closeDigitalTask, type DigitalTaskDetail, reclaimDigitalTask } from '@legwork/sdk';
import { beforeAll, describe, expect, test } from 'vitest';
import { post } from '../../support/refusal.js';
import { type Party, withService } from '../../support/service.js';
import { balanceOf, claim, giveBack, goal, handIn, legs, postedTask, refused, untilTask } from './scene.js';

const service = withService();
let [first, second] = [] as unknown as [Party, Party];

beforeAll(async () => {
  [first, second] = await Promise.all([service.current.party(1), service.current.party(1)]);
});

const exits = {
  cancel: ({ client }: Party, taskId: string) => client.buildCancelDigitalTaskTx({ taskId }),
  reclaim: ({ client }: Party, taskId: string) => client.buildReclaimDigitalTaskTx({ taskId }),
  close: ({ client }: Party, taskId: string) => client.buildCloseDigitalTaskTx({ taskId }),
};

/** The refusal of a way out. */
async function noWay(way: keyof typeof exits, { id }: Pick<DigitalTaskDetail, 'id'>) {
  return refused(service.current, () => exits[way](first, id));
}

/** Not compared with what was before: the coordinator closes it meanwhile. */
const refusedClose = (taskId: string) =>
  exits.close(first, taskId).then(
    () => ({ code: 'none', message: '' }),
    (error: { code: string; message: string }) => error,
  );

const wrongStatus = (says: RegExp) => ({
  status: 409,
  code: 'invalid_status',
  fields: ['taskId'],
  message: expect.stringMatching(says) as string,
});

describe('a task that is listed', () => {
  test('is cancelled and closed by its poster, who gets everything back but one empty rent and the fees (S-55)', async () => {
    const { poster, task } = await postedTask(service.current);
    expect(await noWay('reclaim', task)).toMatchObject(wrongStatus(/cancelled instead/));
    expect(await noWay('close', task)).toMatchObject(wrongStatus(/is listed; .* completed or failed/));
    await cancelDigitalTask(poster.client, service.current.rpc, poster.signer, task.id);
    await closeDigitalTask(poster.client, service.current.rpc, poster.signer, task.id);
    // Two SOL at first; the transactions of listing, cancelling and closing cost 5,000 lamports each.
    expect(await balanceOf(service.current, poster)).toBe(2_000_000_000n - 890_880n - 3n * 5_000n);
    expect(await noWay('cancel', task)).toMatchObject(wrongStatus(/failed \(cancelled\).*nothing to cancel/));
    expect(await noWay('reclaim', task)).toMatchObject(wrongStatus(/failed \(cancelled\).*nothing to reclaim/));
    expect(await noWay('close', task)).toMatchObject(wrongStatus(/is closed/));
  });

  test('again after the only assigned leg was given back can be cancelled again (M-60)', async () => {
    const { poster, task } = await postedTask(service.current);
    await claim(first, task, 0);
    expect(await noWay('cancel', task)).toMatchObject(wrongStatus(/in_progress.*build-reclaim-tx/));
    await giveBack(first, task, 0);
    await untilTask(service.current, task.id, ({ status }) => status === 'listed');
    expect(await exits.cancel(first, task.id)).toMatchObject({ taskId: task.id, signerPubkey: poster.pubkey });
  });
});

describe('a task under way', () => {
  test('is reclaimed by its poster from the deadline on; what was paid stays paid (M-60, S-55)', async () => {
    const deadline = new Date(Date.now() + 3_600_000);
    const { poster, task } = await postedTask(service.current, {
      legs: legs(3),
      claimTimeoutSec: 60,
      deadline: deadline.toISOString(),
    });
    await claim(first, task, 0);
    await claim(second, task, 1);
    await handIn(first, task, 0);
    await untilTask(service.current, task.id, (now) => now.legs[1]?.status === 'in_progress');
    expect(await noWay('reclaim', task)).toMatchObject(wrongStatus(/from its deadline on, .* by the ledger's clock/));
    expect(await noWay('close', task)).toMatchObject(wrongStatus(/in_progress/));

    // The ledger's clock counts whole seconds, and may be one behind.
    await service.current.advanceTime(3_610);
    const before = await balanceOf(service.current, poster);
    await reclaimDigitalTask(poster.client, service.current.rpc, poster.signer, task.id);
    const over = await poster.client.getDigitalTask({ taskId: task.id });
    expect(over).toMatchObject({
      status: 'failed',
      failureReason: 'reclaimed',
      completedLegs: 1,
      legs: [
        { status: 'completed', paymentLamports: 33_333_333n },
        { status: 'failed', agentPubkey: second.pubkey, paymentLamports: null },
        { status: 'failed', isOpen: false },
      ],
    });
    // Budget less one share, and the rent of the vault, less the fee.
    expect((await balanceOf(service.current, poster)) - before).toBe(66_666_668n + 890_880n - 5_000n);
    const { history } = await first.client.getAgent({ agentPubkey: second.pubkey });
    expect(history).toMatchObject({ legsPending: 0, legsLost: 1, earnedLamports: 0n });
    await closeDigitalTask(poster.client, service.current.rpc, poster.signer, task.id);
  });
});

describe('a task that is completed', () => {
  test('has nothing to cancel or reclaim, and is closed by its poster (S-55)', async () => {
    const { poster, task } = await postedTask(service.current, { legs: legs(1) });
    const agent = await service.current.party(1);
    await claim(agent, task, 0);
    await handIn(agent, task, 0);
    await untilTask(service.current, task.id, ({ status }) => status === 'completed');
    expect(await noWay('cancel', task)).toMatchObject(wrongStatus(/completed.*nothing to cancel/));
    expect(await noWay('reclaim', task)).toMatchObject(wrongStatus(/completed.*nothing to reclaim/));
    await closeDigitalTask(poster.client, service.current.rpc, poster.signer, task.id);
    expect(await noWay('close', task)).toMatchObject(wrongStatus(/is closed/));
  });
});

test('what the coordinator funds is cancelled by its poster to the coordinator, who alone closes it (S-55, M-49)', async () => {
  const poster = await service.current.party(1);
  const sponsored = await post(service.current, '/digital-tasks/sponsored', {
    ...goal(),
    shipperPubkey: poster.pubkey,
  });
  const { id } = (await sponsored.json()) as { id: string };
  const before = await balanceOf(service.current, poster);
  await cancelDigitalTask(poster.client, service.current.rpc, poster.signer, id);
  expect((await balanceOf(service.current, poster)) - before).toBe(-5_000n);
  const { code, message } = await refusedClose(id);
  expect([code, message]).toEqual([
    'invalid_status',
    expect.stringMatching(new RegExp(`${service.current.server.coordinatorPubkey} funded the task`)),
  ]);
});

test('there is no way out of what is not there', async () => {
  for (const way of ['cancel', 'reclaim', 'close'] as const) {
    expect(await noWay(way, { id: createUuid() })).toMatchObject({ status: 404, fields: ['taskId'] });
  }
});
