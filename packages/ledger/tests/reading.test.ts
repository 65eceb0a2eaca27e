import { generateKeyPairSigner, type Address, type Base58EncodedBytes, type KeyPairSigner } from '@solana/kit';
import { getCreateAccountInstruction } from '@solana-program/system';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  advanceTime,
  balanceOf,
  clientOf,
  freshLedger,
  fundedSigner,
  latestLifetime,
  newAddress,
  rawCall,
  send,
  signTransaction,
  signTransfer,
  SOL,
  SYSTEM_PROGRAM,
} from './support/ledger.js';

const ledger = await freshLedger({}, 'file');
const client = clientOf(ledger);
const confirmed = { commitment: 'confirmed' } as const;
/** Its data begins with the rent of a byte, 6,960 lamports, as a 64-bit integer. */
const RENT = 'SysvarRent111111111111111111111111111111111';

async function createAccount(payer: KeyPairSigner, programAddress: Address, space: number): Promise<Address> {
  const newAccount = await generateKeyPairSigner();
  const instruction = getCreateAccountInstruction({ payer, newAccount, lamports: SOL, space, programAddress });
  await send(client, await signTransaction(client, payer, [instruction]));
  return newAccount.address;
}

describe('accounts', () => {
  test('[L-19] the rent epoch, 2^64 - 1, keeps every digit on the wire', async () => {
    const { address } = await fundedSigner(client);
    const body = { jsonrpc: '2.0', id: 1, method: 'getAccountInfo', params: [address, confirmed] };
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(ledger.rpcUrl, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(await response.text()).toContain('"rentEpoch":18446744073709551615');
  });

  test('[L-20] data comes in base58, base64 and, unparsed, jsonParsed', async () => {
    const slice = { dataSlice: { offset: 0, length: 4 } };
    const unparsed = await createAccount(await fundedSigner(client), await newAddress(), 8);
    const read = async (config: object, account: Address | typeof RENT = RENT): Promise<unknown> => {
      const { result } = await rawCall(ledger, 'getAccountInfo', [account, { ...confirmed, ...config }]);
      return (result as { value: { data: unknown } }).value.data;
    };
    expect(await read({ encoding: 'base64', ...slice })).toEqual(['MBsAAA==', 'base64']);
    expect(await read({ encoding: 'base58', ...slice })).toEqual(['2EKUXh', 'base58']);
    expect(await read({ ...slice })).toBe('2EKUXh');
    expect(await read({ encoding: 'jsonParsed', ...slice }, unparsed)).toEqual(['AAAAAA==', 'base64']);
  });

  test('[L-20] base64+zstd gives a zstd frame of the data', async () => {
    const config = { ...confirmed, encoding: 'base64+zstd', dataSlice: { offset: 0, length: 4 } };
    const { result } = await rawCall(ledger, 'getAccountInfo', [RENT, config]);
    const [text, encoding] = (result as { value: { data: [string, string] } }).value.data;
    expect(encoding).toBe('base64+zstd');
    const frame = Buffer.from(text, 'base64');
    expect(frame.readUInt32LE(0)).toBe(0xfd2fb528);
    // Four bytes are stored as they are, by whichever writer.
    expect(frame.includes(Buffer.from([0x30, 0x1b, 0, 0]))).toBe(true);
  });

  test('[L-20] base58 is refused for long data', async () => {
    const long = await createAccount(await fundedSigner(client), await newAddress(), 129);
    const { error } = await rawCall(ledger, 'getAccountInfo', [long, { ...confirmed, encoding: 'base58' }]);
    expect(error?.code).toBe(-32600);
  });

  test('[L-15] several accounts are read at once, missing ones as null', async () => {
    const one = await fundedSigner(client, SOL);
    const { value } = await client.rpc
      .getMultipleAccounts([one.address, await newAddress(), SYSTEM_PROGRAM], { ...confirmed, encoding: 'base64' })
      .send();
    expect(value[0]?.lamports).toBe(SOL);
    expect(value[1]).toBeNull();
    expect(value[2]?.executable).toBe(true);
  });

  test('[L-15] the finalized state is the one of 32 slots ago', async () => {
    const payer = await fundedSigner(client);
    const recipient = await newAddress();
    const finalized = async (): Promise<bigint> =>
      (await client.rpc.getBalance(recipient, { commitment: 'finalized' }).send()).value;
    await send(client, await signTransfer(client, payer, recipient, SOL));
    await advanceTime(ledger, { slots: 1 });
    await send(client, await signTransfer(client, payer, recipient, 2n * SOL));
    expect(await balanceOf(client, recipient)).toBe(3n * SOL);
    expect(await finalized()).toBe(0n);
    await advanceTime(ledger, { slots: 40 });
    expect(await finalized()).toBe(3n * SOL);
  });

  test('[L-15] a context slot in the future is refused', async () => {
    const { error } = await rawCall(ledger, 'getBalance', [await newAddress(), { minContextSlot: 2 ** 40 }]);
    expect(error).toMatchObject({ code: -32016, data: { contextSlot: expect.any(Number) } });
  });

  test('[L-13] the rent-exempt minimum is the one of a cluster', async () => {
    expect(await client.rpc.getMinimumBalanceForRentExemption(0n).send()).toBe(890_880n);
    expect(await client.rpc.getMinimumBalanceForRentExemption(165n).send()).toBe(2_039_280n);
  });
});

async function programAccountsOf(program: Address, filters: readonly object[], config: object = {}): Promise<string[]> {
  const { result } = await rawCall(ledger, 'getProgramAccounts', [
    program,
    { ...confirmed, encoding: 'base64', filters, ...config },
  ]);
  return (result as { pubkey: string }[]).map((one) => one.pubkey);
}

describe('accounts of a program', () => {
  let program: Address;
  let small: Address;
  let large: Address;

  beforeAll(async () => {
    program = await newAddress();
    const payer = await fundedSigner(client);
    small = await createAccount(payer, program, 3);
    large = await createAccount(payer, program, 5);
  });

  test('[L-18] all are found, and only they', async () => {
    expect((await programAccountsOf(program, [])).sort()).toEqual([small, large].sort());
    expect(await programAccountsOf(await newAddress(), [])).toEqual([]);
  });

  test('[L-18] dataSize and memcmp must both hold', async () => {
    const zeros = '111' as Base58EncodedBytes;
    expect(await programAccountsOf(program, [{ dataSize: 3 }])).toEqual([small]);
    expect(await programAccountsOf(program, [{ dataSize: 5 }, { memcmp: { offset: 2, bytes: zeros } }])).toEqual([
      large,
    ]);
    expect(await programAccountsOf(program, [{ memcmp: { offset: 1, bytes: zeros } }])).toEqual([large]);
    expect(await programAccountsOf(program, [{ memcmp: { offset: 0, bytes: 'AQ==', encoding: 'base64' } }])).toEqual(
      [],
    );
  });

  test('[L-18] data can be sliced and the context asked for', async () => {
    const { context, value } = await client.rpc
      .getProgramAccounts(program, {
        ...confirmed,
        encoding: 'base64',
        dataSlice: { offset: 0, length: 2 },
        filters: [{ dataSize: 3n }],
        withContext: true,
      })
      .send();
    expect(context.slot).toBeGreaterThan(0n);
    expect(value).toHaveLength(1);
    expect(value[0]?.account).toMatchObject({ data: ['AAA=', 'base64'], space: 3n });
  });

  test('[L-18] of a token program, what is compared with owner or mint has to be an address', async () => {
    const ask = async (owner: string, offset: number) => {
      const config = { filters: [{ memcmp: { offset, bytes: 'AQ==', encoding: 'base64' } }] };
      return (await rawCall(ledger, 'getProgramAccounts', [owner, config])).error?.message;
    };
    const tokens = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
    expect(await ask(tokens, 0)).toBe('Incorrect byte length 1 for SPL token mint filter, expected 32');
    expect(await ask(tokens, 32)).toBe('Incorrect byte length 1 for SPL token owner filter, expected 32');
    expect([await ask(tokens, 1), await ask(program, 0)]).toEqual([undefined, undefined]);
  });

  test('[L-18] an unknown filter is refused with its name', async () => {
    const { error } = await rawCall(ledger, 'getProgramAccounts', [program, { filters: [{ color: 1 }] }]);
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('unknown variant `color`') });
  });
});

