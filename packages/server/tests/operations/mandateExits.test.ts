import {
  closeMandate,
  compileLegacy,
  createAssociatedToken,
  listingRent,
  readMessage,
  rentMinimum,
  TOKEN_ACCOUNT_RENT,
} from '@legwork/program-client';
import {
  cancelDigitalTask,
  cancelPackage,
  closeDigitalTask,
  reclaimDigitalTask,
  sendTransaction,
  TransactionRefusedError,
} from '@legwork/sdk';
import { AccountRole, type Blockhash, getBase64EncodedWireTransaction } from '@solana/kit';
import { expect, test } from 'vitest';
import { balanceOf, decoded, leaveWith, paidByCoordinator, signedBy } from '../fees/scene.js';
import { listDigitalTask, listPackage } from '../support/listed.js';
import { bidInput, draft, untilPackage } from '../support/market.js';
import { refusalOf } from '../support/sdkRefusal.js';
import { type Party, withService } from '../support/service.js';
import { land, signed } from '../support/transactions.js';
import { claim, refused, untilTask } from './digitalTasks/scene.js';
import { goal, type Mandated, mandated, ONE } from './mandateScene.js';

const service = withService({ settings: (usual) => ({ ...usual, LIMIT_AIRDROPS: '0' }) });
const FEE = 5_000n;
const SLOW = 60_000;
const EMPTY_RENT = rentMinimum(0);
const TASK_RENT = listingRent('task', false);

test('the owner of a mandate cancels and closes what its delegate listed in a token, and it returns to the mandate to the unit (P-117, P-118, S-24)', async () => {
  const { current } = service;
  const { owner, delegate, at, held } = await mandated(current);
  const before = await held();
  const task = await listDigitalTask(delegate.client, delegate.signer, goal(owner, 3n * ONE));
  expect(await held()).toEqual({ lamports: before.lamports - TASK_RENT, units: before.units - 3n * ONE });
  const [owners, delegates] = [await held(owner.pubkey), await balanceOf(current, delegate.pubkey)];

  const cancelled = await cancelDigitalTask(owner.client, current.rpc, owner.signer, task.id);
  expect(cancelled).toMatchObject({ status: 'failed', failureReason: 'cancelled', funderPubkey: at });
  // The delegate paid the rent of the vault's token account, which goes where the listing's does.
  const back = { lamports: before.lamports - TASK_RENT + TOKEN_ACCOUNT_RENT, units: before.units };
  expect(await held()).toEqual(back);
  await closeDigitalTask(owner.client, current.rpc, owner.signer, task.id);
  expect(await held()).toEqual({ ...back, lamports: before.lamports + TOKEN_ACCOUNT_RENT - EMPTY_RENT });
  expect(await held(owner.pubkey)).toEqual({ ...owners, lamports: owners.lamports - 2n * FEE });
  expect(await balanceOf(current, delegate.pubkey)).toBe(delegates);
});

test('in SOL likewise, to the lamport, a package as well (P-117, P-118)', async () => {
  const { current } = service;
  const { owner, delegate, held } = await mandated(current, 'sol');
  const before = await held();
  const parcel = { ...draft({ maxBudgetSol: 0.02 }), terms: 'plain', mandateOwnerPubkey: owner.pubkey } as const;
  const { id } = await listPackage(delegate.client, delegate.signer, parcel);
  const rent = listingRent('package', false);
  expect((await held()).lamports).toBe(before.lamports - 20_000_000n - EMPTY_RENT - rent);
  const owners = await balanceOf(current, owner.pubkey);
  expect(await cancelPackage(owner.client, current.rpc, owner.signer, id)).toMatchObject({
    failureReason: 'cancelled',
  });
  expect((await held()).lamports).toBe(before.lamports - rent);
  expect(await balanceOf(current, owner.pubkey)).toBe(owners - FEE);
  // Another run finds it ended.
  expect(await cancelPackage(owner.client, current.rpc, owner.signer, id)).toMatchObject({
    failureReason: 'cancelled',
  });
});

test('an owner without SOL cancels, and the service pays the fee; a stranger gets nothing paid (M-97, S-24)', async () => {
  const { current } = service;
  const { owner, delegate, held } = await mandated(current);
  const before = await held();
  const task = await listDigitalTask(delegate.client, delegate.signer, goal(owner, ONE));
  const stranger = await current.party(0);
  const forged = await paidByCoordinator(current, await cancellationAs(stranger, owner, task.id), [stranger]);
  expect(await refused(current, () => stranger.client.relayTransaction({ transaction: forged }))).toMatchObject({
    code: 'invalid_input',
    message: expect.stringMatching(/its mandateOwnerPubkey did not pay for this/) as string,
  });
  await leaveWith(current, owner, 0n);
  await cancelDigitalTask(owner.client, current.rpc, owner.signer, task.id);
  expect((await held()).units).toBe(before.units);
  expect(await balanceOf(current, owner.pubkey)).toBe(0n);
});

/** The cancellation that the service builds for the owner of a mandate, with somebody else in the owner's place; base64. */
async function cancellationAs(by: Party, owner: Party, taskId: string): Promise<string> {
  const built = await owner.client.buildCancelDigitalTaskTx({ taskId, mandateOwnerPubkey: owner.pubkey });
  expect(built.signerPubkey).toBe(owner.pubkey);
  const { instructions } = readMessage(decoded(built.transaction));
  const theirs = instructions.map(({ accounts = [], ...rest }) => ({
    ...rest,
    accounts: accounts.map((one) => ({
      ...one,
      address: one.address === owner.signer.address ? by.signer.address : one.address,
    })),
  }));
  const swapped = compileLegacy(by.signer.address, built.blockhash as Blockhash, theirs);
  return getBase64EncodedWireTransaction(swapped);
}

