import { associatedTokenAddress } from '@legwork/program-client';
import { listDigitalTask } from '@legwork/sdk';
import { address, type Address } from '@solana/kit';
import { expect, test } from 'vitest';
import { auditOf, linesOf } from '../audit/scene.js';
import { bidInput, draft, type Place, untilPackage } from '../support/market.js';
import { untilQuiet } from '../support/snapshot.js';
import { type Party, type TestService, withService } from '../support/service.js';
import { land } from '../support/transactions.js';
import { until } from '../support/until.js';
import { untilTask } from './digitalTasks/scene.js';
import { at, type Cast, legNow, move, moveWithText, signedWith } from './turns/scene.js';

const assets: { ASSETS?: string } = {};
const service = withService({ settings: (usual) => ({ ...usual, ...assets, LIMIT_AIRDROPS: '0' }) });

/** The mint of the token for trials that a default start has. */
async function usdcOf({ client }: Party): Promise<Address> {
  const { assets } = await client.getConfig();
  const mint = assets.find(({ asset }) => asset === 'usdc')?.mint;
  if (mint == null) throw new Error('the service lists nothing in usdc');
  return address(mint);
}

/** The balance of a wallet in it, base units; undefined: it has no token account. */
async function held({ rpc }: TestService, owner: string, mint: Address): Promise<bigint | undefined> {
  const at = await associatedTokenAddress(address(owner), mint);
  const { value } = await rpc.getAccountInfo(at, { encoding: 'jsonParsed' }).send();
  if (value === null || !('parsed' in value.data)) return undefined;
  return BigInt((value.data.parsed.info as { tokenAmount: { amount: string } }).tokenAmount.amount);
}

const ONE = 1_000_000n;

