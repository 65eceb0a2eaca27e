import {
  cancelPackage,
  completeDigitalLeg,
  createLegworkClient,
  makeMove,
  readHandoff,
  receive,
  reclaimDigitalTask,
  signHandoff,
  submitHandoff,
} from '@legwork/sdk';
import { createDefaultRpcTransport, createSolanaRpcFromTransport, type RpcTransport } from '@solana/kit';
import { expect, test } from 'vitest';
import { claim, goal, legIdOf as taskLegId, untilTask } from '../operations/digitalTasks/scene.js';
import { at, type Cast, courier, formedWithTerms, legNow } from '../operations/turns/scene.js';
import { listDigitalTask, listPackage } from '../support/listed.js';
import { draft, formedPackage, untilPackage } from '../support/market.js';
import { type Party, type TestService, withService } from '../support/service.js';
import { balanceOf, leaveWith, legIdOf, paidByCoordinator, poorCouriers, STAKE } from './scene.js';

const service = withService();

/** The coordinator's payments for the key's transactions, lamports. */
async function paidFor(of: TestService, { pubkey }: Party): Promise<bigint> {
  const rows = await of.db
    .selectFrom('sponsorships')
    .select('lamports')
    .where('poster_pubkey', '=', pubkey)
    .where('purpose', '=', 'fees')
    .execute();
  return rows.reduce((sum, { lamports }) => sum + lamports, 0n);
}

async function moved(cast: Cast, index: number, by: Party, action: 'accept' | 'take' | 'confirm', text?: string) {
  const legId = await legIdOf(service.current, cast, index);
  return makeMove(by.client, by.signer, { legId, packageId: cast.parcel.id, action, text });
}

test('couriers that have nothing but their stake carry a package to a shipper without SOL, and are paid (M-97, A-148)', async () => {
  const cast = await poorCouriers(service.current);
  const [first, second, third] = [0, 1, 2].map((index) => at(cast.couriers, index)) as [Party, Party, Party];
  await leaveWith(service.current, cast.shipper, 0n);
  for (const [index, one] of cast.couriers.entries()) await moved(cast, index, one, 'accept');
  await moved(cast, 0, first, 'take');
  // The courier that takes over has nothing left; the one before is paid.
  await moved(cast, 0, second, 'confirm');
  await moved(cast, 1, third, 'confirm');
  await receive(cast.shipper.client, cast.shipper.signer, { packageId: cast.parcel.id });
  await untilPackage(service.current, cast.parcel.id, ({ status }) => status === 'delivered');
  const { swarm } = await cast.shipper.client.getPackage({ packageId: cast.parcel.id });
  const paid = swarm?.legs.map(({ agreedPayment }) => STAKE + agreedPayment);
  expect(await Promise.all(cast.couriers.map((one) => balanceOf(service.current, one.pubkey)))).toEqual(paid);
  expect(await Promise.all([...cast.couriers, cast.shipper].map((one) => paidFor(service.current, one)))).toEqual([
    20_000n,
    20_000n,
    20_000n,
    10_000n,
  ]);
});

test('a handoff that the receiver signed as a text is sent by a courier without SOL (M-97)', async () => {
  const cast = await poorCouriers(service.current, [['zoo', 'ostkreuz', 0.1]]);
  const { shipper, parcel } = cast;
  const one = at(cast.couriers, 0);
  await moved(cast, 0, one, 'accept');
  await moved(cast, 0, one, 'take');
  const ahead = await readHandoff(shipper.client, shipper.signer.address, { packageId: parcel.id, legIndex: 0 });
  await submitHandoff(one.client, one.signer, await signHandoff(shipper.signer, ahead));
  const { swarm } = await untilPackage(service.current, parcel.id, ({ status }) => status === 'delivered');
  const paid = STAKE + (swarm?.legs[0]?.agreedPayment ?? 0n);
  expect(await balanceOf(service.current, one.pubkey)).toBe(paid);
});

test('a pickup that the shipper signed as a text is sent by its courier, which has its stake (M-97)', async () => {
  const cast = await formedWithTerms(service.current, [['zoo', 'ostkreuz', 0.1]], {
    stakeSol: 0.01,
    cosignedPickup: true,
  });
  const { shipper, parcel } = cast;
  const one = at(cast.couriers, 0);
  await leaveWith(service.current, one, STAKE);
  const meant = { packageId: parcel.id, legIndex: 0, pickup: true };
  const ahead = await readHandoff(shipper.client, shipper.signer.address, meant);
  await submitHandoff(one.client, one.signer, await signHandoff(shipper.signer, ahead));
  await untilPackage(service.current, parcel.id, ({ swarm }) => swarm?.legs[0]?.stage === 'carried');
  expect(await balanceOf(service.current, one.pubkey)).toBe(0n);
});

test('an agent that has nothing but its stake works on a task, and its poster without SOL confirms (M-97, A-148)', async () => {
  const [poster, agent, arbiter] = [
    await service.current.party(3),
    await courier(service.current),
    await service.current.party(0),
  ];
  const terms = { preset: 'standard', arbiterPubkey: arbiter.pubkey, stakeSol: 0.01 } as const;
  const task = await listDigitalTask(poster.client, poster.signer, { ...goal(), terms });
  await claim(agent, task, 0);
  await untilTask(service.current, task.id, ({ legs }) => legs[0]?.stage === 'pending');
  await Promise.all([leaveWith(service.current, agent, STAKE), leaveWith(service.current, poster, 0n)]);
  const legId = taskLegId(task, 0);
  await makeMove(agent.client, agent.signer, { legId, taskId: task.id, action: 'accept' });
  await completeDigitalLeg(agent.client, agent.signer, { legId, taskId: task.id, result: 'Two topics.' });
  await makeMove(poster.client, poster.signer, { legId, taskId: task.id, action: 'confirm' });
  await untilTask(service.current, task.id, ({ legs }) => legs[0]?.status === 'completed');
  expect(await paidFor(service.current, agent)).toBe(20_000n);
  expect(await paidFor(service.current, poster)).toBe(10_000n);
});

