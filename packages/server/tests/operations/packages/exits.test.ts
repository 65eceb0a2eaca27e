import { createUuid } from '@legwork/protocol/contract';
import { type LegworkClient, sendTransaction, signTransaction } from '@legwork/sdk';
import { address } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { bidInput, confirmAll, draft, formedPackage, untilPackage } from '../../support/market.js';
import { type Party, type TestService, withService } from '../../support/service.js';
import { hold } from '../../support/holdIntents.js';
import { refusalOf } from '../../support/sdkRefusal.js';
import { theFirst } from '../../support/theFirst.js';
import { received } from '../../support/transactions.js';
import { listPackage } from '../../support/listed.js';

const FEE = 5_000n;
/** The rent of an account without data. */
const EMPTY_RENT = 890_880n;

async function balance(service: TestService, pubkey: string): Promise<bigint> {
  const { value } = await service.rpc.getBalance(address(pubkey), { commitment: 'confirmed' }).send();
  return value;
}

type Built = Awaited<ReturnType<LegworkClient['buildCancelTx']>>;

/** Signs what the service built and sends it straight to the ledger. */
async function signAndSend(
  service: TestService,
  { signer }: Party,
  built: Built,
  name: 'cancelPackage' | 'reclaimPackage' | 'closePackage',
): Promise<string> {
  expect(built.signerPubkey).toBe(signer.address);
  const programId = address(service.server.programId);
  const signed = await signTransaction(built.transaction, signer, { programId, name });
  return sendTransaction(service.rpc, signed, built.lastValidBlockHeight);
}

describe('a package that has not come to its deadline', () => {
  const service = withService();

  test('(P-21, P-67) is cancelled and closed by its shipper, who gets everything back but one empty rent', async () => {
    const shipper = await service.current.party();
    const { id, onChainPackage, onChainVault } = await listPackage(shipper.client, shipper.signer, draft());
    const before = await balance(service.current, shipper.pubkey);
    const vault = await balance(service.current, onChainVault);
    expect(vault).toBe(500_000_000n + EMPTY_RENT);

    // Anybody may have it built; what counts is who signs.
    const stranger = await service.current.party(0);
    const cancelled = await signAndSend(
      service.current,
      shipper,
      await stranger.client.buildCancelTx({ packageId: id }),
      'cancelPackage',
    );
    expect(await balance(service.current, shipper.pubkey)).toBe(before + vault - FEE);
    expect(await balance(service.current, onChainVault)).toBe(0n);
    const failed = await untilPackage(service.current, id, ({ status }) => status === 'failed');
    expect(failed).toMatchObject({ failureReason: 'cancelled', endSignature: cancelled });
    expect(await refusalOf(stranger.client.buildCancelTx({ packageId: id }))).toMatchObject({
      status: 409,
      code: 'invalid_status',
      message: expect.stringContaining('failed (cancelled)') as string,
    });

    const rent = await balance(service.current, onChainPackage);
    const built = await stranger.client.buildCloseTx({ packageId: id });
    await signAndSend(service.current, shipper, built, 'closePackage');
    expect(await balance(service.current, shipper.pubkey)).toBe(before + vault - FEE + rent - EMPTY_RENT - FEE);
    expect(await balance(service.current, onChainPackage)).toBe(EMPTY_RENT);
    expect(await refusalOf(stranger.client.buildCloseTx({ packageId: id }))).toMatchObject({
      code: 'invalid_status',
      message: expect.stringContaining('is closed') as string,
    });
  });

  test('(M-9) is cancelled, not reclaimed, as long as the ledger shows no swarm', async () => {
    const [shipper, courier] = [await service.current.party(), await service.current.party(1)];
    const { id } = await listPackage(shipper.client, shipper.signer, draft());
    expect(await refusalOf(shipper.client.buildReclaimTx({ packageId: id }))).toMatchObject({
      code: 'invalid_status',
      message: expect.stringContaining('build-cancel-tx') as string,
    });
    await hold(service.current, id);
    await courier.client.submitBid(bidInput(courier, id, 'zoo', 'ostkreuz', 0.1));
    await untilPackage(service.current, id, ({ status }) => status === 'swarm_forming');
    expect(await refusalOf(shipper.client.buildReclaimTx({ packageId: id }))).toMatchObject({
      code: 'invalid_status',
      message: expect.stringContaining('build-cancel-tx') as string,
    });
    expect(await refusalOf(shipper.client.buildCloseTx({ packageId: id }))).toMatchObject({ code: 'invalid_status' });
    const before = await balance(service.current, shipper.pubkey);
    await signAndSend(service.current, shipper, await shipper.client.buildCancelTx({ packageId: id }), 'cancelPackage');
    expect(await balance(service.current, shipper.pubkey)).toBe(before + 500_000_000n + EMPTY_RENT - FEE);
  });

  test('in transit, can neither be cancelled nor closed nor yet reclaimed, and is told from when on it can (S-24)', async () => {
    const { parcel, shipper } = await formedPackage(service.current, [['zoo', 'ostkreuz', 0.1]]);
    const deadline = parcel.deadline.toISOString();
    for (const call of [shipper.client.buildCancelTx, shipper.client.buildReclaimTx]) {
      expect(await refusalOf(call({ packageId: parcel.id }))).toMatchObject({
        status: 409,
        code: 'invalid_status',
        fields: ['packageId'],
        message: expect.stringContaining(deadline) as string,
      });
    }
    expect(await refusalOf(shipper.client.buildCloseTx({ packageId: parcel.id }))).toMatchObject({
      code: 'invalid_status',
      message: expect.stringContaining('in_transit') as string,
    });
  });

  test('delivered, returns most of the rent of its account and has nothing to cancel or reclaim', async () => {
    const market = await formedPackage(service.current, [['zoo', 'ostkreuz', 0.1]]);
    await confirmAll(service.current, market);
    const { id, onChainPackage } = await untilPackage(
      service.current,
      market.parcel.id,
      ({ status }) => status === 'delivered',
    );
    const { client } = market.shipper;
    for (const call of [client.buildCancelTx, client.buildReclaimTx]) {
      expect(await refusalOf(call({ packageId: id }))).toMatchObject({
        code: 'invalid_status',
        message: expect.stringContaining('delivered') as string,
      });
    }
    const [before, rent] = await Promise.all([
      balance(service.current, market.shipper.pubkey),
      balance(service.current, onChainPackage),
    ]);
    await signAndSend(service.current, market.shipper, await client.buildCloseTx({ packageId: id }), 'closePackage');
    expect(await balance(service.current, market.shipper.pubkey)).toBe(before + rent - EMPTY_RENT - FEE);
  });

  test('that the coordinator funded is cancelled by its shipper to the coordinator, who alone closes it', async () => {
    const shipper = await service.current.party(1);
    const coordinator = service.current.server.coordinatorPubkey;
    const { id, onChainVault } = await shipper.client.postSponsored({ ...draft(), shipperPubkey: shipper.pubkey });
    const [own, vault] = await Promise.all([
      balance(service.current, shipper.pubkey),
      balance(service.current, onChainVault),
    ]);
    expect(vault).toBe(500_000_000n + EMPTY_RENT);
    const built = await shipper.client.buildCancelTx({ packageId: id });
    const sent = await signAndSend(service.current, shipper, built, 'cancelPackage');
    expect(await received(service.current, sent, coordinator)).toBe(vault);
    expect(await balance(service.current, shipper.pubkey)).toBe(own - FEE);
    await untilPackage(service.current, id, ({ status }) => status === 'failed');
    expect(await refusalOf(shipper.client.buildCloseTx({ packageId: id }))).toMatchObject({
      status: 409,
      code: 'invalid_status',
      message: expect.stringContaining(coordinator) as string,
    });
  });

  test('does not exist as long as it is a draft', async () => {
    const { client, pubkey } = await service.current.party(0);
    const { packageId } = await client.buildListTx({ ...draft(), shipperPubkey: pubkey });
    for (const unknown of [packageId, createUuid()]) {
      for (const call of [client.buildCancelTx, client.buildReclaimTx, client.buildCloseTx]) {
        expect(await refusalOf(call({ packageId: unknown }))).toMatchObject({ status: 404, fields: ['packageId'] });
      }
    }
  });
});

