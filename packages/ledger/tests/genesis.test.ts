import type { Genesis } from '@legwork/ledger';
import { expect, test } from 'vitest';
import {
  balanceOf,
  clientOf,
  FEE,
  freshLedger,
  newAddress,
  send,
  signTransfer,
  SOL,
  temporaryFolder,
} from './support/ledger.js';

test('a genesis funds its keypairs once, and prepares the ledger at every start, before it serves', async () => {
  const dataDir = temporaryFolder();
  const seen: bigint[] = [];
  const genesis: Genesis<'rich' | 'poor'> = {
    funds: { rich: 5n * SOL, poor: 0n },
    async prepare({ rpc, keypairs, nextSlot }) {
      const { value } = await rpc.getBalance(keypairs.rich.signer.address, { commitment: 'confirmed' }).send();
      seen.push(value);
      const slot = await rpc.getSlot({ commitment: 'processed' }).send();
      await nextSlot();
      expect(await rpc.getSlot({ commitment: 'processed' }).send()).toBeGreaterThan(slot);
    },
  };
  const first = await freshLedger({ dataDir, genesis });
  const { rich, poor } = first.keypairs;
  const client = clientOf(first);
  expect(await balanceOf(client, poor.signer.address)).toBe(0n);
  await send(client, await signTransfer(client, rich.signer, await newAddress(), 4n * SOL));
  await first.close();
  const second = await freshLedger({ dataDir, genesis });
  expect(second.keypairs.rich.signer.address).toBe(rich.signer.address);
  expect(seen).toEqual([5n * SOL, SOL - FEE]);
});
