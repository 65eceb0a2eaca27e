import { openSession, readPolicies } from '@legwork/agents';
import {
  compileLegacy,
  configAddress,
  getListPackageInstruction,
  packageAddress,
  transferLamports,
  vaultAddress,
} from '@legwork/program-client';
import { uuidToBytes } from '@legwork/protocol/contract';
import { makeMove } from '@legwork/sdk';
import {
  address,
  type Address,
  createNoopSigner,
  generateKeyPairSigner,
  type Instruction,
  type Transaction,
} from '@solana/kit';
import { expect, onTestFinished, test } from 'vitest';
import { policyAgent, runDaemon } from '../agents/support/agents.js';
import { legIdOf, postedTask, untilTask } from '../operations/digitalTasks/scene.js';
import { signedWith } from '../operations/turns/scene.js';
import { draft } from '../support/market.js';
import { withService } from '../support/service.js';
import { land } from '../support/transactions.js';
import { until } from '../support/until.js';
import { balanceOf, coordinatorOf, give } from './scene.js';

const arbiter = await generateKeyPairSigner();
const service = withService({ settings: () => ({ ARBITER_PUBKEY: arbiter.address, AIRDROP: 'off' }) });
/** Of a task of a tenth of a SOL. */
const STAKE = 20_000_000n;
const ECHO = `process.stdin.resume().on('end', () => console.log('done'))`;

test('a daemon that has nothing but the stake accepts, hands in and claims, and its journal has what it signed (A-148)', async () => {
  const { current } = service;
  const run = { command: [process.execPath, '-e', ECHO], timeoutSec: 60 };
  const agent = await policyAgent(current, { worker: { run, capabilities: ['poor'] } }, 0);
  const bank = await current.party(2);
  const opened = await bank.client.buildOpenReputationTx({ agentPubkey: agent.pubkey, payerPubkey: bank.pubkey });
  await land(current, await signedWith(opened.transaction, [bank.signer]));
  await give(current, bank, agent.pubkey, STAKE);
  await until('the reputation account is mirrored', async () => {
    const { mirroredAt } = await bank.client.getReputation({ agentPubkey: agent.pubkey });
    return mirroredAt !== null;
  });
  await runDaemon([agent]);
  const legs = [{ instruction: 'Sum it up.' }];
  const { poster, task } = await postedTask(current, { title: 'Sum up poor', terms: 'standard', legs });
  await untilTask(current, task.id, (found) => found.legs[0]?.stage === 'claimed');
  const meant = { legId: legIdOf(task, 0), taskId: task.id };
  await makeMove(poster.client, poster.signer, { ...meant, action: 'confirm' });
  await untilTask(current, task.id, ({ status }) => status === 'completed');
  const signed = (await agent.journal()).filter(({ kind }) => kind === 'signed');
  expect(signed.map(({ instruction, lamports }) => [instruction, lamports])).toEqual([
    ['accept', '0'],
    ['claim', '0'],
  ]);
  expect(await balanceOf(current, address(agent.pubkey))).toBe(STAKE + 100_000_001n);
});

test('the guard lets the service pay fees and lend rents, and sign or move nothing else with its wallet (A-4, A-148)', async () => {
  const { current } = service;
  const agent = await policyAgent(current, { worker: { run: { command: ['true'], timeoutSec: 60 } } }, 1);
  const [policy] = await readPolicies(agent.file);
  if (policy === undefined) throw new Error('the file has no policy');
  const session = await openSession(policy);
  onTestFinished(() => session.close());
  const { packageId } = await session.client.buildListTx({ ...draft(), shipperPubkey: agent.pubkey });
  const programAddress = address(current.server.programId);
  const own = address(agent.pubkey);
  // Its wallet would fund what the fee payer lists, and could take back.
  const listing = async (shipper: Address) => {
    const at = await packageAddress(programAddress, shipper, uuidToBytes(packageId));
    const accounts = {
      package: at,
      vault: await vaultAddress(programAddress, at),
      config: await configAddress(programAddress),
    };
    return getListPackageInstruction(
      {
        ...accounts,
        funder: createNoopSigner(own),
        shipper: createNoopSigner(shipper),
        packageId: uuidToBytes(packageId),
        maxBudget: 1_000_000n,
        deadline: BigInt(Math.floor(Date.now() / 1000) + 86_400),
        termsHash: new Uint8Array(32),
        terms: null,
      },
      { programAddress },
    );
  };
  const { value } = await current.rpc.getLatestBlockhash({ commitment: 'confirmed' }).send();
  const paidBy = async (payer: Address, shipper: Address, before: readonly Instruction[] = []) =>
    compileLegacy(payer, value.blockhash, [...before, await listing(shipper)]);
  const coordinator = coordinatorOf(current);
  const sign = (transaction: Transaction) => session.signer.signTransactions([transaction as never]);
  await expect(sign(await paidBy(coordinator, coordinator))).rejects.toThrow(/would pay or sign this transaction/);
  const other = (await current.party(0)).signer.address;
  await expect(sign(await paidBy(other, own))).rejects.toThrow(/would pay or sign this transaction/);
  // Something may be lent to who funds the listing, once, by who pays the fee in its place; nothing else may be moved.
  const lent = transferLamports(coordinator, own, 1n);
  for (const [payer, before] of [
    [coordinator, [transferLamports(coordinator, other, 1n)]],
    [coordinator, [lent, lent]],
    [coordinator, [transferLamports(own, other, 1n)]],
    [coordinator, [transferLamports(own, coordinator, 1n)]],
    [own, [transferLamports(own, other, 1n)]],
    [own, [transferLamports(own, own, 1n)]],
  ] as const) {
    await expect(sign(await paidBy(payer, own, before))).rejects.toThrow(/and nothing else|takes from nobody/);
  }
  await expect(sign(await paidBy(coordinator, own, [lent]))).rejects.toThrow(/limits.perTransaction/);
  // Its limits are all that stands in the way of its own listing.
  await expect(sign(await paidBy(coordinator, own))).rejects.toThrow(/limits.perTransaction/);
});