test('a worker without SOL and without tokens earns USDC, to the base unit, and the books match (M-92, M-93, M-94, M-95)', async () => {
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

/** A wallet with 1 SOL and 100 USDC, which has a reputation account if it is to carry. */
async function registered(isCourier: boolean): Promise<Party> {
  const party = await service.current.party(0);
  const { client, pubkey, signer } = party;
  await client.registerAgent({ agentPubkey: pubkey });
  if (!isCourier) return party;
  const { transaction } = await client.buildOpenReputationTx({ agentPubkey: pubkey });
  await land(service.current, await signedWith(transaction, [signer]));
  return until('the reputation account is mirrored', async () => {
    return (await client.getReputation({ agentPubkey: pubkey })).mirroredAt !== null && party;
  });
}

const LEGS: readonly (readonly [Place, Place, bigint])[] = [
  ['zoo', 'hauptbahnhof', 3n * ONE],
  ['hauptbahnhof', 'ostkreuz', 5n * ONE],
];
const BUDGET = 50_000_001n;
const STAKE = 10_000_000n;

/** A package of 50 USDC, with a stake of a fifth, that two couriers are to carry. */
async function formed(arbiter: Party): Promise<Cast> {
  const shipper = await registered(false);
  const couriers = [await registered(true), await registered(true)];
  const { packageId, transaction } = await shipper.client.buildListTx({
    ...draft(),
    maxBudgetSol: undefined,
    maxBudget: String(BUDGET),
    asset: 'usdc',
    shipperPubkey: shipper.pubkey,
    terms: { arbiterPubkey: arbiter.pubkey },
  });
  const listed = await signedWith(transaction, [shipper.signer]);
  await shipper.client.submitPackage({ packageId, transaction: listed });
  for (const [index, [from, to, cost]] of LEGS.entries()) {
    const one = at(couriers, index);
    const { costSol: _, ...bid } = bidInput(one, packageId, from, to, 0);
    await one.client.submitBid({ ...bid, cost: String(cost) });
  }
  const parcel = await untilPackage(service.current, packageId, ({ status }) => status === 'in_transit');
  return { shipper, couriers, arbiter, parcel };
}

test('a package in USDC goes on when a courier is silent, heals, and is ruled, to the base unit (T-22, T-26, T-58, M-93)', async () => {
  const { current } = service;
  const arbiter = await registered(false);
  const cast = await formed(arbiter);
  const { shipper, couriers, parcel } = cast;
  const [first, silent] = [at(couriers, 0), at(couriers, 1)];
  expect(parcel).toMatchObject({ asset: 'usdc', terms: { stake: STAKE, stakeLamports: null } });
  const usdc = await usdcOf(shipper);
  for (const [index, one] of couriers.entries()) await move(current, cast, index, one, 'accept');
  expect(await held(current, silent.pubkey, usdc)).toBe(90n * ONE);
  const { items: turns } = await first.client.listTurns({ pubkey: first.pubkey });
  expect(turns[0]?.moves.map(({ does }) => does).join()).toContain('your stake of 10 USDC');
  await move(current, cast, 0, first, 'take');
  await moveWithText(current, cast, 0, first, 'claim', 'at the Hauptbahnhof, nobody is here');
  const paidFirst = at(parcel.swarm?.legs ?? [], 0).agreedPayment;

  // The next courier does not come: it loses its stake, and another one takes its place.
  await current.advanceTime(45 * 60 + 120);
  await untilPackage(current, parcel.id, ({ swarm }) => swarm?.legs[1]?.stage === 'vacant');
  const healer = await registered(true);
  const { items } = await healer.client.listOpenings({ packageId: parcel.id });
  const { legId, maxCost, maxCostLamports } = at(items, 0);
  expect([maxCost - STAKE, maxCostLamports]).toEqual([at(parcel.swarm?.legs ?? [], 1).agreedPayment, null]);
  const { costSol: _, ...bid } = bidInput(healer, parcel.id, 'hauptbahnhof', 'ostkreuz', 0);
  await healer.client.submitBid({ ...bid, legId, cost: String(4n * ONE + 1n) });
  await current.db
    .updateTable('legs')
    .set({ evaluate_at: new Date(0) })
    .where('evaluate_at', 'is not', null)
    .execute();
  await untilPackage(current, parcel.id, ({ swarm }) => swarm?.legs[1]?.agentPubkey === healer.pubkey);
  await move(current, cast, 1, healer, 'accept');
  await move(current, cast, 0, healer, 'confirm');

  // Its claim is disputed, and the arbiter leaves it 40 percent.
  await moveWithText(current, cast, 1, healer, 'claim', 'before the door');
  await moveWithText(current, cast, 1, shipper, 'dispute', 'there is nothing');
  expect((await legNow(current, parcel.id, 1)).stage).toBe('disputed');
  await move(current, cast, 1, arbiter, 'rule', { percent: 40 });
  await untilPackage(current, parcel.id, ({ status }) => status === 'delivered');

  const price = ((4n * ONE + 1n) * 40n) / 100n;
  const fee = STAKE / 2n;
  const won = ((2n * STAKE - fee) * 40n) / 100n;
  const holdings = {
    first: [first, 100n * ONE + paidFirst],
    silent: [silent, 100n * ONE - STAKE],
    healer: [healer, 100n * ONE - STAKE + price + won],
    arbiter: [arbiter, 100n * ONE + fee],
    shipper: [shipper, 100n * ONE - STAKE + (2n * STAKE - fee - won) + STAKE - paidFirst - price],
  } as const;
  for (const [who, [{ pubkey }, due]] of Object.entries(holdings)) {
    expect([who, await held(current, pubkey, usdc)]).toEqual([who, due]);
  }
  expect(Object.values(holdings).reduce((sum, [, due]) => sum + due, 0n)).toBe(500n * ONE);
  const { vault, movements } = await shipper.client.getPackageMoney({ packageId: parcel.id });
  expect([vault, movements.every(({ lamports }) => lamports === null)]).toEqual([0n, true]);
  await untilQuiet(current);
  expect(linesOf((await auditOf(current)).differences)).toEqual([]);
});

test('what was listed in an asset that the service does not offer any more is shown by its mint, and nothing new is listed in it (M-92)', async () => {
  const { current } = service;
  const { client } = await current.party(0);
  const usdc = await usdcOf(await current.party(0));
  const before = await client.listDigitalTasks({});
  await current.stop();
  assets.ASSETS = 'other:9';
  await current.restart();

  const { client: after, signer, pubkey } = await current.party(0);
  expect((await after.listDigitalTasks({})).items).toEqual(before.items.map((task) => ({ ...task, asset: usdc })));
  expect((await after.getStats()).assets).toMatchObject([{ asset: usdc, escrow: 0n }]);
  await after.registerAgent({ agentPubkey: pubkey });
  const draft = { title: 'A summary', description: 'Summarise.', legs: [{ instruction: 'summarise it' }] };
  await expect(listDigitalTask(after, signer, { ...draft, maxBudget: '1500001', asset: usdc })).rejects.toThrow(
    /takes no new listings: this service does not offer it any more/,
  );
  delete assets.ASSETS;
});
