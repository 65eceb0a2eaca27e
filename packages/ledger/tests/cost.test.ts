import { generateKeyPairSync, sign } from 'node:crypto';
import { AccountRole, address, type Address, type Instruction } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import {
  balanceOf,
  clientOf,
  FEE,
  freshLedger,
  fundedSigner,
  newAddress,
  rawCall,
  send,
  signTransaction,
  SOL,
  transfer,
  type SignedTransaction,
} from './support/ledger.js';

const ledger = await freshLedger({}, 'file');
const client = clientOf(ledger);
const TOKEN_PROGRAM = address('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
const CONFIRMED = { commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: 0 };

type Meta = { readonly costUnits: number; readonly err: unknown; readonly fee: number };

async function metaOf({ signature }: SignedTransaction): Promise<Meta> {
  const { result } = await rawCall(ledger, 'getTransaction', [signature, CONFIRMED]);
  return (result as { readonly meta: Meta }).meta;
}

async function loadedSizeOf({ wire }: SignedTransaction): Promise<number> {
  const { result } = await rawCall(ledger, 'simulateTransaction', [wire, { ...CONFIRMED, encoding: 'base64' }]);
  return (result as { readonly value: { readonly loadedAccountsDataSize: number } }).value.loadedAccountsDataSize;
}

async function spaceOf(account: Address): Promise<number> {
  const { result } = await rawCall(ledger, 'getAccountInfo', [account, { ...CONFIRMED, encoding: 'base64' }]);
  return (result as { readonly value: { readonly space: number } }).value.space;
}

/** Names accounts without writing them; nothing reads the data. */
function naming(...accounts: readonly Address[]): Instruction {
  return {
    programAddress: address('11111111111111111111111111111111'),
    accounts: accounts.map((one) => ({ address: one, role: AccountRole.READONLY })),
    data: new Uint8Array([2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
  };
}

/** An instruction that holds a signature of its own, as the program for Ed25519 reads it. */
function ed25519(): Instruction {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const message = Buffer.from('signed');
  const head = Buffer.alloc(16);
  head.writeUInt8(1, 0);
  // Where the signature, the key and the message are, each in this very instruction.
  [48, 0xffff, 16, 0xffff, 112, message.length, 0xffff].forEach((value, at) => head.writeUInt16LE(value, 2 + 2 * at));
  const key = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  const data = Buffer.concat([head, key, sign(null, message, privateKey), message]);
  return { programAddress: address('Ed25519SigVerify111111111111111111111111111'), accounts: [], data };
}

describe('what a transaction takes of its block', () => {
  test('[L-83] is its signatures, accounts to write, bytes, units and pages of loaded data', async () => {
    const payer = await fundedSigner(client);
    const plain = await signTransaction(client, payer, [transfer(payer, await newAddress(), SOL)]);
    await send(client, plain);
    // As Agave 4.2 recorded it: 720 for a signature, 600 for two accounts, 3 for 12 bytes, 150 units, 8 for a page.
    expect(await metaOf(plain)).toMatchObject({ costUnits: 1_481 });
  });

  test('[L-83] counts signatures inside instructions at the price of their program', async () => {
    const payer = await fundedSigner(client);
    const recipient = await newAddress();
    const inside = ed25519();
    const sent = await signTransaction(client, payer, [inside, transfer(payer, recipient, SOL)]);
    await send(client, sent);
    const bytes = 12 + (inside.data?.length ?? 0);
    expect(await metaOf(sent)).toMatchObject({
      costUnits: 720 + 2_400 + 600 + Math.floor(bytes / 4) + 150 + 8,
      fee: Number(2n * FEE),
    });
  });

  test('[L-83] counts the code of a program that is named, once', async () => {
    const payer = await fundedSigner(client);
    const { result } = await rawCall(ledger, 'getAccountInfo', [TOKEN_PROGRAM, { encoding: 'jsonParsed' }]);
    const program = result as {
      readonly value: { readonly data: { readonly parsed: { info: { programData: Address } } } };
    };
    const code = program.value.data.parsed.info.programData;
    const size = (instruction: Instruction): Promise<number> =>
      signTransaction(client, payer, [instruction]).then(loadedSizeOf);
    const [nothing, named, both] = await Promise.all([
      size(naming(payer.address)),
      size(naming(payer.address, TOKEN_PROGRAM)),
      size(naming(payer.address, TOKEN_PROGRAM, code)),
    ]);
    expect(named).toBe(nothing + 64 + (await spaceOf(TOKEN_PROGRAM)) + 64 + (await spaceOf(code)));
    expect(both).toBe(named);
  });

  test('[L-10] [L-83] a call of what is no program is recorded, paid and reckoned', async () => {
    const payer = await fundedSigner(client);
    const [nobody, wallet] = [await newAddress(), (await fundedSigner(client)).address];
    const call = (programAddress: Address) =>
      signTransaction(client, payer, [{ programAddress, accounts: [], data: new Uint8Array() }]);
    for (const [program, err, accounts] of [
      [nobody, 'ProgramAccountNotFound', 1],
      [wallet, 'InvalidProgramForExecution', 2],
    ] as const) {
      const sent = await call(program);
      const before = await balanceOf(client, payer.address);
      const { error } = await rawCall(ledger, 'sendTransaction', [
        sent.wire,
        { encoding: 'base64', preflightCommitment: 'confirmed' },
      ]);
      expect(error?.data).toMatchObject({
        err,
        fee: Number(FEE),
        loadedAccountsDataSize: 64 * accounts,
        unitsConsumed: 0,
      });
      expect(await balanceOf(client, payer.address)).toBe(before);
      await send(client, sent, { skipPreflight: true });
      expect(await metaOf(sent)).toMatchObject({ err, fee: Number(FEE), costUnits: 720 + 300 + 8 });
      expect(await balanceOf(client, payer.address)).toBe(before - FEE);
    }
  });

  test('[L-10] [L-83] one that loads more than it may does not run, and pays', async () => {
    const payer = await fundedSigner(client);
    const recipient = await newAddress();
    const limited = async (bytes: number): Promise<SignedTransaction> => {
      const data = Buffer.alloc(5, 4);
      data.writeUInt32LE(bytes, 1);
      const programAddress = address('ComputeBudget111111111111111111111111111111');
      const limit: Instruction = { programAddress, accounts: [], data };
      return signTransaction(client, payer, [limit, transfer(payer, recipient, SOL)]);
    };
    // The payer, the system program with 21 bytes and the compute budget with 22.
    const size = 64 + 85 + 86;
    const enough = await limited(size);
    expect(await loadedSizeOf(enough)).toBe(size);
    await send(client, enough);
    expect(await balanceOf(client, recipient)).toBe(SOL);
    const tooLittle = await limited(size);
    const before = await balanceOf(client, payer.address);
    // The recipient is there by now, and counts.
    const { error } = await rawCall(ledger, 'sendTransaction', [
      tooLittle.wire,
      { encoding: 'base64', preflightCommitment: 'confirmed' },
    ]);
    expect(error).toMatchObject({
      message: 'Transaction simulation failed: Transaction exceeded max loaded accounts data size cap',
      data: { err: 'MaxLoadedAccountsDataSizeExceeded', fee: Number(FEE), loadedAccountsDataSize: size, logs: [] },
    });
    expect(await balanceOf(client, payer.address)).toBe(before);
    await send(client, tooLittle, { skipPreflight: true });
    expect(await metaOf(tooLittle)).toMatchObject({ err: 'MaxLoadedAccountsDataSizeExceeded', fee: Number(FEE) });
    expect(await balanceOf(client, payer.address)).toBe(before - FEE);
    expect(await balanceOf(client, recipient)).toBe(SOL);
  });
});
