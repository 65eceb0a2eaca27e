import {
  AccountRole,
  address,
  getAddressEncoder,
  getProgramDerivedAddress,
  SOLANA_ERROR__TRANSACTION_ERROR__SIGNATURE_FAILURE,
  type Instruction,
} from '@solana/kit';
import { describe, expect, test } from 'vitest';
import {
  balanceOf,
  clientOf,
  FEE,
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
const TOKENS = address('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
const ASSOCIATED_TOKENS = address('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');
const confirmed = { commitment: 'confirmed', encoding: 'base64' } as const;

describe('simulating', () => {
  test('[L-17] tells what would happen and changes nothing', async () => {
    const payer = await fundedSigner(client);
    const recipient = await newAddress();
    const { wire, signature } = await signTransfer(client, payer, recipient, SOL);
    const { value } = await client.rpc
      .simulateTransaction(wire, {
        ...confirmed,
        sigVerify: true,
        accounts: { addresses: [recipient, payer.address], encoding: 'base64' },
      })
      .send();
    expect(value).toMatchObject({
      err: null,
      logs: [`Program ${SYSTEM_PROGRAM} invoke [1]`, `Program ${SYSTEM_PROGRAM} success`],
      unitsConsumed: 150n,
      accounts: [{ lamports: SOL }, { lamports: 9n * SOL - FEE }],
    });
    expect(await balanceOf(client, recipient)).toBe(0n);
    expect(await balanceOf(client, payer.address)).toBe(10n * SOL);
    expect((await client.rpc.getSignatureStatuses([signature]).send()).value).toEqual([null]);
    await send(client, { wire });
    expect(await balanceOf(client, recipient)).toBe(SOL);
  });

  test('[L-17] shows what programs would call, parsed, when asked to', async () => {
    const payer = await fundedSigner(client);
    const mint = address('So11111111111111111111111111111111111111112');
    const [account] = await getProgramDerivedAddress({
      programAddress: ASSOCIATED_TOKENS,
      seeds: [payer.address, TOKENS, mint].map((one) => getAddressEncoder().encode(one)),
    });
    const { READONLY: readonly, WRITABLE: writable, WRITABLE_SIGNER: signer } = AccountRole;
    const create: Instruction = {
      programAddress: ASSOCIATED_TOKENS,
      accounts: [
        { address: payer.address, role: signer },
        { address: account, role: writable },
        { address: payer.address, role: readonly },
        { address: mint, role: readonly },
        { address: SYSTEM_PROGRAM, role: readonly },
        { address: TOKENS, role: readonly },
      ],
      data: new Uint8Array(),
    };
    const { wire } = await signTransaction(client, payer, [create]);
    const inner = async (config: object): Promise<unknown> => {
      const { result } = await rawCall(ledger, 'simulateTransaction', [wire, { ...confirmed, ...config }]);
      return (result as { value: { innerInstructions: unknown } }).value.innerInstructions;
    };
    expect(await inner({})).toBeNull();
    const [called] = (await inner({ innerInstructions: true })) as { index: number; instructions: unknown[] }[];
    expect(called?.index).toBe(0);
    expect(called?.instructions[1]).toEqual({
      parsed: {
        type: 'createAccount',
        info: { source: payer.address, newAccount: account, lamports: 2_039_280, space: 165, owner: TOKENS },
      },
      program: 'system',
      programId: SYSTEM_PROGRAM,
      stackHeight: 2,
    });
  });

  test('[L-17] tells the error and the logs of a failure', async () => {
    const payer = await fundedSigner(client, SOL);
    const { wire } = await signTransfer(client, payer, await newAddress(), 5n * SOL);
    const { value } = await client.rpc.simulateTransaction(wire, confirmed).send();
    expect(value.err).toEqual({ InstructionError: [0n, { Custom: 1n }] });
    expect(value.logs?.join()).toContain('insufficient lamports');
    expect(await balanceOf(client, payer.address)).toBe(SOL);
  });

  test('[L-17] verifies signatures only when asked to', async () => {
    const payer = await fundedSigner(client);
    const { wire } = await signTransfer(client, payer, await newAddress(), SOL);
    const bytes = Buffer.from(wire, 'base64');
    bytes.fill(0, 1, 65);
    const unsigned = bytes.toString('base64');
    const simulate = async (config: object): Promise<unknown> => {
      const { result } = await rawCall(ledger, 'simulateTransaction', [unsigned, { ...confirmed, ...config }]);
      return (result as { value: { err: unknown } }).value.err;
    };
    expect(await simulate({})).toBeNull();
    expect(await simulate({ sigVerify: true })).toBe('SignatureFailure');
    const forged = await rawCall(ledger, 'simulateTransaction', [unsigned, { ...confirmed, sigVerify: true }]);
    expect(forged.result).toMatchObject({
      value: { preBalances: null, postBalances: null, loadedAccountsDataSize: 0 },
    });
    // The engine verifies again afterwards.
    await expect(send(client, { wire: unsigned as typeof wire })).rejects.toMatchObject({
      cause: { context: { __code: SOLANA_ERROR__TRANSACTION_ERROR__SIGNATURE_FAILURE } },
    });
  });

  test('[L-17] replaces an unknown blockhash when asked to, and says with which', async () => {
    const payer = await fundedSigner(client);
    const lifetime = { ...(await latestLifetime(client)), blockhash: (await newAddress()) as string as never };
    const { wire } = await signTransfer(client, payer, await newAddress(), SOL, { lifetime });
    const plain = await client.rpc.simulateTransaction(wire, confirmed).send();
    expect(plain.value.err).toBe('BlockhashNotFound');
    const { value } = await client.rpc
      .simulateTransaction(wire, { ...confirmed, replaceRecentBlockhash: true, sigVerify: false })
      .send();
    expect(value.err).toBeNull();
    const latest = await client.rpc.getLatestBlockhash({ commitment: 'confirmed' }).send();
    expect(value.replacementBlockhash.lastValidBlockHeight).toBeLessThanOrEqual(latest.value.lastValidBlockHeight);
  });

  test('[L-17] refuses to verify signatures of a transaction whose blockhash it replaces', async () => {
    const payer = await fundedSigner(client);
    const { wire } = await signTransfer(client, payer, await newAddress(), SOL);
    const config = { ...confirmed, sigVerify: true, replaceRecentBlockhash: true };
    expect((await rawCall(ledger, 'simulateTransaction', [wire, config])).error?.code).toBe(-32602);
  });
});
