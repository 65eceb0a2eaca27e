import { getCancelPackageInstruction, findPackagePda } from '@legwork/program-client';
import { uuidToBytes } from '@legwork/protocol/contract';
import { createNoopSigner, createSolanaRpc, generateKeyPairSigner } from '@solana/kit';
import type { Address } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { cancelPackage, createRelayClient, reclaimPackage, TransactionRefusedError } from '../src/index.js';
import { startOutsideService } from './support/outsideService.js';
import { config } from './support/serviceConfig.js';
import { PROGRAM, SOME_ADDRESS, wire } from './support/transactions.js';

const PACKAGE_ID = '01900000-0000-7000-8000-000000000001';
const OTHER_ID = '01900000-0000-7000-8000-000000000002';
const shipper = await generateKeyPairSigner();
const nowhere = createSolanaRpc('http://127.0.0.1:1');

async function cancelling(signer: Address, shippedBy: Address, packageId: string): Promise<string> {
  const seeds = { shipper: shippedBy, packageId: uuidToBytes(packageId) };
  const [parcel] = await findPackagePda(seeds, { programAddress: PROGRAM });
  const accounts = { config: SOME_ADDRESS, package: parcel, vault: SOME_ADDRESS, funder: SOME_ADDRESS };
  const instruction = getCancelPackageInstruction(
    { signer: createNoopSigner(signer), ...accounts },
    { programAddress: PROGRAM },
  );
  return wire(signer, [instruction]);
}

/** A service that answers every request to build something with this transaction. */
async function clientOf(transaction: string) {
  const built = { packageId: PACKAGE_ID, signerPubkey: shipper.address, blockhash: 'x', lastValidBlockHeight: 1 };
  const service = await startOutsideService(({ path }) => ({
    json: path === '/config' ? config : { ...built, transaction },
  }));
  return createRelayClient({ url: service.url });
}

describe('ending a package', () => {
  test("signs what ends this very package of this wallet: only the ledger's absence stops it", async () => {
    const client = await clientOf(await cancelling(shipper.address, shipper.address, PACKAGE_ID));
    const call = cancelPackage(client, nowhere, shipper, PACKAGE_ID);
    await expect(call).rejects.not.toThrow(TransactionRefusedError);
  });

  test.each([
    ['another package', () => cancelling(shipper.address, shipper.address, OTHER_ID)],
    ["another shipper's package", () => cancelling(shipper.address, SOME_ADDRESS, PACKAGE_ID)],
    ['another signer', () => cancelling(SOME_ADDRESS, shipper.address, PACKAGE_ID)],
  ])('refuses a transaction for %s', async (_what, build) => {
    const call = cancelPackage(await clientOf(await build()), nowhere, shipper, PACKAGE_ID);
    await expect(call).rejects.toThrow(TransactionRefusedError);
  });

  test('refuses a cancellation in the place of a reclaim', async () => {
    const client = await clientOf(await cancelling(shipper.address, shipper.address, PACKAGE_ID));
    const call = reclaimPackage(client, nowhere, shipper, PACKAGE_ID);
    await expect(call).rejects.toThrow(/expected reclaimPackage/);
  });
});
