import {
  AccountRole,
  address,
  generateKeyPairSigner,
  getAddressEncoder,
  getProgramDerivedAddress,
  type Address,
  type Instruction,
} from '@solana/kit';
import { getCreateAccountInstruction } from '@solana-program/system';
import { describe, expect, test } from 'vitest';
import {
  clientOf,
  FEE,
  freshLedger,
  fundedSigner,
  newAddress,
  rawCall,
  send,
  signTransaction,
  signTransfer,
  SOL,
  SYSTEM_PROGRAM,
  transfer,
} from './support/ledger.js';

const ledger = await freshLedger({}, 'file');
const client = clientOf(ledger);

const TOKEN_PROGRAM = address('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
const MEMO_PROGRAM = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
const MEMO_1_PROGRAM = address('Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo');
const MINT_BYTES = 82n;

function memo(text: string | Uint8Array, programAddress: Address = MEMO_PROGRAM): Instruction {
  return { programAddress, data: typeof text === 'string' ? new TextEncoder().encode(text) : text };
}

type Shown = { readonly transaction: unknown; readonly meta: Record<string, unknown>; readonly version?: unknown };

async function read(signature: string, config: object): Promise<Shown> {
  const { result } = await rawCall(ledger, 'getTransaction', [
    signature,
    { commitment: 'confirmed', maxSupportedTransactionVersion: 0, ...config },
  ]);
  return result as Shown;
}

describe('a transaction in jsonParsed', () => {
  test('[L-50] names what its instructions do, and shows each account with its part', async () => {
    const payer = await fundedSigner(client);
    const recipient = await newAddress();
    const { signature, wire } = await signTransaction(client, payer, [transfer(payer, recipient, SOL), memo('hello')]);
    await send(client, { wire });
    const { transaction, meta } = await read(signature, { encoding: 'jsonParsed' });
    const part = { signer: false, source: 'transaction', writable: false };
    expect(transaction).toMatchObject({
      signatures: [signature],
      message: {
        accountKeys: [
          { ...part, pubkey: payer.address, signer: true, writable: true },
          { ...part, pubkey: recipient, writable: true },
          { ...part, pubkey: SYSTEM_PROGRAM },
          { ...part, pubkey: MEMO_PROGRAM },
        ],
        addressTableLookups: [],
        instructions: [
          {
            program: 'system',
            programId: SYSTEM_PROGRAM,
            parsed: {
              type: 'transfer',
              info: { source: payer.address, destination: recipient, lamports: Number(SOL) },
            },
            stackHeight: 1,
          },
          { program: 'spl-memo', programId: MEMO_PROGRAM, parsed: 'hello', stackHeight: 1 },
        ],
      },
    });
    expect(meta).toMatchObject({ err: null, fee: Number(FEE), innerInstructions: [] });
    expect(meta).not.toHaveProperty('loadedAddresses');
  });

  test('[L-50] shows what programs called, too', async () => {
    const payer = await fundedSigner(client);
    const mint = await generateKeyPairSigner();
    const lamports = await client.rpc.getMinimumBalanceForRentExemption(MINT_BYTES).send();
    const create = getCreateAccountInstruction({
      payer,
      newAccount: mint,
      lamports,
      space: MINT_BYTES,
      programAddress: TOKEN_PROGRAM,
    });
    const { signature, wire } = await signTransaction(client, payer, [
      create,
      initializeMint(mint.address, payer.address),
      await createTokenAccount(payer.address, mint.address),
    ]);
    await send(client, { wire });
    const { meta } = await read(signature, { encoding: 'jsonParsed' });
    const [inner] = meta['innerInstructions'] as { index: number; instructions: Record<string, unknown>[] }[];
    expect(inner?.index).toBe(2);
    expect(inner?.instructions.map((one) => (one['parsed'] as { type: string }).type)).toEqual([
      'getAccountDataSize',
      'createAccount',
      'initializeImmutableOwner',
      'initializeAccount3',
    ]);
    expect(inner?.instructions[0]).toMatchObject({
      program: 'spl-token',
      parsed: { info: { mint: mint.address, extensionTypes: ['immutableOwner'] } },
      stackHeight: 2,
    });
  });
});

describe('a transaction', () => {
  test('[L-20] in `binary` is bare base58 text, and an encoding may stand for the configuration', async () => {
    const payer = await fundedSigner(client);
    const { signature, wire } = await signTransfer(client, payer, await newAddress(), SOL, { version: 'legacy' });
    await send(client, { wire });
    const base58 = (await read(signature, { encoding: 'base58' })).transaction as string[];
    expect((await read(signature, { encoding: 'binary' })).transaction).toBe(base58[0]);
    const { result } = await rawCall(ledger, 'getTransaction', [signature, 'jsonParsed']);
    // It is not final yet, which is what such a call asks for.
    expect(result).toBeNull();
  });

  test('[L-52] is listed with its memos, each behind its length in bytes', async () => {
    const payer = await fundedSigner(client);
    const memos = [memo('hi'), memo('héllo', MEMO_1_PROGRAM), transfer(payer, payer.address, 1n)];
    const { wire } = await signTransaction(client, payer, memos);
    await send(client, { wire });
    const { result } = await rawCall(ledger, 'getSignaturesForAddress', [payer.address, { commitment: 'confirmed' }]);
    expect((result as { memo: unknown }[]).map((one) => one.memo)).toEqual(['[2] hi; [6] héllo', null]);
  });

  test('[L-52] is listed although a memo is not text', async () => {
    const payer = await fundedSigner(client);
    const { wire } = await signTransaction(client, payer, [memo(Uint8Array.of(0xff, 0xfe))]);
    await send(client, { wire }, { skipPreflight: true });
    const { result } = await rawCall(ledger, 'getSignaturesForAddress', [payer.address, { commitment: 'confirmed' }]);
    expect((result as { memo: unknown }[])[0]?.memo).toBe('[2] (unparsable)');
  });
});

function initializeMint(mint: Address, authority: Address): Instruction {
  return {
    programAddress: TOKEN_PROGRAM,
    accounts: [{ address: mint, role: AccountRole.WRITABLE }],
    data: Uint8Array.of(20, 9, ...getAddressEncoder().encode(authority), 0),
  };
}

/** Of the associated token program, whose instruction has no data. */
async function createTokenAccount(owner: Address, mint: Address): Promise<Instruction> {
  const programAddress = address('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');
  const seeds = [owner, TOKEN_PROGRAM, mint].map((one) => getAddressEncoder().encode(one));
  const [account] = await getProgramDerivedAddress({ programAddress, seeds });
  return {
    programAddress,
    accounts: [
      { address: owner, role: AccountRole.WRITABLE_SIGNER },
      { address: account, role: AccountRole.WRITABLE },
      { address: owner, role: AccountRole.READONLY },
      { address: mint, role: AccountRole.READONLY },
      { address: SYSTEM_PROGRAM, role: AccountRole.READONLY },
      { address: TOKEN_PROGRAM, role: AccountRole.READONLY },
    ],
  };
}
