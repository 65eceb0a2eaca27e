import { associatedTokenAddress, compileLegacy, payableBy, readMessage, readTransfer } from '@legwork/program-client';
import { listPackage, makeMove, receive, signListing, submitListing } from '@legwork/sdk';
import { AccountRole, address, type Address } from '@solana/kit';
import { expect, test } from 'vitest';
import { at, type Cast, signedWith } from '../operations/turns/scene.js';
import { bidInput, draft, type Place, untilPackage } from '../support/market.js';
import { attempt, post, refusedWith } from '../support/refusal.js';
import { type Party, withService } from '../support/service.js';
import { untilQuiet } from '../support/snapshot.js';
import { land } from '../support/transactions.js';
import { until } from '../support/until.js';
import { balanceOf, coordinatorOf, decoded, leaveWith, legIdOf, signedBy } from './scene.js';

const service = withService({ settings: (usual) => ({ ...usual, LIMIT_AIRDROPS: '0' }) });
const ONE = 1_000_000n;
/** Of a transaction of one wallet and the coordinator. */
const FEE = 10_000n;
const TOKEN_ACCOUNT = 2_039_280n;

async function usdcOf({ client }: Party): Promise<Address> {
  const { assets } = await client.getConfig();
  const mint = assets.find(({ asset }) => asset === 'usdc')?.mint;
  if (mint == null) throw new Error('the service lists nothing in usdc');
  return address(mint);
}

/** The balance of a wallet in it; undefined: it has no token account. */
async function held(owner: string, mint: Address): Promise<bigint | undefined> {
  const { value } = await service.current.rpc
    .getAccountInfo(await associatedTokenAddress(address(owner), mint), { encoding: 'jsonParsed' })
    .send();
  if (value === null || !('parsed' in value.data)) return undefined;
  return BigInt((value.data.parsed.info as { tokenAmount: { amount: string } }).tokenAmount.amount);
}

/** A wallet with 100 USDC, and with a reputation account if it is to carry under terms. */
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

/** A package of 50 USDC that these couriers carry, none of whom has SOL any more, nor has the shipper. */
async function formed(couriers: readonly Party[], terms: 'plain' | { arbiterPubkey: string }): Promise<Cast> {
  const { current } = service;
  const shipper = await registered(false);
  const { packageId, transaction } = await shipper.client.buildListTx({
    ...draft(),
    maxBudgetSol: undefined,
    maxBudget: String(50n * ONE),
    asset: 'usdc',
    shipperPubkey: shipper.pubkey,
    terms,
  });
  const listed = await signedWith(transaction, [shipper.signer]);
  await shipper.client.submitPackage({ packageId, transaction: listed });
  for (const [index, [from, to, cost]] of LEGS.entries()) {
    const one = at(couriers, index);
    const { costSol: _, ...bid } = bidInput(one, packageId, from, to, 0);
    await one.client.submitBid({ ...bid, cost: String(cost) });
  }
  const parcel = await untilPackage(current, packageId, ({ status }) => status === 'in_transit');
  return { shipper, couriers: [...couriers], arbiter: shipper, parcel };
}

async function chargedTo({ pubkey }: Party): Promise<bigint[]> {
  const rows = await service.current.db
    .selectFrom('sponsorships')
    .select('lamports')
    .where('poster_pubkey', '=', pubkey)
    .where('purpose', '=', 'fees')
    .orderBy('created_at')
    .execute();
  return rows.map(({ lamports }) => lamports);
}

test('couriers with a stake in USDC and no SOL carry a package, at the cost of the coordinator (M-97, M-98)', async () => {
  const couriers = [await registered(true), await registered(true)];
  const arbiter = await service.current.party(0);
  const cast = await formed(couriers, { arbiterPubkey: arbiter.pubkey });
  const { shipper, parcel } = cast;
  for (const one of [...couriers, shipper]) await leaveWith(service.current, one, 0n);
  const usdc = await usdcOf(shipper);
  const move = async (index: number, by: Party, action: 'accept' | 'take' | 'confirm') => {
    const legId = await legIdOf(service.current, cast, index);
    return makeMove(by.client, by.signer, { legId, packageId: parcel.id, action });
  };
  const [first, second] = [at(couriers, 0), at(couriers, 1)];
  for (const [index, one] of couriers.entries()) await move(index, one, 'accept');
  await move(0, first, 'take');
  await move(0, second, 'confirm');
  await receive(shipper.client, shipper.signer, { packageId: parcel.id });
  const { swarm } = await untilPackage(service.current, parcel.id, ({ status }) => status === 'delivered');
  for (const [index, one] of couriers.entries()) {
    expect(await held(one.pubkey, usdc)).toBe(100n * ONE + at(swarm?.legs ?? [], index).agreedPayment);
  }
  expect([await chargedTo(first), await chargedTo(second), await chargedTo(shipper)]).toEqual([
    [FEE, FEE],
    [FEE, FEE],
    [FEE],
  ]);
});

test('couriers with nothing at all are paid in USDC: their token accounts are opened at the cost of the coordinator (M-97, M-98)', async () => {
  const couriers = [await service.current.party(0), await service.current.party(0)];
  const cast = await formed(couriers, 'plain');
  const { shipper, parcel } = cast;
  await leaveWith(service.current, shipper, 0n);
  const usdc = await usdcOf(shipper);
  const [first, second] = [at(couriers, 0), at(couriers, 1)];
  await receive(second.client, second.signer, { packageId: parcel.id });
  await receive(shipper.client, shipper.signer, { packageId: parcel.id });
  const { swarm } = await untilPackage(service.current, parcel.id, ({ status }) => status === 'delivered');
  for (const [index, one] of couriers.entries()) {
    expect(await held(one.pubkey, usdc)).toBe(at(swarm?.legs ?? [], index).agreedPayment);
  }
  expect([await chargedTo(first), await chargedTo(second), await chargedTo(shipper)]).toEqual([
    [],
    [FEE + TOKEN_ACCOUNT],
    [FEE + TOKEN_ACCOUNT],
  ]);
});

