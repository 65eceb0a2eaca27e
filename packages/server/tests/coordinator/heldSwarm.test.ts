import {
  configAddress,
  getAssignLegInstruction,
  getFormSwarmInstruction,
  legAddress,
  reputationAddress,
  swarmAddress,
} from '@legwork/program-client';
import { cancelPackage, type PackageDetail, reclaimPackage } from '@legwork/sdk';
import { address, generateKeyPairSigner } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { auditOf, linesOf } from '../audit/scene.js';
import { refusalOf } from '../support/sdkRefusal.js';
import { hold, letGo } from '../support/holdIntents.js';
import { bidInput, draft, untilPackage } from '../support/market.js';
import { type Party, type TestService, withService } from '../support/service.js';
import { untilQuiet } from '../support/snapshot.js';
import { land, signed } from '../support/transactions.js';
import { coordinatorSigner, lamportsOf, swarmsOf } from './scene.js';
import { listPackage } from '../support/listed.js';

const FEE = 5_000n;
const EMPTY_RENT = 890_880n;
const service = withService();

/** Forms a swarm of one lamport with the coordinator's key and without the service; `assigned`: gives its leg to a wallet. */
async function formElsewhere(current: TestService, parcel: PackageDetail, assigned: boolean): Promise<void> {
  const to = { programAddress: address(current.server.programId) };
  const coordinator = await coordinatorSigner(current);
  const [config, listing] = [await configAddress(to.programAddress), address(parcel.onChainPackage)];
  const swarm = await swarmAddress(to.programAddress, listing);
  const shared = { coordinator, config, package: listing, swarm };
  const { address: courier } = await generateKeyPairSigner();
  const leg = await legAddress(to.programAddress, swarm, 0);
  const reputation = await reputationAddress(to.programAddress, courier);
  const form = getFormSwarmInstruction({ ...shared, totalLegs: 1, totalLamports: 1n }, to);
  const assign = getAssignLegInstruction({ ...shared, leg, courier, reputation, index: 0, paymentLamports: 1n }, to);
  await land(current, await signed(current, [coordinator], assigned ? [form, assign] : [form]));
}

async function listed(): Promise<{ shipper: Party; parcel: PackageDetail }> {
  const shipper = await service.current.party();
  return { shipper, parcel: await listPackage(shipper.client, shipper.signer, draft()) };
}

describe('a swarm that somebody with the key of the coordinator left forming', () => {
  test('[P-54] [M-9] its shipper reclaims the package at once, and the mirror follows', async () => {
    const { shipper, parcel } = await listed();
    await formElsewhere(service.current, parcel, false);
    const { client, signer } = shipper;
    expect(await refusalOf(cancelPackage(client, service.current.rpc, signer, parcel.id))).toMatchObject({
      status: 409,
      code: 'invalid_status',
      message: expect.stringContaining('build-reclaim-tx') as string,
    });
    const before = await lamportsOf(service.current, shipper.pubkey);

    const failed = await reclaimPackage(client, service.current.rpc, signer, parcel.id);

    expect(failed).toMatchObject({ status: 'failed', failureReason: 'reclaimed' });
    expect(await lamportsOf(service.current, shipper.pubkey)).toBe(before + 500_000_000n + EMPTY_RENT - FEE);
    await untilQuiet(service.current);
    expect(linesOf((await auditOf(service.current)).differences)).toEqual([]);
  });

  test('[P-54] [M-9] it is reclaimed also while a swarm of the service waits to be formed', async () => {
    const { shipper, parcel } = await listed();
    await hold(service.current, parcel.id);
    const courier = await service.current.party(1);
    await courier.client.submitBid(bidInput(courier, parcel.id, 'zoo', 'ostkreuz', 0.1));
    await untilPackage(service.current, parcel.id, ({ status }) => status === 'swarm_forming');
    await formElsewhere(service.current, parcel, false);

    await reclaimPackage(shipper.client, service.current.rpc, shipper.signer, parcel.id);
    await letGo(service.current, parcel.id);
    await untilQuiet(service.current);

    const failed = await untilPackage(service.current, parcel.id, ({ status }) => status === 'failed');
    expect(failed).toMatchObject({ failureReason: 'reclaimed' });
    expect(await swarmsOf(service.current, parcel.id)).toMatchObject([{ status: 'failed' }]);
    const { differences, notes } = await auditOf(service.current);
    expect(linesOf(differences)).toEqual([]);
    expect(linesOf(notes)).toContainEqual(
      expect.stringContaining(
        `package ${parcel.id}: formation 1 was begun elsewhere and reclaimed before it was complete`,
      ),
    );
  });

  test('[P-54] a package that is in transit elsewhere waits for its deadline', async () => {
    const { shipper, parcel } = await listed();
    await formElsewhere(service.current, parcel, true);
    expect(await refusalOf(shipper.client.buildReclaimTx({ packageId: parcel.id }))).toMatchObject({
      status: 409,
      code: 'invalid_status',
      message: expect.stringContaining(parcel.deadline.toISOString()) as string,
    });
    await service.current.advanceTime(72 * 3_600 + 10);
    const failed = await reclaimPackage(shipper.client, service.current.rpc, shipper.signer, parcel.id);
    expect(failed).toMatchObject({ status: 'failed', failureReason: 'reclaimed' });
  });
});
