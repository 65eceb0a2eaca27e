import { cancelPackage, reclaimPackage } from '@legwork/sdk';
import { address } from '@solana/kit';
import { expect, test } from 'vitest';
import { draft, formedPackage } from '../support/market.js';
import { withService } from '../support/service.js';
import { onceFinal } from '../support/onceFinal.js';
import { listPackage } from '../support/listed.js';

const service = withService();

async function balance(pubkey: string): Promise<bigint> {
  const { value } = await service.current.rpc.getBalance(address(pubkey), { commitment: 'confirmed' }).send();
  return value;
}

test('(M-9) cancelPackage returns the escrow and waits until the service shows it; repeated, it answers the same', async () => {
  const { rpc } = service.current;
  const { client, signer, pubkey } = await service.current.party();
  const listed = await listPackage(client, signer, draft());
  const before = await balance(pubkey);
  const cancelled = await cancelPackage(client, rpc, signer, listed.id);
  expect(cancelled).toMatchObject({ id: listed.id, status: 'failed', failureReason: 'cancelled' });
  expect(await balance(listed.onChainVault)).toBe(0n);
  const after = await balance(pubkey);
  expect(after - before).toBeGreaterThan(499_000_000n);
  expect(cancelled).toMatchObject({ open: null, signature: expect.any(String) as string });
  expect(onceFinal(cancelled)).toMatchObject(onceFinal(await cancelPackage(client, rpc, signer, listed.id)));
  expect(await balance(pubkey)).toBe(after);
});

test('(M-9) a package under way is not cancelled; after its deadline reclaimPackage returns what is left', async () => {
  const { rpc } = service.current;
  const { parcel, shipper } = await formedPackage(service.current, [['zoo', 'ostkreuz', 0.1]]);
  const end = [shipper.client, rpc, shipper.signer, parcel.id] as const;
  await expect(cancelPackage(...end)).rejects.toMatchObject({ code: 'invalid_status' });
  await expect(reclaimPackage(...end)).rejects.toMatchObject({ code: 'invalid_status' });
  await service.current.advanceTime(72 * 3_600 + 60);
  const before = await balance(shipper.pubkey);
  const reclaimed = await reclaimPackage(...end);
  expect(reclaimed).toMatchObject({ status: 'failed', failureReason: 'reclaimed' });
  expect((await balance(shipper.pubkey)) - before).toBeGreaterThan(499_000_000n);
  await expect(cancelPackage(...end)).rejects.toMatchObject({ code: 'invalid_status' });
});