const NOT_PAID_BY =
  /^mandateOwnerPubkey: did not pay for this: \w+ did, and the mandate that it gave \w+ would be at \w+/;

test('another owner, and the delegate itself, end nothing in the name of an owner (P-118, S-24)', {
  timeout: SLOW,
}, async () => {
  const { current } = service;
  const { owner, delegate, held } = await mandated(current);
  const task = await listDigitalTask(delegate.client, delegate.signer, goal(owner, ONE));
  // One that gave the same delegate a mandate of its own.
  const other = await mandated(current, 'usdc', { delegate });
  const before = await held();
  for (const by of [other.owner, delegate, await current.party(1)]) {
    const { pubkey: mandateOwnerPubkey } = by;
    const call = () => by.client.buildCancelDigitalTaskTx({ taskId: task.id, mandateOwnerPubkey });
    expect((await refused(current, call)).message).toMatch(NOT_PAID_BY);
  }
  await expect(cancelDigitalTask(other.owner.client, current.rpc, other.owner.signer, task.id)).rejects.toThrow(
    TransactionRefusedError,
  );
  // The service aside, the ledger says the same.
  const sent = signedBy(decoded(await cancellationAs(other.owner, owner, task.id)), [other.owner]);
  await expect(sendTransaction(current.rpc, await sent, 1_000_000)).rejects.toThrow(/Unauthorized/);
  expect(await held()).toEqual(before);
  expect(await delegate.client.getDigitalTask({ taskId: task.id })).toMatchObject({ status: 'listed' });
});

test('after the end of a mandate its owner is told to give it again, and the delegate lists no more (P-118, P-119)', {
  timeout: SLOW,
}, async () => {
  const { current } = service;
  const of = await mandated(current);
  const { owner, delegate, at } = of;
  const task = await listDigitalTask(delegate.client, delegate.signer, goal(owner, ONE));
  await ended(of);
  const asked = { taskId: task.id, mandateOwnerPubkey: owner.pubkey };
  expect(await refused(current, () => owner.client.buildCancelDigitalTaskTx(asked))).toMatchObject({
    code: 'invalid_input',
    message: expect.stringContaining(`has ended the mandate at ${at}`) as string,
  });
  expect((await refusalOf(listDigitalTask(delegate.client, delegate.signer, goal(owner, ONE)))).message).toMatch(
    /which does not exist/,
  );
  await mandated(current, 'usdc', { owner, delegate });
  await cancelDigitalTask(owner.client, current.rpc, owner.signer, task.id);
  expect((await of.held()).units).toBe(21n * ONE);
});

async function ended({ owner, delegate, program, token }: Mandated): Promise<void> {
  const { current } = service;
  if (token === undefined) throw new Error('a mandate in a token is ended here');
  const payer = { address: owner.signer.address, role: AccountRole.WRITABLE_SIGNER, signer: owner.signer };
  const parties = { owner: owner.signer, delegate: delegate.signer.address, asset: token };
  const instructions = [
    await createAssociatedToken(payer, owner.signer.address, token.mint),
    await closeMandate(program, parties),
  ];
  await land(current, await signed(current, [owner.signer], instructions));
}

test('what is formed or at work an owner cannot cancel, but reclaims it after the deadline; what the delegate paid stays out of its reach (P-118, S-24)', {
  timeout: SLOW,
}, async () => {
  const { current } = service;
  const { owner, delegate, held } = await mandated(current, 'sol');
  const by = { mandateOwnerPubkey: owner.pubkey };
  const worker = await current.party(1);
  const task = await listDigitalTask(delegate.client, delegate.signer, goal(owner, 5_000_000n, 'sol'));
  await claim(worker, task, 0, 0.001);
  await untilTask(current, task.id, ({ status }) => status === 'in_progress');
  const parcel = { ...draft({ maxBudgetSol: 0.02 }), terms: 'plain', ...by } as const;
  const { id } = await listPackage(delegate.client, delegate.signer, parcel);
  await worker.client.submitBid(bidInput(worker, id, 'zoo', 'ostkreuz', 0.01));
  await untilPackage(current, id, ({ status }) => status === 'in_transit');
  const own = await listDigitalTask(delegate.client, delegate.signer, {
    ...goal(owner, 5_000_000n, 'sol'),
    mandateOwnerPubkey: undefined,
  });
  const before = await held();
  const { client } = owner;
  const busy = await refused(current, () => client.buildCancelDigitalTaskTx({ taskId: task.id, ...by }));
  expect(busy).toMatchObject({
    code: 'invalid_status',
    message: expect.stringContaining('agents work on it') as string,
  });
  const formed = await refused(current, () => client.buildCancelTx({ packageId: id, ...by }));
  expect(formed).toMatchObject({ code: 'invalid_status', message: expect.stringContaining('under way') as string });
  const theirs = await refused(current, () => client.buildCancelDigitalTaskTx({ taskId: own.id, ...by }));
  expect(theirs.message).toMatch(NOT_PAID_BY);
  await expect(cancelDigitalTask(client, current.rpc, owner.signer, own.id)).rejects.toThrow(TransactionRefusedError);
  expect(await held()).toEqual(before);

  // Once its deadline has passed what nobody finished is the owner's to take back, whatever becomes of the delegate.
  await current.advanceTime(4 * 86_400);
  expect(await reclaimDigitalTask(client, current.rpc, owner.signer, task.id)).toMatchObject({
    failureReason: 'reclaimed',
  });
  expect((await held()).lamports).toBe(before.lamports + 5_000_000n + EMPTY_RENT);
});
