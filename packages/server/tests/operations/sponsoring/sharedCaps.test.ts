import { getTaskSize } from '@legwork/program-client';
import { expect, test } from 'vitest';
import { goal } from '../digitalTasks/scene.js';
import { post } from '../../support/refusal.js';
import { type TestService, withService } from '../../support/service.js';
import { advancedIn, overhead, type Posting, postSponsored } from './scene.js';

const service = withService({
  settings: () => ({
    SPONSOR_TASK_SOL: '1',
    SPONSOR_POSTER_SOL: '1.5',
    SPONSOR_IP_SOL: '50',
    SPONSOR_DAY_SOL: '50',
  }),
});

async function postTask(to: TestService, shipperPubkey: string, maxBudgetSol: number): Promise<Posting> {
  const response = await post(to, '/digital-tasks/sponsored', { ...goal({ maxBudgetSol }), shipperPubkey });
  return { status: response.status, body: (await response.json()) as Posting['body'] };
}

/** The coordinator's advance beside the budget of a digital task. */
async function taskOverhead({ rpc }: TestService): Promise<bigint> {
  const [task, vault] = await Promise.all([
    rpc.getMinimumBalanceForRentExemption(BigInt(getTaskSize())).send(),
    rpc.getMinimumBalanceForRentExemption(0n).send(),
  ]);
  return task + vault + 10_000n;
}

test('packages and digital tasks of a poster count under one cap, whichever came first (M-46)', async () => {
  const [packageFirst, taskFirst] = [await service.current.party(0), await service.current.party(0)];
  expect((await postSponsored(service.current, packageFirst.pubkey, { maxBudgetSol: 0.9 })).status).toBe(201);
  const refusedTask = await postTask(service.current, packageFirst.pubkey, 0.6);
  expect(refusedTask).toMatchObject({ status: 422, body: { code: 'sponsorship_cap' } });
  expect(refusedTask.body.detail).toContain('at most 1.5 SOL for one poster');
  expect(refusedTask.body.detail).toContain('POST /digital-tasks/build-tx');
  expect((await postTask(service.current, packageFirst.pubkey, 0.59)).status).toBe(201);

  expect((await postTask(service.current, taskFirst.pubkey, 0.9)).status).toBe(201);
  const refusedPackage = await postSponsored(service.current, taskFirst.pubkey, { maxBudgetSol: 0.6 });
  expect(refusedPackage).toMatchObject({ status: 422, body: { code: 'sponsorship_cap' } });
  expect(refusedPackage.body.detail).toContain('POST /packages/build-tx');

  // Budget, rent and fee of each, to the lamport.
  const counted = 900_000_000n + 590_000_000n + 900_000_000n;
  const beside = (await overhead(service.current)) + 2n * (await taskOverhead(service.current));
  expect(await advancedIn(service.current)).toBe(counted + beside);
});

test('one digital task is funded with as much as one package, and the refusal names it (M-46)', async () => {
  const { pubkey } = await service.current.party(0);
  const { status, body } = await postTask(service.current, pubkey, 1.000000001);
  expect([status, body.code]).toEqual([422, 'sponsorship_cap']);
  expect(body.detail).toContain('funds one digital task with at most 1 SOL');
});