const PACKAGE_RENT = BigInt(128 + 183) * 6_960n;

test('a shipper with USDC and no SOL lists a package: the coordinator lends the rents, and no more (M-99)', async () => {
  const { current } = service;
  const shipper = await registered(false);
  await leaveWith(current, shipper, 0n);
  const usdc = await usdcOf(shipper);
  const { id } = await listPackage(shipper.client, shipper.signer, {
    ...draft(),
    maxBudgetSol: undefined,
    maxBudget: String(50n * ONE),
    asset: 'usdc',
    terms: 'plain',
  });
  expect(await chargedTo(shipper)).toEqual([FEE + TOKEN_ACCOUNT + PACKAGE_RENT]);
  expect([await held(shipper.pubkey, usdc), await balanceOf(current, shipper.pubkey)]).toEqual([50n * ONE, 0n]);
  expect(await shipper.client.getPackage({ packageId: id })).toMatchObject({ status: 'listed', asset: 'usdc' });
});

test('a listing that the coordinator pays for lands when it is submitted, and once, however often that is repeated (A-148, M-99)', async () => {
  const { current } = service;
  const shipper = await registered(false);
  await leaveWith(current, shipper, 0n);
  const usdc = await usdcOf(shipper);
  const wanted = {
    ...draft(),
    maxBudgetSol: undefined,
    maxBudget: String(50n * ONE),
    asset: 'usdc',
    terms: 'plain',
  } as const;
  const listing = await signListing(shipper.client, shipper.signer, wanted);
  // A lister that loses it, or hears no answer, may sign another one.
  expect([await held(shipper.pubkey, usdc), await chargedTo(shipper)]).toEqual([100n * ONE, []]);
  const both = [await submitListing(shipper.client, listing), await submitListing(shipper.client, listing)];
  expect(both.map(({ id }) => id)).toEqual([listing.packageId, listing.packageId]);
  expect(await held(shipper.pubkey, usdc)).toBe(50n * ONE);
  expect(await chargedTo(shipper)).toEqual([FEE + TOKEN_ACCOUNT + PACKAGE_RENT]);
});

test('a wallet that could pay, and would keep too little to exist, is paid for (A-148, M-99)', async () => {
  const { current } = service;
  const shipper = await registered(false);
  // The sum that the end of another listing gave back, for example.
  const own = FEE + TOKEN_ACCOUNT + PACKAGE_RENT + 100_000n;
  await leaveWith(current, shipper, own);
  const wanted = {
    ...draft(),
    maxBudgetSol: undefined,
    maxBudget: String(50n * ONE),
    asset: 'usdc',
    terms: 'plain',
  } as const;
  await listPackage(shipper.client, shipper.signer, wanted);
  expect(await chargedTo(shipper)).toEqual([FEE + TOKEN_ACCOUNT + PACKAGE_RENT]);
  expect(await balanceOf(current, shipper.pubkey)).toBe(own);
});

test('the coordinator lends no other rent, to nobody else, and none for a listing in SOL (M-99)', async () => {
  const { current } = service;
  const [shipper, stranger] = [await registered(false), await current.party(1)];
  const asked = { ...draft(), shipperPubkey: shipper.pubkey, terms: 'plain' } as const;
  const inTokens = { ...asked, maxBudgetSol: undefined, maxBudget: String(10n * ONE), asset: 'usdc' };
  const [sol, token] = [await shipper.client.buildListTx(asked), await shipper.client.buildListTx(inTokens)];
  const coordinator = coordinatorOf(current);
  const lending = (built: string, lends: bigint) =>
    signedBy(payableBy(decoded(built), coordinator, { lends }), [shipper]);
  const { blockhash, instructions } = readMessage(decoded(await lending(token.transaction, PACKAGE_RENT)));
  const astray = instructions.map((one) =>
    readTransfer(one) === undefined
      ? one
      : {
          ...one,
          accounts: one.accounts?.with(1, { address: stranger.signer.address, role: AccountRole.WRITABLE }) ?? [],
        },
  );
  const tried = [
    await lending(token.transaction, PACKAGE_RENT + 1n),
    await lending(token.transaction, 0n),
    await lending(sol.transaction, PACKAGE_RENT),
    await lending(sol.transaction, 0n),
    await signedBy(compileLegacy(coordinator, blockhash, astray), [shipper]),
    await signedBy(compileLegacy(coordinator, blockhash, instructions.slice(0, -1)), [shipper]),
    await signedBy(compileLegacy(coordinator, blockhash, [...instructions.slice(0, -1), ...instructions.slice(-2)]), [
      shipper,
    ]),
  ];
  await untilQuiet(current);
  for (const transaction of tried) {
    const answer = await attempt(current, [coordinator, shipper.pubkey, stranger.pubkey], () =>
      post(current, '/transactions/relay', { transaction }),
    );
    expect(answer).toEqual(refusedWith({ status: 422, code: 'wrong_transaction', fields: ['transaction'] }));
  }
});