describe('the node', () => {
  // Some of it is told of the last 150 slots.
  beforeAll(() => advanceTime(ledger, { slots: 200 }));

  test('[L-6] a blockhash is valid for 150 blocks, then no more', async () => {
    // Of slots that do not pass by themselves meanwhile.
    const slow = await freshLedger({ slotMs: 60_000 });
    const slowClient = clientOf(slow);
    const payer = await fundedSigner(slowClient, 1_000n * SOL);
    const lifetime = await latestLifetime(slowClient);
    const height = await slowClient.rpc.getBlockHeight(confirmed).send();
    expect(lifetime.lastValidBlockHeight - height).toBe(150n);
    await advanceTime(slow, { slots: 150 });
    await send(slowClient, await signTransfer(slowClient, payer, await newAddress(), SOL, { lifetime }));
    expect((await slowClient.rpc.isBlockhashValid(lifetime.blockhash, confirmed).send()).value).toBe(true);
    await advanceTime(slow, { slots: 1 });
    expect(await slowClient.rpc.getBlockHeight(confirmed).send()).toBe(lifetime.lastValidBlockHeight + 1n);
    expect((await slowClient.rpc.isBlockhashValid(lifetime.blockhash, confirmed).send()).value).toBe(false);
    const late = await signTransfer(slowClient, payer, await newAddress(), SOL, { lifetime });
    await expect(send(slowClient, late)).rejects.toThrow(/simulation failed|preflight/i);
    await send(slowClient, late, { skipPreflight: true });
    expect((await slowClient.rpc.getSignatureStatuses([late.signature]).send()).value).toEqual([null]);
  });

  test('[L-2] tells its genesis hash, health, version and identity', async () => {
    expect(await client.rpc.getGenesisHash().send()).toBe(ledger.genesisHash);
    expect(await client.rpc.getHealth().send()).toBe('ok');
    expect((await client.rpc.getVersion().send())['solana-core']).toMatch(/^\d+\.\d+\.\d+$/);
    expect((await client.rpc.getIdentity().send()).identity).toMatch(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/);
    expect(await client.rpc.getFirstAvailableBlock().send()).toBe(0n);
    expect(await client.rpc.minimumLedgerSlot().send()).toBe(0n);
    expect(await client.rpc.getRecentPrioritizationFees().send()).toHaveLength(150);
  });

  test('[L-5] slot, height, epoch and block times agree', async () => {
    const slot = await client.rpc.getSlot(confirmed).send();
    const info = await client.rpc.getEpochInfo(confirmed).send();
    expect(info.absoluteSlot).toBeGreaterThanOrEqual(slot);
    expect(info.blockHeight).toBe(info.absoluteSlot);
    expect(info.epoch * info.slotsInEpoch + info.slotIndex).toBe(info.absoluteSlot);
    const early = await client.rpc.getBlockTime(slot - 100n).send();
    const late = await client.rpc.getBlockTime(slot).send();
    expect([39n, 40n, 41n]).toContain(late - early);
    expect((await rawCall(ledger, 'getBlockTime', [2 ** 40])).error?.code).toBe(-32004);
  });

  test('counts transactions', async () => {
    const before = await client.rpc.getTransactionCount().send();
    await fundedSigner(client);
    expect(await client.rpc.getTransactionCount().send()).toBe(before + 1n);
  });
});
