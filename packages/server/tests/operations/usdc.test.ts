import { associatedTokenAddress } from '@legwork/program-client';
import { listDigitalTask } from '@legwork/sdk';
import { address, type Address } from '@solana/kit';
import { expect, test } from 'vitest';
import { auditOf, linesOf } from '../audit/scene.js';
import { untilQuiet } from '../support/snapshot.js';
import { type Party, type TestService, withService } from '../support/service.js';
import { untilTask } from './digitalTasks/scene.js';

const service = withService();

/** The mint of the token for trials that a default start has. */
async function usdcOf({ client }: Party): Promise<Address> {
  const { assets } = await client.getConfig();
  const mint = assets.find(({ asset }) => asset === 'usdc')?.mint;
  if (mint == null) throw new Error('the service lists nothing in usdc');
  return address(mint);
}

/** What a wallet holds of it, base units; undefined: it has no token account. */
async function held({ rpc }: TestService, owner: string, mint: Address): Promise<bigint | undefined> {
  const at = await associatedTokenAddress(address(owner), mint);
  const { value } = await rpc.getAccountInfo(at, { encoding: 'jsonParsed' }).send();
  if (value === null || !('parsed' in value.data)) return undefined;
  return BigInt((value.data.parsed.info as { tokenAmount: { amount: string } }).tokenAmount.amount);
}

const ONE = 1_000_000n;

test('a worker without SOL and without tokens earns USDC, to the base unit, and the books match (M-92, M-93, M-95)', async () => {
  const { current } = service;
  const [poster, worker] = [await current.party(0), await current.party(0)];
  const { tokens } = await poster.client.registerAgent({ agentPubkey: poster.pubkey });
  expect(tokens).toMatchObject([{ asset: 'usdc', decimals: 6, amount: 100n * ONE }]);
  const usdc = await usdcOf(poster);
  const task = await listDigitalTask(poster.client, poster.signer, {
    title: 'A summary',
    description: 'Summarise the feedback.',
    legs: [{ instruction: 'summarise it' }],
    maxBudget: '1500001',
    asset: 'usdc',
    terms: 'plain',
  });
  if (task.open !== null) throw new Error('the service did not answer');
  expect(task).toMatchObject({
    asset: 'usdc',
    decimals: 6,
    maxBudget: 1_500_001n,
    maxBudgetLamports: null,
    maxBudgetSol: null,
  });
  expect(await held(current, poster.pubkey, usdc)).toBe(98_499_999n);

  const { id: taskId } = task;
  const [leg] = task.legs;
  if (leg === undefined) throw new Error('a task without legs');
  const claim = { taskId, legId: leg.id, agentPubkey: worker.pubkey };
  await expect(worker.client.bidDigitalLeg({ ...claim, bidSol: 0.1 })).rejects.toThrow(
    /bidSol: is in SOL, and this pays in usdc/,
  );
  await worker.client.bidDigitalLeg({ ...claim, bid: '1000000' });
  await worker.client.completeDigitalLeg({ ...claim, result: 'All is well.' });
  const done = await untilTask(current, taskId, ({ status }) => status === 'completed');
  expect(done.legs[0]).toMatchObject({ payment: 1_500_001n, paymentLamports: null });
  expect(await held(current, worker.pubkey, usdc)).toBe(1_500_001n);
  expect((await current.rpc.getBalance(worker.signer.address).send()).value).toBe(0n);

  const money = await poster.client.getTaskMoney({ taskId });
  expect(money).toMatchObject({ asset: 'usdc', vault: 0n, vaultLamports: null });
  const stats = await worker.client.getStats();
  expect(stats).toMatchObject({
    volumeLamports: 0n,
    escrowLamports: 0n,
    assets: [{ asset: 'usdc', volume: 1_500_001n, escrow: 0n }],
  });
  expect((await worker.client.getAgent({ agentPubkey: worker.pubkey })).history.earnedLamports).toBe(0n);
  await untilQuiet(current);
  expect(linesOf((await auditOf(current)).differences)).toEqual([]);
});
