import { address, type Address } from '@solana/kit';
import { expect, test } from 'vitest';
import type { Ledger } from '@legwork/ledger';
import {
  advanceTime,
  clientOf,
  freshLedger,
  fundedSigner,
  rawCall,
  send,
  signTransfer,
  SOL,
  temporaryFolder,
} from './support/ledger.js';

const ledger = await freshLedger({}, 'file');
const client = clientOf(ledger);
const CONFIRMED = { commitment: 'confirmed', encoding: 'base64' } as const;

async function dataOf(sysvar: Address): Promise<Buffer> {
  const { value } = await client.rpc.getAccountInfo(sysvar, CONFIRMED).send();
  if (value === null) throw new Error(`${sysvar} is missing`);
  const minimum = await client.rpc.getMinimumBalanceForRentExemption(value.space).send();
  expect(value.lamports).toBe(minimum);
  return Buffer.from(value.data[0], 'base64');
}

test('[L-28] SlotHashes and RecentBlockhashes hold the blockhashes of the latest slots, newest first', async () => {
  await advanceTime(ledger, { slots: 1_000 });
  const hashes = await dataOf(address('SysvarS1otHashes111111111111111111111111111'));
  const blockhashes = await dataOf(address('SysvarRecentB1ockHashes11111111111111111111'));
  expect(hashes.length).toBe(20_488);
  expect(hashes.readBigUInt64LE(0)).toBe(512n);
  expect(blockhashes.length).toBe(6_008);
  expect(blockhashes.readBigUInt64LE(0)).toBe(150n);
  const slots = Array.from({ length: 512 }, (_, index) => hashes.readBigUInt64LE(8 + 40 * index));
  expect(slots.every((slot, index) => slot === (slots[0] ?? 0n) - BigInt(index))).toBe(true);
  expect(
    new Set(Array.from({ length: 512 }, (_, index) => hashes.toString('hex', 16 + 40 * index, 48 + 40 * index))).size,
  ).toBe(512);
});

test('[L-28] SlotHistory says that each slot so far has a block', async () => {
  const { slot } = await advanceTime(ledger, { slots: 3 });
  const history = await dataOf(address('SysvarS1otHistory11111111111111111111111111'));
  const next = Number(history.readBigUInt64LE(history.length - 8));
  expect(next).toBeGreaterThan(slot);
  const has = (one: number): boolean => ((history[9 + Math.floor(one / 8)] ?? 0) & (1 << (one % 8))) !== 0;
  expect(Array.from({ length: next }, (_, one) => has(one)).every(Boolean)).toBe(true);
  expect(has(next)).toBe(false);
});

test('[L-84] what comes with the ledger has the lamports, size and rent epoch of a test validator', async () => {
  const expected = {
    So11111111111111111111111111111111111111112: { lamports: 1_000_000_000, rentEpoch: 1, space: 82 },
    TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA: { lamports: 1_141_440, rentEpoch: 2 ** 64, space: 36 },
    StakeConfig11111111111111111111111111111111: {
      lamports: 960_480,
      rentEpoch: 0,
      space: 10,
      data: ['AAAAAAAAANA/DA==', 'base64'],
    },
    SysvarStakeHistory1111111111111111111111111: { lamports: 114_979_200, rentEpoch: 0, space: 16_392 },
    SysvarEpochRewards1111111111111111111111111: { lamports: 1_454_640, rentEpoch: 2 ** 64, space: 81 },
    ZkTokenProof1111111111111111111111111111111: { lamports: 1, rentEpoch: 0, space: 22, executable: true },
  };
  const config = { encoding: 'base64', commitment: 'confirmed' };
  const { result } = await rawCall(ledger, 'getMultipleAccounts', [Object.keys(expected), config]);
  expect(result).toMatchObject({ value: Object.values(expected) });
});

test('[L-68] [L-84] wrapped SOL that somebody adds to counts once, over restarts', async () => {
  const dataDir = temporaryFolder();
  const supply = async (of: Ledger): Promise<unknown> =>
    (await rawCall(of, 'getSupply', [{ commitment: 'confirmed', excludeNonCirculatingAccountsList: true }])).result;
  const first = await freshLedger({ dataDir });
  const client = clientOf(first);
  const payer = await fundedSigner(client);
  await send(client, await signTransfer(client, payer, address('So11111111111111111111111111111111111111112'), SOL));
  const before = (await supply(first)) as { value: unknown };
  await first.close();
  expect(await supply(await freshLedger({ dataDir }))).toMatchObject({ value: before.value });
});

test('[L-18] programs, sysvars and wrapped SOL that come with the ledger are listed by their owner', async () => {
  const listed = async (owner: string): Promise<string[]> => {
    const config = { encoding: 'base64', commitment: 'confirmed', dataSlice: { offset: 0, length: 0 } };
    const { result } = await rawCall(ledger, 'getProgramAccounts', [owner, config]);
    return (result as { pubkey: string }[]).map(({ pubkey }) => pubkey);
  };
  expect(await listed('NativeLoader1111111111111111111111111111111')).toContain('11111111111111111111111111111111');
  expect(await listed('BPFLoader2111111111111111111111111111111111')).toContain(
    'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  );
  expect(await listed('Sysvar1111111111111111111111111111111111111')).toContain(
    'SysvarC1ock11111111111111111111111111111111',
  );
  expect(await listed('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')).toEqual([
    'So11111111111111111111111111111111111111112',
  ]);
});