test('a shipper without SOL takes back what it listed, and receives what came without terms (M-97)', async () => {
  const shipper = await service.current.party(1);
  const { id } = await listPackage(shipper.client, shipper.signer, draft());
  await leaveWith(service.current, shipper, 0n);
  expect(await cancelPackage(shipper.client, service.current.rpc, shipper.signer, id)).toMatchObject({ open: null });
  expect(await paidFor(service.current, shipper)).toBe(10_000n);

  const plain = await formedPackage(service.current, [['zoo', 'ostkreuz', 0.1]]);
  await leaveWith(service.current, plain.shipper, 0n);
  await receive(plain.shipper.client, plain.shipper.signer, { packageId: plain.parcel.id });
  await untilPackage(service.current, plain.parcel.id, ({ status }) => status === 'delivered');
  expect(await paidFor(service.current, plain.shipper)).toBe(10_000n);
});

test('a poster without SOL takes back a task after its deadline (M-97)', async () => {
  const [poster, agent] = [await service.current.party(2), await service.current.party(1)];
  const deadline = new Date(Date.now() + 7_200_000).toISOString();
  const task = await listDigitalTask(poster.client, poster.signer, { ...goal(), deadline });
  await claim(agent, task, 0);
  await untilTask(service.current, task.id, ({ status }) => status === 'in_progress');
  await leaveWith(service.current, poster, 0n);
  await service.current.advanceTime(7_300);
  const { failureReason } = await reclaimDigitalTask(poster.client, service.current.rpc, poster.signer, task.id);
  expect(failureReason).toBe('reclaimed');
  expect(await paidFor(service.current, poster)).toBe(10_000n);
});

test('a wallet that has SOL pays by itself, and is asked for its balance once (A-148)', async () => {
  const cast = await formedWithTerms(service.current, [['zoo', 'ostkreuz', 0.1]], { stakeSol: 0.01 });
  const one = at(cast.couriers, 0);
  let asked = 0;
  const plain = createDefaultRpcTransport({ url: service.current.ledger.rpcUrl });
  const counting = ((request: Parameters<RpcTransport>[0]) => {
    if ((request.payload as { method: string }).method === 'getBalance') asked += 1;
    return plain(request);
  }) as RpcTransport;
  const rpc = createSolanaRpcFromTransport(counting);
  const legId = await legIdOf(service.current, cast, 0);
  for (const action of ['accept', 'take'] as const) {
    await makeMove(one.client, one.signer, { legId, packageId: cast.parcel.id, action }, { rpc });
  }
  expect(asked).toBe(1);
  expect(await paidFor(service.current, one)).toBe(0n);
  expect(await legNow(service.current, cast.parcel.id, 0)).toMatchObject({ stage: 'carried' });
});

test('an answer that is lost is asked for again, and the move is paid for once (A-148)', async () => {
  const { current } = service;
  const shipper = await current.party(1);
  const { id } = await listPackage(shipper.client, shipper.signer, draft());
  await leaveWith(current, shipper, 0n);
  let lost = 0;
  const lossy = async (input: string | URL | Request, init?: RequestInit) => {
    const answer = await fetch(input, init);
    if (!String(input instanceof Request ? input.url : input).endsWith('/transactions/relay') || lost > 0)
      return answer;
    lost += 1;
    throw new TypeError('the connection broke');
  };
  const client = createLegworkClient({ url: current.server.url, signer: shipper.signer, fetch: lossy });
  expect(await cancelPackage(client, current.rpc, shipper.signer, id)).toMatchObject({ open: null });
  expect([lost, await paidFor(current, shipper)]).toEqual([1, 10_000n]);
});

test('what a service gives back that is another transaction is taken for none (A-148)', async () => {
  const { current } = service;
  const shipper = await current.party(3);
  const [one, other] = [
    await listPackage(shipper.client, shipper.signer, draft()),
    await listPackage(shipper.client, shipper.signer, draft()),
  ];
  await leaveWith(current, shipper, 0n);
  const { transaction } = await shipper.client.buildCancelTx({ packageId: other.id });
  const landed = await shipper.client.relayTransaction({
    transaction: await paidByCoordinator(current, transaction, [shipper]),
  });
  // The money taken back is SOL again.
  await leaveWith(current, shipper, 0n);
  const lying = { ...shipper.client, relayTransaction: () => Promise.resolve(landed) };
  await expect(cancelPackage(lying, current.rpc, shipper.signer, one.id)).rejects.toThrow(/another transaction/);
  // Its own, under the signature of the one that has landed.
  const signedByOther: typeof shipper.client.relayTransaction = ({ transaction: asked }) => {
    const bytes = Buffer.from(asked, 'base64');
    Buffer.from(landed.transaction, 'base64').copy(bytes, 1, 1, 65);
    return Promise.resolve({ ...landed, transaction: bytes.toString('base64') });
  };
  const lyingBetter = { ...shipper.client, relayTransaction: signedByOther };
  await expect(cancelPackage(lyingBetter, current.rpc, shipper.signer, one.id)).rejects.toThrow(/another transaction/);
});
