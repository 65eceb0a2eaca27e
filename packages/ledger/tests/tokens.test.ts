import { generateKeyPairSigner, getAddressEncoder, type Address, type KeyPairSigner } from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { describe, expect, test } from 'vitest';
import { startLedger } from '@legwork/ledger';
import {
  advanceTime,
  clientOf,
  freshLedger,
  fundedSigner,
  newAddress,
  rawCall,
  signTransaction,
  SYSTEM_PROGRAM,
  temporaryFolder,
} from './support/ledger.js';
import {
  approve,
  closeHolding,
  createBlank,
  createHolding,
  createToken,
  giveAway,
  mintTo,
  revoke,
  run,
  TOKEN,
  TOKEN_2022,
  tokenInstruction,
  transferTokens,
  type Token,
} from './support/tokens.js';

const ledger = await freshLedger({}, 'file');
const client = clientOf(ledger);
const confirmed = { commitment: 'confirmed' } as const;

async function freshToken(options: Parameters<typeof createToken>[2] = {}): Promise<Token> {
  return createToken(client, await fundedSigner(client), options);
}

async function ask(method: string, ...params: readonly unknown[]): Promise<unknown> {
  const { result, error } = await rawCall(ledger, method, params);
  if (error !== undefined) throw new Error(`${error.code} ${error.message}`);
  return (result as { readonly value: unknown }).value;
}

async function refusal(method: string, ...params: readonly unknown[]): Promise<unknown> {
  const { error } = await rawCall(ledger, method, params);
  return error === undefined ? undefined : { code: error.code, message: error.message };
}

type Listed = { readonly pubkey: string };

async function listed(
  by: 'Owner' | 'Delegate',
  holder: Address,
  filter: object,
  config: object = confirmed,
): Promise<string[]> {
  const found = await ask(`getTokenAccountsBy${by}`, holder, filter, { encoding: 'base64', ...config });
  return (found as Listed[]).map((one) => one.pubkey);
}

/** As a cluster orders a list. */
function inOrder(...addresses: readonly Address[]): Address[] {
  const bytes = (of: Address): Buffer => Buffer.from(getAddressEncoder().encode(of));
  return addresses.toSorted((one, other) => Buffer.compare(bytes(one), bytes(other)));
}

describe('amounts', () => {
  test('[L-43] a balance and a supply are shown with the decimals of the mint', async () => {
    const token = await freshToken({ decimals: 3 });
    const holding = await createHolding(token, await newAddress());
    await run(token, mintTo(token, holding, 1_234_560n));
    const amount = { amount: '1234560', decimals: 3, uiAmount: 1234.56, uiAmountString: '1234.56' };
    expect(await ask('getTokenAccountBalance', holding, confirmed)).toEqual(amount);
    expect(await ask('getTokenSupply', token.mint, confirmed)).toEqual(amount);
  });

  test('[L-43] other accounts are refused as on a cluster', async () => {
    const token = await freshToken();
    const holding = await createHolding(token, await newAddress());
    const missing = { code: -32602, message: 'Invalid param: could not find account' };
    const noAccount = { code: -32602, message: 'Invalid param: not a Token account' };
    const noMint = { code: -32602, message: 'Invalid param: not a Token mint' };
    expect(await refusal('getTokenAccountBalance', await newAddress(), confirmed)).toEqual(missing);
    expect(await refusal('getTokenSupply', await newAddress(), confirmed)).toEqual(missing);
    expect(await refusal('getTokenAccountBalance', token.mint, confirmed)).toEqual(noAccount);
    expect(await refusal('getTokenAccountBalance', token.authority.address, confirmed)).toEqual(noAccount);
    expect(await refusal('getTokenSupply', token.authority.address, confirmed)).toEqual(noMint);
    expect(await refusal('getTokenSupply', holding, confirmed)).toEqual({
      code: -32602,
      message: 'Invalid param: mint could not be unpacked',
    });
    expect(await refusal('getTokenLargestAccounts', await newAddress(), confirmed)).toEqual({
      code: -32602,
      message: 'Invalid param: could not find mint',
    });
    expect(await refusal('getTokenLargestAccounts', holding, confirmed)).toEqual({
      code: -32602,
      message: 'Invalid param: Token mint could not be unpacked',
    });
  });

  test('[L-43] the largest accounts come first, at most twenty', async () => {
    const token = await freshToken({ decimals: 0 });
    const holdings: Address[] = [];
    for (let amount = 1n; amount <= 21n; amount += 1n) {
      const holding = await createHolding(token, await newAddress());
      await run(token, mintTo(token, holding, amount));
      holdings.push(holding);
    }
    const found = (await ask('getTokenLargestAccounts', token.mint, confirmed)) as {
      readonly address: string;
      readonly amount: string;
    }[];
    expect(found.map((one) => one.address)).toEqual(holdings.reverse().slice(0, 20));
    expect(found[0]).toEqual({ address: holdings[0], amount: '21', decimals: 0, uiAmount: 21, uiAmountString: '21' });
  });

  test('[L-43] a multiplier counts in what is shown, not in the amount', async () => {
    const twice = new Uint8Array(new Float64Array([2]).buffer);
    const token = await freshToken({
      program: TOKEN_2022,
      space: 226,
      extensions: (mint) => [
        tokenInstruction(TOKEN_2022, [{ address: mint, role: 1 }], 43, 0, new Uint8Array(32).fill(1), twice),
      ],
    });
    const holding = await createHolding(token, await newAddress());
    await run(token, mintTo(token, holding, 1_500_000n));
    const amount = { amount: '1500000', decimals: 6, uiAmount: 3, uiAmountString: '3' };
    expect(await ask('getTokenAccountBalance', holding, confirmed)).toEqual(amount);
    expect(await ask('getTokenSupply', token.mint, confirmed)).toEqual(amount);
  });
});

