import { address, getBase58Decoder, getBase58Encoder, type Address } from '@solana/kit';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  advanceTime,
  balanceOf,
  clientOf,
  FEE,
  freshLedger,
  fundedSigner,
  newAddress,
  rawCall,
  rawPost,
  send,
  signTransaction,
  signTransfer,
  SOL,
  SYSTEM_PROGRAM,
  temporaryFolder,
} from './support/ledger.js';

const ledger = await freshLedger({}, 'file');
const client = clientOf(ledger);

const MEMO = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
const TOKEN = address('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
const TOKEN_2022 = address('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb');
const NATIVE_MINT = address('So11111111111111111111111111111111111111112');
const CLOCK = address('SysvarC1ock11111111111111111111111111111111');
const LOADER_V2 = address('BPFLoader2111111111111111111111111111111111');
const LOADER_V3 = address('BPFLoaderUpgradeab1e11111111111111111111111');

type Shown = {
  readonly lamports: number;
  readonly owner: string;
  readonly executable: boolean;
  readonly data: [string, string];
};

async function accountOf(of: Address, on = ledger, commitment = 'confirmed'): Promise<Shown | null> {
  const { result } = await rawCall(on, 'getAccountInfo', [of, { commitment, encoding: 'base64' }]);
  return (result as { readonly value: Shown | null }).value;
}

async function dataOf(of: Address): Promise<Buffer> {
  return Buffer.from((await accountOf(of))?.data[0] ?? '', 'base64');
}

async function set(of: Address, update: object, on = ledger): Promise<void> {
  const { result, error } = await rawCall(on, 'surfnet_setAccount', [of, update]);
  if (error !== undefined) throw new Error(error.message);
  expect(result).toMatchObject({ context: { slot: expect.any(Number) }, value: null });
}

/** A token account's mint, owner, amount, delegate, state and close authority. */
function unpack(data: Buffer) {
  const key = (at: number) => getBase58Decoder().decode(data.subarray(at, at + 32));
  const option = (at: number) => (data.readUInt32LE(at) === 0 ? null : key(at + 4));
  return {
    mint: key(0),
    owner: key(32),
    amount: data.readBigUInt64LE(64),
    delegate: option(72),
    state: data.readUInt8(108),
    delegatedAmount: data.readBigUInt64LE(121),
    closeAuthority: option(129),
  };
}

async function tokenAccountOf(owner: Address, mint: Address, program: Address = TOKEN): Promise<Address> {
  const { getProgramDerivedAddress } = await import('@solana/kit');
  const seeds = [owner, program, mint].map((one) => getBase58Encoder().encode(one));
  const programAddress = address('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');
  return (await getProgramDerivedAddress({ programAddress, seeds }))[0];
}

describe('surfnet_setAccount', () => {
  test('[L-75] sets what is given, and leaves the rest', async () => {
    const of = await newAddress();
    await set(of, { lamports: 5_000_000, data: '00ff10', owner: MEMO, rentEpoch: 7 });
    expect(await accountOf(of)).toEqual({
      lamports: 5_000_000,
      owner: MEMO,
      executable: false,
      data: ['AP8Q', 'base64'],
      rentEpoch: 7,
      space: 3,
    });
    await set(of, { lamports: 9_000_000, owner: null });
    expect(await accountOf(of)).toMatchObject({ lamports: 9_000_000, owner: MEMO, data: ['AP8Q', 'base64'] });
  });

  test('[L-75] a new account has the rent-exempt minimum unless told otherwise', async () => {
    const of = await newAddress();
    await set(of, { data: '00'.repeat(165) });
    expect(await accountOf(of)).toMatchObject({ lamports: 2_039_280, owner: SYSTEM_PROGRAM });
  });

  test('[L-75] without lamports an account is gone', async () => {
    const { address: of } = await fundedSigner(client);
    await set(of, { lamports: 0 });
    expect(await accountOf(of)).toBeNull();
  });

  test('[L-75] lamports that were set can be spent', async () => {
    const signer = await fundedSigner(client);
    const recipient = await newAddress();
    await set(signer.address, { lamports: Number(3n * SOL) });
    await send(client, await signTransfer(client, signer, recipient, SOL));
    expect(await balanceOf(client, signer.address)).toBe(2n * SOL - FEE);
  });

  test('[L-75] a program that was set runs', async () => {
    const program = await newAddress();
    const codeOfMemo = await codeOf(MEMO);
    await set(program, { data: codeOfMemo, owner: LOADER_V2, executable: true });
    expect(await runMemo(program)).toBeNull();
  });

  test('[L-75] code that was set behind a program takes its place', async () => {
    const [program, code] = [await newAddress(), await newAddress()];
    const header = Buffer.alloc(45);
    header.writeUInt32LE(3, 0);
    const pointer = Buffer.concat([Buffer.from([2, 0, 0, 0]), Buffer.from(getBase58Encoder().encode(code))]);
    await set(program, { data: pointer.toString('hex'), owner: LOADER_V3, executable: true });
    expect(await runMemo(program)).not.toBeNull();
    await set(code, { data: header.toString('hex') + (await codeOf(MEMO)), owner: LOADER_V3 });
    expect(await runMemo(program)).toBeNull();
  });

  test('[L-75] tells subscribers, and becomes final as a transaction would', async () => {
    const of = await newAddress();
    const controller = new AbortController();
    onTestFinished(() => controller.abort());
    const seen = async (commitment: 'confirmed' | 'finalized') => {
      const notifications = await client.rpcSubscriptions
        .accountNotifications(of, { commitment })
        .subscribe({ abortSignal: controller.signal });
      const first = (async () => {
        for await (const { value } of notifications) return value.lamports;
        return undefined;
      })();
      return () => first;
    };
    const [confirmed, finalized] = [await seen('confirmed'), await seen('finalized')];
    await set(of, { lamports: 1234 });
    expect(await confirmed()).toBe(1234n);
    expect(await accountOf(of, ledger, 'finalized')).toBeNull();
    await advanceTime(ledger, { slots: 33 });
    expect(await finalized()).toBe(1234n);
    expect(await accountOf(of, ledger, 'finalized')).toMatchObject({ lamports: 1234 });
  });

  test('[L-75] is on disk', async () => {
    const dataDir = temporaryFolder();
    const first = await freshLedger({ dataDir });
    const [kept, gone] = [await newAddress(), await newAddress()];
    await set(kept, { lamports: 77, data: 'abcd' }, first);
    await set(gone, { lamports: 77 }, first);
    await set(gone, { lamports: 0 }, first);
    await first.close();
    const second = await freshLedger({ dataDir });
    expect(await accountOf(kept, second)).toMatchObject({ lamports: 77, data: ['q80=', 'base64'] });
    expect(await accountOf(gone, second)).toBeNull();
  });

  test.each([
    ['hex with an odd number of digits', { data: 'abc' }, /hex/],
    ['what is no hex', { data: 'zz' }, /hex/],
    ['a list of bytes', { data: [1, 2] }, /data is an array, expected a string/],
    ['too much data', { data: '00'.repeat(10 * 1024 * 1024 + 1) }, /10485761 bytes, expected at most 10485760/],
    ['lamports beyond 64 bits', { lamports: 1e30 }, /lamports/],
    ['negative lamports', { lamports: -1 }, /lamports/],
    ['an owner that is no address', { owner: 'nobody' }, /Invalid param/],
    ['executable as text', { executable: 'yes' }, /executable/],
    ['an account of the sysvars', { owner: 'Sysvar1111111111111111111111111111111111111' }, /is a sysvar/],
    ['a native program', { owner: 'NativeLoader1111111111111111111111111111111' }, /is a native program/],
    [
      'a program without code',
      { data: '00'.repeat(100), owner: LOADER_V2, executable: true },
      /cannot be set as it is/,
    ],
    ['a program of no loader', { owner: MEMO, executable: true }, /cannot be set as it is/],
  ])('[L-75] refuses %s and changes nothing', async (_, update, message) => {
    const of = await newAddress();
    await set(of, { lamports: 1000 });
    const before = await accountOf(of);
    const { error } = await rawCall(ledger, 'surfnet_setAccount', [of, update]);
    expect(error).toMatchObject({ code: -32602, message: expect.stringMatching(message) });
    expect(await accountOf(of)).toEqual(before);
  });

  test.each([CLOCK, SYSTEM_PROGRAM, address('Sysvar1nstructions1111111111111111111111111')])(
    '[L-75] never sets %s',
    async (of) => {
      const before = await accountOf(of);
      for (const [method, params] of [
        ['surfnet_setAccount', [of, { lamports: 1 }]],
        ['surfnet_resetAccount', [of]],
      ] as const) {
        expect((await rawCall(ledger, method, params)).error).toMatchObject({ code: -32602 });
      }
      const after = await accountOf(of);
      expect(after?.owner).toBe(before?.owner);
      expect(after?.lamports).toBe(before?.lamports);
    },
  );

  test('[L-75] a program that fails to load leaves the one before it running', async () => {
    const program = await newAddress();
    await set(program, { data: await codeOf(MEMO), owner: LOADER_V2, executable: true });
    const { error } = await rawCall(ledger, 'surfnet_setAccount', [program, { data: '00' }]);
    expect(error?.code).toBe(-32602);
    expect(await runMemo(program)).toBeNull();
  });
});

test('[L-75] a program that was removed is none, and may come back', async () => {
  const program = await newAddress();
  const code = { data: await codeOf(MEMO), owner: LOADER_V2, executable: true };
  await set(program, code);
  await rawCall(ledger, 'surfnet_resetAccount', [program]);
  expect(await runMemo(program)).toBe('ProgramAccountNotFound');
  // A memo, whose message names the former program for nothing.
  const keys = [(await fundedSigner(client)).address, MEMO, program].map((one) =>
    Buffer.from(getBase58Encoder().encode(one)),
  );
  const message = [Buffer.of(1, 0, 2, 3), ...keys, Buffer.alloc(32), Buffer.of(1, 1, 0, 2, 104, 105)];
  const wire = Buffer.concat([Buffer.of(1), Buffer.alloc(64), ...message]).toString('base64');
  const config = { encoding: 'base64', commitment: 'confirmed', replaceRecentBlockhash: true };
  expect((await rawCall(ledger, 'simulateTransaction', [wire, config])).result).toMatchObject({ value: { err: null } });
  await set(program, code);
  expect(await runMemo(program)).toBeNull();
});

/** The code of an upgradeable program, in hex. */
async function codeOf(program: Address): Promise<string> {
  const data = await dataOf(program);
  if (data.subarray(0, 4).toString('hex') === '7f454c46') return data.toString('hex');
  const code = await dataOf(getBase58Decoder().decode(data.subarray(4)) as Address);
  return code.subarray(45).toString('hex');
}

/** Why a memo by this program failed; null: it landed. */
async function runMemo(program: Address): Promise<unknown> {
  const payer = await fundedSigner(client);
  const memo = { programAddress: program, accounts: [], data: Buffer.from('hello') };
  const signature = await send(client, await signTransaction(client, payer, [memo]), { skipPreflight: true });
  const { value } = await client.rpc.getSignatureStatuses([signature]).send();
  return value[0] === null ? 'dropped' : value[0]?.err;
}

describe('surfnet_resetAccount', () => {
  test('[L-75] removes an account, and what it owns when told to', async () => {
    const [owner, owned] = [await newAddress(), await newAddress()];
    await set(owner, { lamports: 1000 });
    await set(owned, { lamports: 1000, owner });
    expect((await rawCall(ledger, 'surfnet_resetAccount', [owner])).result).toMatchObject({ value: null });
    expect(await accountOf(owner)).toBeNull();
    expect(await accountOf(owned)).not.toBeNull();
    await rawCall(ledger, 'surfnet_resetAccount', [owner, { includeOwnedAccounts: true }]);
    expect(await accountOf(owned)).toBeNull();
  });
});

describe('surfnet_setTokenAccount', () => {
  const setTokens = async (...params: unknown[]) => rawCall(ledger, 'surfnet_setTokenAccount', params);

  test('[L-76] makes the associated account, and sets what is given', async () => {
    const [owner, mint, delegate] = [await newAddress(), await newAddress(), await newAddress()];
    const { result } = await setTokens(owner, mint, {
      amount: 1000,
      delegate,
      delegatedAmount: 5,
      closeAuthority: owner,
    });
    expect(result).toMatchObject({ context: { slot: expect.any(Number) }, value: null });
    const of = await tokenAccountOf(owner, mint);
    expect(await accountOf(of)).toMatchObject({ owner: TOKEN, lamports: 2_039_280 });
    const made = { mint, owner, amount: 1000n, delegate, state: 1, delegatedAmount: 5n, closeAuthority: owner };
    expect(unpack(await dataOf(of))).toEqual(made);
    await setTokens(owner, mint, { state: 'frozen', delegate: 'null' });
    expect(unpack(await dataOf(of))).toEqual({ ...made, state: 2, delegate: null });
  });

  test('[L-76] of the other token program, when that is named', async () => {
    const [owner, mint] = [await newAddress(), await newAddress()];
    expect((await setTokens(owner, mint, { amount: 1 }, TOKEN_2022)).error).toBeUndefined();
    expect((await accountOf(await tokenAccountOf(owner, mint, TOKEN_2022)))?.owner).toBe(TOKEN_2022);
  });

  test('[L-76] wrapped SOL is backed by lamports', async () => {
    const owner = await newAddress();
    const of = await tokenAccountOf(owner, NATIVE_MINT);
    await setTokens(owner, NATIVE_MINT, { amount: 1_000_000_000 });
    expect((await accountOf(of))?.lamports).toBe(1_002_039_280);
    await setTokens(owner, NATIVE_MINT, { state: 'initialized' });
    expect((await accountOf(of))?.lamports).toBe(1_002_039_280);
  });

  test.each([
    ['a state that is none', { state: 'melted' }, TOKEN, /state/],
    ['an amount beyond 64 bits', { amount: 1e20 }, TOKEN, /amount/],
    ['a delegate that is no address', { amount: 1, delegate: 'x' }, TOKEN, /Invalid param/],
    ['a program that is no token program', { amount: 1 }, MEMO, /token programs/],
  ])('[L-76] refuses %s and changes nothing', async (_, update, program, message) => {
    const [owner, mint] = [await newAddress(), await newAddress()];
    const { error } = await setTokens(owner, mint, update, program);
    expect(error).toMatchObject({ code: -32602, message: expect.stringMatching(message) });
    expect(await accountOf(await tokenAccountOf(owner, mint))).toBeNull();
  });

  test('[L-76] refuses more wrapped SOL than 64 bits hold', async () => {
    const most = 18_446_744_073_709_551_615n;
    const body = `{"jsonrpc":"2.0","id":1,"method":"surfnet_setTokenAccount","params":["${await newAddress()}","${NATIVE_MINT}",{"amount":${most}}]}`;
    expect(await rawPost(ledger, body)).toMatchObject({ error: { code: -32602 } });
  });

  test('[L-76] refuses a mint of another program', async () => {
    const [owner, mint] = [await newAddress(), await newAddress()];
    await set(mint, { lamports: 1_000_000, owner: MEMO });
    expect((await setTokens(owner, mint, { amount: 1 })).error?.message).toMatch(/belongs to Memo.*expected Token/);
  });
});

describe('surfnet_timeTravel', async () => {
  // Slots so long that none ends while a test runs.
  const slow = await freshLedger({ slotMs: 60_000 }, 'file');
  const travel = async (...target: unknown[]) => rawCall(slow, 'surfnet_timeTravel', target);
  const epochInfo = async () => (await rawCall(slow, 'getEpochInfo', [{ commitment: 'processed' }])).result;
  const timeNow = async () => {
    const { absoluteSlot } = (await epochInfo()) as { readonly absoluteSlot: number };
    return (await rawCall(slow, 'getBlockTime', [absoluteSlot])).result as number;
  };

  test('[L-77] goes to a slot, an epoch, or a time, and answers like getEpochInfo', async () => {
    const { slot } = await advanceTime(slow, { slots: 1 });
    const { result } = await travel({ absoluteSlot: slot + 1000 });
    expect(result).toMatchObject({
      absoluteSlot: slot + 1000,
      epoch: 0,
      slotIndex: slot + 1000,
      slotsInEpoch: 432_000,
    });
    expect(result).toEqual(await epochInfo());
    expect((await travel({ absoluteEpoch: 2 })).result).toMatchObject({
      absoluteSlot: 864_000,
      epoch: 2,
      slotIndex: 0,
    });
    const wanted = (await timeNow()) * 1000 + 86_400_123;
    await travel({ absoluteTimestamp: wanted });
    expect(await timeNow()).toBeGreaterThanOrEqual(Math.floor(wanted / 1000));
    expect(await timeNow()).toBeLessThanOrEqual(Math.ceil(wanted / 1000) + 60);
  });

  test('[L-77] goes an hour ahead without a target', async () => {
    const before = await timeNow();
    await travel();
    expect(await timeNow()).toBeGreaterThanOrEqual(before + 3600);
  });

  test.each([
    ['a slot in the past', { absoluteSlot: 0 }, /past/],
    ['seconds taken for milliseconds', { absoluteTimestamp: 1_795_346_400 }, /past/],
    ['an epoch beyond all time', { absoluteEpoch: 1e12 }, /smaller steps/],
    ['two targets', { absoluteEpoch: 100, absoluteSlot: 50_000_000 }, /one of/],
    ['no known target', { slots: 5 }, /one of/],
    ['a number', 5, /expected an object/],
  ])('[L-5] [L-77] refuses %s and stays', async (_, target, message) => {
    await advanceTime(slow, { slots: 1 });
    const before = await epochInfo();
    const { error } = await travel(target);
    expect(error).toMatchObject({ code: -32602, message: expect.stringMatching(message) });
    expect(await epochInfo()).toEqual(before);
  });
});

test.each(['relay_advanceTime', 'surfnet_setAccount', 'surfnet_setTokenAccount', 'surfnet_timeTravel'])(
  '[L-75] %s is for ledgers that were started for tests',
  async (method) => {
    const plain = await freshLedger({ testing: false });
    const { error } = await rawCall(plain, method, [await newAddress(), {}]);
    expect(error).toMatchObject({ code: -32601, message: expect.stringContaining('--testing') });
  },
);
