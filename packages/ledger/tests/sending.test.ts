import {
  createSolanaRpcSubscriptions,
  getBase58Decoder,
  getBase64Encoder,
  generateKeyPairSigner,
  isSolanaError,
  sendAndConfirmTransactionFactory,
  SOLANA_ERROR__INSTRUCTION_ERROR__CUSTOM,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE,
  SOLANA_ERROR__TRANSACTION_ERROR__ALREADY_PROCESSED,
  SOLANA_ERROR__TRANSACTION_ERROR__BLOCKHASH_NOT_FOUND,
  SOLANA_ERROR__TRANSACTION_ERROR__SIGNATURE_FAILURE,
  type Signature,
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
  rawPost,
  send,
  signTransaction,
  signTransfer,
  SOL,
  SYSTEM_PROGRAM,
  transfer,
} from './support/ledger.js';

const ledger = await freshLedger({}, 'file');
const client = clientOf(ledger);

async function failureOf(sending: Promise<unknown>): Promise<unknown> {
  return sending.then(
    () => expect.fail('it should have been refused'),
    (error: unknown) => error,
  );
}

describe('sending', () => {
  test('[L-8] kit sends a transaction and sees it confirmed, over HTTP and WebSocket', async () => {
    const payer = await fundedSigner(client);
    const recipient = await newAddress();
    const { signed, signature } = await signTransfer(client, payer, recipient, SOL);
    const sendAndConfirm = sendAndConfirmTransactionFactory(client);
    await sendAndConfirm(signed as Parameters<typeof sendAndConfirm>[0], { commitment: 'confirmed' });
    expect(await balanceOf(client, recipient)).toBe(SOL);
    const { value } = await client.rpc.getSignatureStatuses([signature]).send();
    expect(value[0]).toMatchObject({ err: null, confirmationStatus: 'confirmed' });
  });

  test('[L-8] WebSocket works on the HTTP port too', async () => {
    const rpcSubscriptions = createSolanaRpcSubscriptions(ledger.rpcUrl.replace('http:', 'ws:'));
    const payer = await fundedSigner(client);
    const { signed } = await signTransfer(client, payer, await newAddress(), SOL);
    const sendAndConfirm = sendAndConfirmTransactionFactory({ rpc: client.rpc, rpcSubscriptions });
    await expect(
      sendAndConfirm(signed as Parameters<typeof sendAndConfirm>[0], { commitment: 'confirmed' }),
    ).resolves.toBeUndefined();
  });

  test.each(['legacy', 0, 1] as const)('[L-8] takes a transaction of version %s', async (version) => {
    const payer = await fundedSigner(client);
    const recipient = await newAddress();
    await send(client, await signTransfer(client, payer, recipient, SOL, { version }));
    expect(await balanceOf(client, recipient)).toBe(SOL);
  });

  test('[L-8] takes a transaction in base58, the default encoding', async () => {
    const payer = await fundedSigner(client);
    const { wire, signature } = await signTransfer(client, payer, await newAddress(), SOL);
    const base58 = getBase58Decoder().decode(getBase64Encoder().encode(wire));
    const { result } = await rawCall(ledger, 'sendTransaction', [base58, { preflightCommitment: 'confirmed' }]);
    expect(result).toBe(signature);
  });

  test('[L-7] refuses the same bytes again and executes them once', async () => {
    const payer = await fundedSigner(client);
    const recipient = await newAddress();
    const transaction = await signTransfer(client, payer, recipient, SOL);
    await send(client, transaction);
    const failure = await failureOf(send(client, transaction));
    expect(isSolanaError(failure, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE)).toBe(true);
    expect((failure as Error).cause).toMatchObject({
      context: { __code: SOLANA_ERROR__TRANSACTION_ERROR__ALREADY_PROCESSED },
    });
    expect(await send(client, transaction, { skipPreflight: true })).toBe(transaction.signature);
    expect(await balanceOf(client, recipient)).toBe(SOL);
  });

  test('[L-7] executes a burst of the same bytes once', async () => {
    const payer = await fundedSigner(client);
    const recipient = await newAddress();
    const transaction = await signTransfer(client, payer, recipient, SOL);
    const sent = await Promise.all(
      Array.from({ length: 20 }, async () => send(client, transaction, { skipPreflight: true })),
    );
    expect(new Set(sent)).toEqual(new Set([transaction.signature]));
    expect(await balanceOf(client, payer.address)).toBe(9n * SOL - FEE);
  });

  test('[L-9] a transaction that fails its preflight costs nothing and leaves no trace', async () => {
    const payer = await fundedSigner(client, SOL);
    const recipient = await newAddress();
    const transaction = await signTransfer(client, payer, recipient, 5n * SOL);
    const failure = await failureOf(send(client, transaction));
    expect(isSolanaError(failure, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE)).toBe(true);
    expect((failure as Error).cause).toMatchObject({
      context: { __code: SOLANA_ERROR__INSTRUCTION_ERROR__CUSTOM, code: 1, index: 0 },
    });
    expect((failure as { context: unknown }).context).toMatchObject({
      unitsConsumed: 150n,
      // Payer and recipient-to-be count with their bytes and 64 more each; the recipient does not exist yet.
      loadedAccountsDataSize: 149,
    });
    expect((failure as { context: { logs: string[] } }).context.logs.join()).toContain('insufficient lamports');
    expect(await balanceOf(client, payer.address)).toBe(SOL);
    const { value } = await client.rpc
      .getSignatureStatuses([transaction.signature], { searchTransactionHistory: true })
      .send();
    expect(value).toEqual([null]);
    // The same bytes work once their payer can pay: nothing remembers the refusal.
    await client.rpc.requestAirdrop(payer.address, 5_000_000_000n as never).send();
    await send(client, transaction);
    expect(await balanceOf(client, recipient)).toBe(5n * SOL);
  });

  test('[L-10] without preflight a failing transaction pays its fee and is recorded with its error', async () => {
    const payer = await fundedSigner(client, SOL);
    const transaction = await signTransfer(client, payer, await newAddress(), 5n * SOL);
    expect(await send(client, transaction, { skipPreflight: true })).toBe(transaction.signature);
    expect(await balanceOf(client, payer.address)).toBe(SOL - FEE);
    const { value } = await client.rpc.getSignatureStatuses([transaction.signature]).send();
    expect(value[0]?.err).toEqual({ InstructionError: [0n, { Custom: 1n }] });
    expect(value[0]?.status).toEqual({ Err: { InstructionError: [0n, { Custom: 1n }] } });
  });

  test('[L-10] without preflight a transaction whose payer cannot pay the fee is dropped', async () => {
    const payer = await fundedSigner(client, SOL);
    const broke = await fundedSigner(client, 890_880n);
    const { wire, signature } = await signTransfer(client, broke, payer.address, 890_880n);
    expect(await send(client, { wire }, { skipPreflight: true })).toBe(signature);
    const { value } = await client.rpc.getSignatureStatuses([signature], { searchTransactionHistory: true }).send();
    // It could pay the fee, not the transfer beside it: it is recorded as failed, or dropped, but never half done.
    expect(value[0] === null || value[0]?.err !== null).toBe(true);
    const penniless = await fundedSigner(client, 0n);
    const dropped = await signTransfer(client, penniless, payer.address, 1n);
    await send(client, dropped, { skipPreflight: true });
    const { value: none } = await client.rpc
      .getSignatureStatuses([dropped.signature], { searchTransactionHistory: true })
      .send();
    expect(none).toEqual([null]);
  });

  test('[L-9] a wrong signature is refused as such, before anything else', async () => {
    const payer = await fundedSigner(client);
    const { wire } = await signTransfer(client, payer, await newAddress(), SOL);
    const bytes = Buffer.from(wire, 'base64');
    bytes[10] = (bytes[10] ?? 0) ^ 1;
    const forged = { wire: bytes.toString('base64') as typeof wire };
    const refusal = async (): Promise<unknown> => {
      const failure = await failureOf(send(client, forged));
      expect(isSolanaError(failure, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE)).toBe(
        true,
      );
      return (failure as Error).cause;
    };
    const signatureFailure = { context: { __code: SOLANA_ERROR__TRANSACTION_ERROR__SIGNATURE_FAILURE } };
    expect(await refusal()).toMatchObject(signatureFailure);
    await send(client, { wire });
    expect(await refusal()).toMatchObject(signatureFailure);
    expect(await balanceOf(client, payer.address)).toBe(9n * SOL - FEE);
  });

  test('[L-6] a blockhash that this ledger never had is refused', async () => {
    const payer = await fundedSigner(client);
    const lifetime = { ...(await latestLifetime(client)), blockhash: (await newAddress()) as string as never };
    const failure = await failureOf(
      send(client, await signTransfer(client, payer, await newAddress(), SOL, { lifetime })),
    );
    expect((failure as Error).cause).toMatchObject({
      context: { __code: SOLANA_ERROR__TRANSACTION_ERROR__BLOCKHASH_NOT_FOUND },
    });
  });

  test('[L-13] the fee is 5,000 lamports a signature plus the price of the compute units', async () => {
    const payer = await fundedSigner(client);
    const second = await fundedSigner(client);
    const budget = (data: number[]) => ({
      programAddress: 'ComputeBudget111111111111111111111111111111' as never,
      data: Uint8Array.from(data),
    });
    const price = budget([3, 0x40, 0x42, 0x0f, 0, 0, 0, 0, 0]);
    const limit = budget([2, 0x05, 0x0d, 0, 0]);
    for (const extra of [[], [limit], [price, limit], [price]]) {
      const before = await balanceOf(client, payer.address);
      const transaction = await signTransaction(client, payer, [
        ...extra,
        transfer(payer, second.address, 0n),
        transfer(second, payer.address, 0n),
      ]);
      const message = Buffer.from(transaction.signed.messageBytes).toString('base64');
      const { value: quoted } = await client.rpc.getFeeForMessage(message as never, { commitment: 'confirmed' }).send();
      await send(client, transaction);
      expect(before - (await balanceOf(client, payer.address))).toBe(quoted);
      expect(quoted).toBeGreaterThanOrEqual(2n * FEE);
    }
  });

  test('[L-21] repeated airdrops of the same amount all arrive', async () => {
    const recipient = await newAddress();
    await Promise.all(
      Array.from({ length: 10 }, async () => rawCall(ledger, 'requestAirdrop', [recipient, Number(SOL)])),
    );
    expect(await balanceOf(client, recipient)).toBe(10n * SOL);
  });

  test('[L-66] an airdrop beyond the faucet lands with its error', async () => {
    const recipient = await newAddress();
    const response = await fetch(ledger.rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"jsonrpc":"2.0","id":1,"method":"requestAirdrop","params":["${recipient}",18446744073709551615]}`,
    });
    const { result } = (await response.json()) as { result: Signature };
    expect(result).toMatch(/^[1-9A-HJ-NP-Za-km-z]{80,88}$/);
    const { value } = await client.rpc.getSignatureStatuses([result]).send();
    expect(value).toMatchObject([{ err: { InstructionError: [0n, { Custom: 1n }] } }]);
    expect(await balanceOf(client, recipient)).toBe(0n);
  });

  test('[L-66] an airdrop to a program, or of less than an account needs, lands with its error; on an unknown blockhash it never lands', async () => {
    const statuses: unknown[] = [];
    for (const params of [
      [SYSTEM_PROGRAM, 5],
      [await newAddress(), 1],
      [await newAddress(), 5, { recentBlockhash: SYSTEM_PROGRAM }],
    ]) {
      const { result } = await rawCall(ledger, 'requestAirdrop', params);
      expect(result).toMatch(/^[1-9A-HJ-NP-Za-km-z]{80,88}$/);
      statuses.push(...(await client.rpc.getSignatureStatuses([result as Signature]).send()).value);
    }
    expect(statuses).toMatchObject([
      { err: { InstructionError: [0n, 'ReadonlyLamportChange'] } },
      { err: { InsufficientFundsForRent: {} } },
      null,
    ]);
    expect(await balanceOf(client, SYSTEM_PROGRAM)).toBe(1n);
  });

  test('[L-6] preflight knows no blockhash that is newer than the slot of its commitment', async () => {
    const payer = await fundedSigner(client);
    const { wire, signature } = await signTransfer(client, payer, await newAddress(), SOL);
    const { error } = await rawCall(ledger, 'sendTransaction', [wire, { encoding: 'base64' }]);
    expect(error).toMatchObject({ code: -32002, data: { err: 'BlockhashNotFound' } });
    expect(await send(client, { wire })).toBe(signature);
  });

  test('[L-70] [L-71] a batch executes in its order, and a forged one among them changes nothing', async () => {
    const wallets = [
      await fundedSigner(client),
      ...(await Promise.all([1, 2, 3, 4].map(() => generateKeyPairSigner()))),
    ];
    const lifetime = await latestLifetime(client);
    // Each wallet can pay only with what the one before has just paid it.
    const chain = await Promise.all(
      wallets.slice(0, -1).map(async (payer, index) => {
        const next = wallets[index + 1] ?? payer;
        const config = { encoding: 'base64', preflightCommitment: 'confirmed' };
        const { wire } = await signTransfer(client, payer, next.address, SOL - BigInt(index) * 10_000_000n, {
          lifetime,
        });
        const forged = Buffer.from(wire, 'base64');
        forged[3] = (forged[3] ?? 0) ^ 1;
        return [forged.toString('base64'), wire].map((text) => [text, config]);
      }),
    );
    const batch = chain.flat().map((params, id) => ({ jsonrpc: '2.0', id, method: 'sendTransaction', params }));
    const answers = (await rawPost(ledger, batch)) as { readonly id: number; readonly error?: unknown }[];
    const forgery = { code: -32002, data: { err: 'SignatureFailure' } };
    expect(answers.map(({ error }) => error ?? null)).toMatchObject(chain.flatMap(() => [forgery, null]));
    expect(await balanceOf(client, wallets.at(-1)?.address ?? SYSTEM_PROGRAM)).toBe(SOL - 30_000_000n);
  });
});