describe('token accounts of an owner or a delegate', () => {
  test('[L-44] are found by mint and by program, in the order of addresses', async () => {
    const owner = await newAddress();
    const one = await freshToken();
    const other = await freshToken();
    const newer = await freshToken({ program: TOKEN_2022 });
    const ones = inOrder(await createHolding(one, owner), await createHolding(one, owner));
    const others = [await createHolding(other, owner)];
    const newers = [await createHolding(newer, owner)];
    await createHolding(one, await newAddress());
    expect(await listed('Owner', owner, { mint: one.mint })).toEqual(ones);
    expect(await listed('Owner', owner, { mint: newer.mint })).toEqual(newers);
    expect(await listed('Owner', owner, { programId: TOKEN })).toEqual(inOrder(...ones, ...others));
    expect(await listed('Owner', owner, { programId: TOKEN_2022 })).toEqual(newers);
  });

  test('[L-44] follow the owner and the delegate, and end with the account', async () => {
    const token = await freshToken();
    const owner = await generateKeyPairSigner();
    const [delegate, heir] = [await newAddress(), await newAddress()];
    const [kept, given, closed] = (await Promise.all(
      [1, 2, 3].map(async () => createHolding(token, owner.address)),
    )) as [Address, Address, Address];
    const by = async (holder: Address, kind: 'Owner' | 'Delegate' = 'Owner'): Promise<string[]> =>
      listed(kind, holder, { mint: token.mint });
    await run(token, approve(token, kept, owner, delegate, 5n));
    expect(await by(delegate, 'Delegate')).toEqual([kept]);
    await run(token, giveAway(token, given, owner, heir), closeHolding(token, closed, owner));
    expect(await by(owner.address)).toEqual([kept]);
    expect(await by(heir)).toEqual([given]);
    await run(token, revoke(token, kept, owner));
    expect(await by(delegate, 'Delegate')).toEqual([]);
  });

  test('[L-44] are those of 32 slots ago when asked for the finalized state', async () => {
    const token = await freshToken();
    const owner = await generateKeyPairSigner();
    const closed = await createHolding(token, owner.address);
    const moved = await createHolding(token, owner.address);
    await advanceTime(ledger, { slots: 40 });
    const [delegate, heir] = [await newAddress(), await newAddress()];
    await run(token, approve(token, moved, owner, delegate, 1n));
    await run(token, closeHolding(token, closed, owner), giveAway(token, moved, owner, heir));
    const created = await createHolding(token, owner.address);
    const at = async (commitment: string, holder = owner.address): Promise<string[]> =>
      listed('Owner', holder, { mint: token.mint }, { commitment });
    expect(await at('confirmed')).toEqual([created]);
    expect(await at('confirmed', heir)).toEqual([moved]);
    expect(await at('finalized')).toEqual(inOrder(closed, moved));
    expect(await at('finalized', heir)).toEqual([]);
    await advanceTime(ledger, { slots: 40 });
    expect(await at('finalized')).toEqual([created]);
    expect(await at('finalized', heir)).toEqual([moved]);
  });

  test('[L-44] are found again after a restart', async () => {
    const dataDir = temporaryFolder();
    const first = await startLedger({ port: 0, dataDir, testing: true });
    const early = clientOf(first);
    const token = await createToken(early, await fundedSigner(early));
    const owner = await newAddress();
    const holding = await createHolding(token, owner);
    await first.close();
    const second = await freshLedger({ dataDir });
    const { result } = await rawCall(second, 'getTokenAccountsByOwner', [
      owner,
      { mint: token.mint },
      { encoding: 'base64', ...confirmed },
    ]);
    expect(result).toMatchObject({ value: [{ pubkey: holding }] });
  });

  test('[L-44] filters of a token program find the same, with and without an index', async () => {
    const token = await freshToken();
    const owner = await newAddress();
    const holding = await createHolding(token, owner);
    const blank = await createBlank(token);
    const found = async (...filters: readonly object[]): Promise<string[]> => {
      const config = { ...confirmed, encoding: 'base64', filters };
      const { result } = await rawCall(ledger, 'getProgramAccounts', [TOKEN, config]);
      return (result as Listed[]).map((one) => one.pubkey);
    };
    const byOwner = { memcmp: { offset: 32, bytes: owner } };
    const byMint = { memcmp: { offset: 0, bytes: token.mint } };
    expect(await found(byOwner, { dataSize: 165 })).toEqual([holding]);
    expect(await found(byMint, { dataSize: 165 })).toEqual([holding]);
    expect(await found(byMint, byOwner)).toEqual([holding]);
    expect(await found(byOwner, { dataSize: 82 })).toEqual([]);
    expect(await found({ memcmp: { offset: 32, bytes: SYSTEM_PROGRAM } }, { dataSize: 165 })).toContain(blank);
  });

  test('[L-44] other filters are refused', async () => {
    const owner = await newAddress();
    expect(await refusal('getTokenAccountsByOwner', owner, { programId: SYSTEM_PROGRAM }, confirmed)).toEqual({
      code: -32602,
      message: 'Invalid param: unrecognized Token program id',
    });
    expect(await refusal('getTokenAccountsByOwner', owner, { mint: owner }, confirmed)).toEqual({
      code: -32602,
      message: 'Invalid param: could not find mint',
    });
    expect(await refusal('getTokenAccountsByOwner', owner, { colour: owner }, confirmed)).toMatchObject({
      code: -32602,
    });
  });

  test('[L-44] data can be sliced; in base58 it is too long', async () => {
    const token = await freshToken();
    const owner = await newAddress();
    await createHolding(token, owner);
    const sliced = { ...confirmed, encoding: 'base64', dataSlice: { offset: 108, length: 1 } };
    expect(await ask('getTokenAccountsByOwner', owner, { mint: token.mint }, sliced)).toMatchObject([
      { account: { data: ['AQ==', 'base64'], space: 165 } },
    ]);
    expect(await refusal('getTokenAccountsByOwner', owner, { mint: token.mint }, confirmed)).toMatchObject({
      code: -32600,
    });
  });
});