/** The ledger's clock only goes forward: what these need it to be, the others could not list at. */
describe('a package whose deadline has passed', () => {
  const service = withService();

  test('(P-54 to P-56) is reclaimed by its shipper, who gets what was not paid; each courier keeps what it earned', async () => {
    const market = await formedPackage(service.current, [
      ['zoo', 'hauptbahnhof', 0.03],
      ['hauptbahnhof', 'ostkreuz', 0.05],
    ]);
    const complete = await formedPackage(service.current, [['zoo', 'ostkreuz', 0.1]]);
    await hold(service.current, complete.parcel.id);
    await confirmAll(service.current, complete);
    const { parcel, shipper, couriers } = market;
    const swarm = parcel.swarm;
    if (!swarm) throw new Error('a package in transit without a swarm');
    const first = { ...market, parcel: { ...parcel, swarm: { ...swarm, legs: swarm.legs.slice(0, 1) } } };
    // The second courier takes over; the parcel never arrives.
    await confirmAll(service.current, { ...first, shipper: theFirst(couriers.slice(1)) });
    // The ledger's clock counts whole seconds, and may be one behind.
    await service.current.advanceTime(72 * 3_600 + 10);

    const accounts = [shipper.pubkey, service.current.server.coordinatorPubkey, parcel.onChainVault];
    const rented = [swarm.onChainSwarm, ...swarm.legs.map((leg) => leg.onChainLeg)];
    const balances = (of: string[]) => Promise.all(of.map((pubkey) => balance(service.current, pubkey)));
    const [before, rents] = await Promise.all([balances(accounts), balances(rented)]);
    const [own = 0n, coordinator = 0n, vault = 0n] = before;
    expect(vault).toBe(500_000_000n + EMPTY_RENT - 36_428_571n);
    const rent = rents.reduce((sum, one) => sum + one, 0n);

    const built = await shipper.client.buildReclaimTx({ packageId: parcel.id });
    const reclaimed = await signAndSend(service.current, shipper, built, 'reclaimPackage');
    expect(await balances(accounts)).toEqual([own + vault - FEE, coordinator + rent, 0n]);
    expect(await balances(rented)).toEqual(rented.map(() => 0n));
    const failed = await untilPackage(service.current, parcel.id, ({ status }) => status === 'failed');
    expect(failed).toMatchObject({ failureReason: 'reclaimed', endSignature: reclaimed, swarm: { status: 'failed' } });
    expect(failed.swarm?.legs.map(({ status }) => status)).toEqual(['completed', 'pending']);

    // Every leg of this one is completed, and only its settlement is missing.
    expect(await refusalOf(complete.shipper.client.buildReclaimTx({ packageId: complete.parcel.id }))).toMatchObject({
      code: 'invalid_status',
      message: expect.stringContaining('settled instead') as string,
    });
  });
});