describe('token balances of a transaction', () => {
  type Balance = { readonly accountIndex: number; readonly uiTokenAmount: { readonly amount: string } };
  type Meta = { readonly preTokenBalances: Balance[]; readonly postTokenBalances: Balance[] };
  const amounts = (balances: readonly Balance[]): Record<number, string> =>
    Object.fromEntries(balances.map((one) => [one.accountIndex, one.uiTokenAmount.amount]));

  async function transferScene(): Promise<{ token: Token; owner: KeyPairSigner; source: Address; sink: Address }> {
    const token = await freshToken({ decimals: 2 });
    const owner = await generateKeyPairSigner();
    const source = await createHolding(token, owner.address);
    const sink = await createHolding(token, await newAddress());
    await run(token, mintTo(token, source, 500n));
    return { token, owner, source, sink };
  }

  async function landed(signature: string): Promise<{ meta: Meta; keys: readonly string[] }> {
    const config = { ...confirmed, encoding: 'json', maxSupportedTransactionVersion: 0 };
    const { result } = await rawCall(ledger, 'getTransaction', [signature, config]);
    const { meta, transaction } = result as {
      readonly meta: Meta;
      readonly transaction: { readonly message: { readonly accountKeys: readonly string[] } };
    };
    return { meta, keys: transaction.message.accountKeys };
  }

  test('[L-45] are told before and after, with mint, owner and program', async () => {
    const { token, owner, source, sink } = await transferScene();
    const { meta, keys } = await landed(await run(token, transferTokens(token, source, owner, sink, 120n)));
    const index = keys.indexOf(source);
    expect(meta.preTokenBalances.find((one) => one.accountIndex === index)).toEqual({
      accountIndex: index,
      mint: token.mint,
      owner: owner.address,
      programId: TOKEN,
      uiTokenAmount: { amount: '500', decimals: 2, uiAmount: 5, uiAmountString: '5' },
    });
    expect(amounts(meta.preTokenBalances)).toEqual({ [index]: '500', [keys.indexOf(sink)]: '0' });
    // As a cluster stores it.
    expect(meta.preTokenBalances.find((one) => one.accountIndex !== index)).toMatchObject({
      uiTokenAmount: { amount: '0', uiAmount: null, uiAmountString: '0' },
    });
    expect(amounts(meta.postTokenBalances)).toEqual({ [index]: '380', [keys.indexOf(sink)]: '120' });
  });

  test('[L-45] include accounts that are only read, and leave out what begins or ends', async () => {
    const { token, source } = await transferScene();
    const owner = await generateKeyPairSigner();
    const gone = await createHolding(token, owner.address);
    const close = closeHolding(token, gone, owner);
    const reading = { ...close, accounts: [...(close.accounts ?? []), { address: source, role: 0 as const }] };
    const { meta, keys } = await landed(await run(token, reading));
    expect(amounts(meta.preTokenBalances)).toEqual({ [keys.indexOf(gone)]: '0', [keys.indexOf(source)]: '500' });
    expect(amounts(meta.postTokenBalances)).toEqual({ [keys.indexOf(source)]: '500' });
  });

  test('[L-45] are there only when the transaction names a token program', async () => {
    const { token, source } = await transferScene();
    const { authority } = token;
    const donation = getTransferSolInstruction({ source: authority, destination: source, amount: 1n });
    const { meta } = await landed(await run(token, donation));
    expect(meta).toMatchObject({ preTokenBalances: [], postTokenBalances: [] });
  });

  test('[L-45] are told by a simulation', async () => {
    const { token, owner, source, sink } = await transferScene();
    const transfer = transferTokens(token, source, owner, sink, 120n);
    const { wire } = await signTransaction(client, token.authority, [transfer]);
    const config = { ...confirmed, encoding: 'base64', accounts: { addresses: [sink], encoding: 'jsonParsed' } };
    const value = (await ask('simulateTransaction', wire, config)) as Meta & { readonly accounts: unknown };
    expect(Object.values(amounts(value.preTokenBalances)).sort()).toEqual(['0', '500']);
    expect(Object.values(amounts(value.postTokenBalances)).sort()).toEqual(['120', '380']);
    expect(value.accounts).toMatchObject([{ data: { parsed: { info: { tokenAmount: { amount: '120' } } } } }]);
  });
});
